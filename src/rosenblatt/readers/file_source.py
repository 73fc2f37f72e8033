"""What the sources of all formats share: an input file, its labels, and what happens to bad rows."""

from rosenblatt.errors import DataError
from rosenblatt.readers.input_file import InputFile
from rosenblatt.readers.labels import Labels
from rosenblatt.readers.source import BadRow, ReadOptions, Source
from rosenblatt.records import FeatureSpace


class FileSource(Source):
    """A source that reads one file; with the `space` of a model, the examples are read into that space."""

    bad_rows_shown = 10

    def __init__(self, file: InputFile, reading: ReadOptions, model_space: FeatureSpace | None) -> None:
        assert reading.format is not None
        self.file, self.reading, self.model_space = file, reading, model_space
        self.name, self.size, self.rewindable = file.name, file.size, file.rewindable
        self.format = reading.format
        self.numbering = Labels(self.name, reading.classes)
        self.labels = self.numbering.labels
        self.forget_bad_rows()

    def forget_bad_rows(self) -> None:
        self.skipped = 0
        self.bad_rows: list[BadRow] = []

    def skip_or_raise(self, row: int, what: str, error: DataError) -> None:
        """Count a bad row, and remember what is wrong with it; raise the error unless bad rows are to be skipped."""
        if self.reading.on_bad_row == "fail":
            raise error
        self.skipped += 1
        if len(self.bad_rows) < self.bad_rows_shown:
            self.bad_rows.append(BadRow(row, what))
