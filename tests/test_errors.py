"""The exception tree is the one in its docstring."""

import inspect

import pytest

from rosenblatt import errors
from rosenblatt.errors import (
    DataError,
    ExpressionError,
    LearningElsewhereError,
    LearningOverflowError,
    ModelError,
    ParameterError,
    RosenblattError,
    option,
)

WARNINGS = [errors.WorthlessModelWarning, errors.DoubtfulDataWarning, errors.UnknownValuesWarning]
EVERY = [value for name in errors.__all__ if (value := getattr(errors, name)) not in [option, *WARNINGS]]


@pytest.mark.parametrize("error", EVERY, ids=lambda error: error.__name__)
def test_every_error_is_a_rosenblatt_error_with_one_sentence(error: type[Exception]) -> None:
    assert issubclass(error, RosenblattError)
    assert error.__name__.endswith("Error")
    sentence, *_ = (inspect.getdoc(error) or "").splitlines()
    assert sentence.endswith(".")


@pytest.mark.parametrize("warning", WARNINGS)
def test_a_warning_can_be_filtered_like_any_of_a_user(warning: type[Warning]) -> None:
    assert issubclass(warning, UserWarning)
    assert not issubclass(warning, RosenblattError)


@pytest.mark.parametrize(
    ("error", "builtins"),
    [
        (ParameterError, [ValueError]),
        (DataError, [ValueError]),
        (ExpressionError, [ValueError]),
        (ModelError, [ValueError]),
        (LearningOverflowError, [OverflowError, ValueError]),
        (LearningElsewhereError, [RuntimeError]),
    ],
)
def test_code_written_for_scikit_learn_can_catch_them(error: type[Exception], builtins: list[type[Exception]]) -> None:
    for builtin in builtins:
        with pytest.raises(builtin, match="what and where"):
            raise error("what and where")


def test_all_is_what_is_defined_and_the_docstring_draws_it() -> None:
    defined = [
        name for name, value in vars(errors).items() if inspect.isclass(value) and value.__module__ == errors.__name__
    ]
    assert sorted(errors.__all__) == sorted([*defined, "option"])
    docstring = inspect.getdoc(errors)
    assert docstring is not None
    assert all(name in docstring for name in defined)


def test_whoever_catches_an_error_spells_its_parameters() -> None:
    error = DataError(
        f"row 3: use {option('on_bad_row', 'skip')}, {option('scale', True)} or {option('label')}", line=3
    )
    assert str(error) == "row 3: use on_bad_row='skip', scale=True or label"
    assert error.spelled(lambda name, value: f"--{name}:{value}") == (
        "row 3: use --on_bad_row:skip, --scale:True or --label:None"
    )
    assert error.options == ("on_bad_row", "scale", "label")
    assert (error.file, error.line, error.column) == (None, 3, None)
