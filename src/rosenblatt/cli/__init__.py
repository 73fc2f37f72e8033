"""The command line: parse, call, render. `rosenblatt.cli.main(arguments)` runs it in this process."""

from rosenblatt.cli.app import main as main
