"""`python -m rosenblatt` is the command line, and so is `rosenblatt`."""

import sys


def main() -> int:
    """The command line; Ctrl-C while it is still being loaded ends it as quietly as later."""
    try:
        from rosenblatt.cli import main as run

        return run()
    except KeyboardInterrupt:
        sys.stderr.write("rosenblatt: interrupted.\n")
        return 130


if __name__ == "__main__":
    sys.exit(main())
