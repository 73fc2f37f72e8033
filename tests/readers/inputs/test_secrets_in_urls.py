"""A password or a token in a URL is shown nowhere: not in errors, not in what is printed, not in models."""

import pytest

from rosenblatt import read
from rosenblatt.errors import DataError
from rosenblatt.readers.inputs.expand_paths import name_of
from rosenblatt.readers.inputs.remote_file import without_secrets


@pytest.mark.parametrize(
    "url",
    [
        "s3://id:hush@bucket/a.csv",
        "s3://id:hu%2Fsh@bucket/a.csv?region=eu-1&secret_key=hush",
        "https://server/a.csv?X-Amz-Signature=hush&X-Amz-Expires=60",
        "https://user:hush@server/a.csv",
        "https://server/a.csv?sig=hush",
        "gs://bucket/a.csv?access_token=hush",
    ],
)
def test_no_secret_is_in_the_name_of_a_url(url: str) -> None:
    for name in (without_secrets(url), name_of(url), name_of([url, "b.csv"])):
        assert "hush" not in name
        assert "hu%2Fsh" not in name
        assert "a.csv" in name


@pytest.mark.parametrize("url", ["nothing://id:hush@bucket/a.csv", "https://user:hush@localhost/a.csv"])
def test_no_secret_is_in_an_error(url: str) -> None:
    with pytest.raises(DataError) as refused:
        read(url)
    assert "hush" not in str(refused.value)
    assert "hush" not in str(refused.value.file)


def test_what_is_no_secret_is_shown() -> None:
    url = "s3://anonymous@bucket/part-*.csv?region=eu-central-1"
    assert without_secrets(url) == url
