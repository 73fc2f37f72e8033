"""`python -m rosenblatt` is the command line."""

import sys

from rosenblatt.cli import main

if __name__ == "__main__":
    sys.exit(main())
