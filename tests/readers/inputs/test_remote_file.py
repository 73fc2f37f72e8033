"""Files in an object store, from a local server that speaks S3; nothing leaves this machine."""

import gzip
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import fs, parquet

import rosenblatt
from rosenblatt.cli import main
from rosenblatt.errors import DataError
from tests.readers.inputs.test_joined_file import same_blocks

moto_server = pytest.importorskip("moto.server")
CSV = "x,city,label\n" + "".join(f"{i % 97},{'ab'[i % 2]},{'yes' if i % 97 > 40 else 'no'}\n" for i in range(2000))


@pytest.fixture(scope="module")
def bucket(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, fs.FileSystem]]:
    """The options of a URL of the store, and its file system, with some files in a bucket."""
    patch = pytest.MonkeyPatch()
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        patch.setenv(name, "test")
    patch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    server = moto_server.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    options = f"?scheme=http&endpoint_override={host}:{port}&allow_bucket_creation=true&region=us-east-1"
    system, _ = fs.FileSystem.from_uri(f"s3://bucket/{options}")
    system.create_dir("bucket")
    rows = CSV.splitlines(keepends=True)
    files = {
        "one.csv": CSV.encode(),
        "parts/p0.csv": "".join(rows[:700]).encode(),
        "parts/p1.csv.gz": gzip.compress("".join([rows[0], *rows[700:]]).encode()),
        "parts/_SUCCESS": b"",
    }
    for name, content in files.items():
        with system.open_output_stream(f"bucket/{name}", compression=None) as stream:
            stream.write(content)
    table = pa.table({"x": range(50), "label": ["a", "b"] * 25})
    for year in (2023, 2024):
        parquet.write_table(table, f"bucket/sales/year={year}/part.parquet", filesystem=system)
    yield options, system
    server.stop()
    patch.undo()


def test_files_in_a_store_are_read_as_on_the_disk(bucket: tuple[str, fs.FileSystem], tmp_path: Path) -> None:
    options, _ = bucket
    local = tmp_path / "one.csv"
    local.write_text(CSV)
    for inputs in ("one.csv", "parts", "parts/*.csv*"):
        same_blocks(local, f"s3://bucket/{inputs}{options}", decide=True)
    examples = rosenblatt.read(f"s3://bucket/sales{options}")
    assert examples.X[:, 1].tolist() == [2023] * 50 + [2024] * 50
    model = str(tmp_path / "m.model")
    assert main(["fit", f"s3://bucket/parts{options}", "-o", model, "-q"]) == 0
    assert main(["predict", model, f"s3://bucket/one.csv{options}", "-o", str(tmp_path / "out")]) == 0
    assert len((tmp_path / "out").read_text().splitlines()) == 2000


@pytest.mark.parametrize("name", ["none.csv", "none/*.csv"])
def test_what_is_not_there_is_one_sentence(
    name: str, bucket: tuple[str, fs.FileSystem], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["fit", f"s3://bucket/{name}{bucket[0]}", "-o", "m.model"]) == 3
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert "check the URL" in error


def test_a_store_without_access_is_one_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def denied(_: str) -> None:
        raise OSError("When reading information for key 'x':\nAWS Error ACCESS_DENIED during HeadObject operation.")

    monkeypatch.setattr("rosenblatt.readers.inputs.remote_file._file_system", denied)
    assert main(["fit", "s3://bucket/x", "-o", "m.model"]) == 3
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert error.startswith(
        "rosenblatt: s3://bucket/x: cannot be read: When reading information for key 'x': AWS Error"
    )


def test_unknown_schemes_are_one_sentence() -> None:
    with pytest.raises(DataError, match="ftp is not a file system that can be read"):
        rosenblatt.read("ftp://host/file.csv")
