"""Snapshots of one model: plain model files, named by their version. A model file is written whole or not at all."""

from __future__ import annotations

import os
from contextlib import suppress

from rosenblatt.errors import ModelError
from rosenblatt.model.kinds.linear import LinearModel
from rosenblatt.model.model_file import load_linear_model, save_model

_SUFFIX = ".model"
MOST = 24  # snapshots of one model


class Snapshots:
    def __init__(self, folder: str) -> None:
        self.folder = folder
        os.makedirs(folder, exist_ok=True)

    def path(self, version: int) -> str:
        return os.path.join(self.folder, f"{version:016d}{_SUFFIX}")

    @property
    def versions(self) -> list[int]:
        """In ascending order."""
        names = (entry.removesuffix(_SUFFIX) for entry in os.listdir(self.folder) if entry.endswith(_SUFFIX))
        return sorted(int(name) for name in names if name.isdecimal())

    def save(self, model: LinearModel, version: int) -> str:
        path = self.path(version)
        save_model(model, path)
        return path

    def load(self, version: int) -> LinearModel:
        return load_linear_model(self.path(version), "served")

    def newest(self, at_most: int | None = None) -> tuple[LinearModel | None, list[str]]:
        """The newest undamaged snapshot up to version `at_most`, and a sentence for each damaged one on the way."""
        damaged: list[str] = []
        for version in reversed(self.versions):
            if at_most is not None and version > at_most:
                continue
            try:
                return self.load(version), damaged
            except ModelError as error:
                damaged.append(str(error))
        return None, damaged

    def remove(self, version: int) -> None:
        with suppress(FileNotFoundError):
            os.unlink(self.path(version))

    def remove_unfinished(self) -> None:
        """Remove what a process left behind that was killed while it wrote a snapshot."""
        for entry in os.listdir(self.folder):
            if entry.startswith(".") and entry.endswith(".part"):
                with suppress(FileNotFoundError):
                    os.unlink(os.path.join(self.folder, entry))

    def thin(self) -> None:
        """If there are too many, remove every second one, but not the first nor the newest few."""
        versions = self.versions
        if len(versions) > MOST:
            for version in versions[1:-4:2]:
                self.remove(version)
