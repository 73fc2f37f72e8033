"""The command that is being run: its words, whether it may speak, and what is wrong with how it was asked."""

from collections.abc import Sequence


class Running:
    """One for the process: a command line is run at a time."""

    def __init__(self) -> None:
        self.begin("", [])

    def begin(self, command: str, arguments: Sequence[str]) -> None:
        self.command, self.arguments, self.quiet = command, list(arguments), False

    def repeat(self) -> str:
        """The command line, to be given again."""
        import shlex

        return shlex.join(["rosenblatt", *self.arguments])


running = Running()


class UsageError(Exception):
    """The command line asks for something that cannot be; the help of the command says what can."""

    def __str__(self) -> str:
        return f"{super().__str__()} See '{' '.join(filter(None, ['rosenblatt', running.command]))} --help'."
