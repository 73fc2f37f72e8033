"""How words are hashed: chosen once and stored with the model, so that new text is read as the model's text was."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rosenblatt import native, options
from rosenblatt.errors import DataError
from rosenblatt.readers.source import ReadOptions
from rosenblatt.records import FeatureSpace

_FIRST_SPLITTING = 1


@dataclass(frozen=True)
class HashingSettings:
    bits: int
    ngrams: int
    value: str
    unit: bool
    chars: tuple[int, int] | None  # the shortest and the longest character n-grams
    splitting: int  # how text is split into words; cpp/words/lower_case_words.hpp

    @property
    def for_model(self) -> Mapping[str, Any]:
        """What a model stores besides bits and n-grams, which its space already has."""
        chars = {} if self.chars is None else {"chars": list(self.chars)}
        settings = {"value": self.value, "unit": self.unit, "unicode": native.unicode_version(), **chars}
        return settings if self.splitting == _FIRST_SPLITTING else settings | {"splitting": self.splitting}


def hashing_settings(reading: ReadOptions, space: FeatureSpace | None) -> HashingSettings:
    """The settings of the model, where there is one, otherwise those of the user or the defaults."""
    if space is None:
        for name in ("bits", "ngrams", "chars", "value", "unit"):
            options.READ[name].check(getattr(reading, name), "read")
        return HashingSettings(
            options.TEXT_BITS if reading.bits is None else reading.bits,
            options.TEXT_NGRAMS if reading.ngrams is None else reading.ngrams,
            reading.value,
            reading.unit,
            options.range_of(reading.chars),
            native.latest_splitting(),
        )
    if not space.bits or "value" not in space.settings:
        raise DataError("This model was not learned from text: read the examples in the format it was learned from.")
    settings = space.settings
    chars, splitting = options.range_of(settings.get("chars")), splitting_of(space)
    return HashingSettings(space.bits, space.ngrams, settings["value"], settings["unit"], chars, splitting)


def splitting_of(space: FeatureSpace) -> int:
    """How the model splits text into words, which never changes for a model. The first models do not store it."""
    return int(space.settings.get("splitting", _FIRST_SPLITTING))


def hashed_column(name: str, bits: int, first: int) -> int:
    """The column of a word or product beside texts; `first` is that of hash 0."""
    return (native.hash_name(name.encode(), 0) >> (64 - bits)) + first


def native_hashing(settings: HashingSettings, first: int = 0) -> native.Hashing:
    """The native hasher; `first` is the column of hash 0."""
    return native.Hashing(
        bits=settings.bits,
        ngrams=settings.ngrams,
        value=settings.value,
        unit=settings.unit,
        first=first,
        chars=settings.chars,
        splitting=settings.splitting,
    )
