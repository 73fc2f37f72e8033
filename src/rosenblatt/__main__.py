"""The command line: `rosenblatt`, or `python -m rosenblatt`."""

import gc
import sys


def main() -> int:
    """Run the command line; Ctrl-C during its imports prints no traceback either."""
    gc.set_threshold(100_000)  # imports create many objects and free few
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
