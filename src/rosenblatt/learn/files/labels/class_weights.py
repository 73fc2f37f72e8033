"""The weights that examples get from their classes: as the user says, or so that every class counts the same."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rosenblatt import native
from rosenblatt.errors import DataError, option
from rosenblatt.learn.files.labels.labels_to_classes import UNKNOWN_LABEL, class_codes, named_classes, quoted
from rosenblatt.records import Label


def class_weights(
    class_weight: Mapping[Label, float] | str,
    classes: Sequence[Label],
    source_name: str,
    counts: Sequence[int] = (),
) -> Callable[[Any, Any], Any]:
    """A function that takes the classes of some examples and their weights, and returns the final weights.

    'balanced' counts the classes as their examples arrive, so the weights depend on the order of the file and on
    nothing else; `counts` are the examples of each class before this file.
    """
    if not isinstance(class_weight, str):
        fixed = weight_of_each(class_weight, classes, source_name)
        return lambda labels, weights: native.weigh_classes(labels, weights, fixed)
    so_far = [*counts, *[0] * (len(classes) - len(counts))]

    def balanced(labels: Any, weights: Any) -> Any:
        nonlocal so_far
        new_weights, so_far = native.balance_classes(labels, weights, so_far)
        return new_weights

    return balanced


def weight_of_each(
    class_weight: Mapping[Label, float] | str | None, classes: Sequence[Label], source_name: str
) -> list[float]:
    """The weight of each class, or of each label: 1 where none is given."""
    if class_weight is None or isinstance(class_weight, str):
        return [1.0] * len(classes)
    codes = class_codes(classes, list(class_weight))
    if UNKNOWN_LABEL in codes:
        label = list(class_weight)[codes.index(UNKNOWN_LABEL)]
        raise DataError(
            f"{source_name}: has no class {quoted(label)}, which {option('class_weight')} names: its classes are "
            f"{named_classes(classes)}.",
            file=source_name,
        )
    by_code = dict(zip(codes, map(float, class_weight.values()), strict=True))
    return [by_code.get(k, 1.0) for k in range(len(classes))]
