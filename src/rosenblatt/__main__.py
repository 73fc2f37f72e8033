"""`python -m rosenblatt` is the command line, and so is `rosenblatt`."""

import gc
import sys


def main() -> int:
    """The command line; Ctrl-C while it is still being loaded ends it as quietly as later."""
    gc.set_threshold(100_000)  # what modules make while they load is no garbage
    try:
        from rosenblatt.cli import main as run
        from rosenblatt.cli.exits import leave

        code = run()
    except KeyboardInterrupt:
        sys.stderr.write("rosenblatt: interrupted.\n")
        return 130
    leave(code)


if __name__ == "__main__":
    sys.exit(main())
