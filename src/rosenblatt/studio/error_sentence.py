"""How every error is sent to the page, and the errors that a studio for one and a studio for a class share."""

from collections.abc import Iterable

_LONGEST = 2_000


def error_body(sentence: str) -> dict[str, str]:
    """The JSON of an error. A sentence may repeat what was sent, such as a cell of 50,000 letters: its middle is cut.

    >>> error_body("x" * 900_000)["error"].count("x")
    1950
    """
    if len(sentence) > _LONGEST:
        sentence = f"{sentence[: _LONGEST - 450]} … {sentence[-400:]}"
    return {"error": sentence}


def no_such_question(name: str, questions: Iterable[str]) -> str:
    return f"There is no question {name!r}; the questions are {', '.join(questions)}."


def bug(error: Exception) -> str:
    return f"{type(error).__name__}: this is a bug in the studio; please report what you did."
