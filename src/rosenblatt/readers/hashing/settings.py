"""How words are hashed: chosen once and stored with the model, so that new text is read as the model's text was."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rosenblatt import native, options
from rosenblatt.errors import DataError
from rosenblatt.readers.source import ReadOptions
from rosenblatt.records import FeatureSpace


@dataclass(frozen=True)
class HashingSettings:
    bits: int
    ngrams: int
    value: str
    unit: bool

    @property
    def for_model(self) -> Mapping[str, Any]:
        """What a model stores besides bits and n-grams, which its space already has."""
        return {"value": self.value, "unit": self.unit, "unicode": native.unicode_version()}


def hashing_settings(reading: ReadOptions, space: FeatureSpace | None) -> HashingSettings:
    """The settings of the model, where there is one, otherwise those of the user or the defaults."""
    if space is None:
        for name in ("bits", "ngrams", "value", "unit"):
            options.READ[name].check(getattr(reading, name), "read")
        return HashingSettings(
            options.TEXT_BITS if reading.bits is None else reading.bits,
            options.TEXT_NGRAMS if reading.ngrams is None else reading.ngrams,
            reading.value,
            reading.unit,
        )
    if not space.bits or "value" not in space.settings:
        raise DataError("This model was not learned from text: read the examples in the format it was learned from.")
    return HashingSettings(space.bits, space.ngrams, space.settings["value"], space.settings["unit"])


def native_hashing(settings: HashingSettings, first: int = 0) -> native.Hashing:
    """The native hasher; `first` is the column of hash 0."""
    return native.Hashing(
        bits=settings.bits, ngrams=settings.ngrams, value=settings.value, unit=settings.unit, first=first
    )
