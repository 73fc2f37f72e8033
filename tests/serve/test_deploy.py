"""The Dockerfile and the systemd unit say what the program takes, as far as this machine can tell."""

from __future__ import annotations

import configparser
import json
import re
import shutil
from pathlib import Path

import click
import pytest

from rosenblatt.cli.app import load_command
from tests import child

DEPLOY = Path(__file__).parents[2] / "deploy"


def check_command(words: list[str]) -> None:
    """The words after the program are a command line of `rosenblatt serve`."""
    assert words[0].endswith("/rosenblatt")
    assert words[1] == "serve"
    load_command("serve").make_context("serve", words[2:], resilient_parsing=False)


def test_the_unit_starts_what_there_is() -> None:
    unit = configparser.ConfigParser(interpolation=None)
    unit.optionxform = str  # type: ignore[assignment,method-assign]
    unit.read(DEPLOY / "rosenblatt.service")
    service = unit["Service"]
    words = service["ExecStart"].split()
    check_command(words)
    assert words[words.index("--data") + 1] == f"/var/lib/{service['StateDirectory']}"
    assert int(service["TimeoutStopSec"]) > 10  # it may take that long to finish what is queued


def test_systemd_accepts_the_unit(tmp_path: Path) -> None:
    if shutil.which("systemd-analyze") is None:
        pytest.skip("systemd-analyze is not installed")
    text = (DEPLOY / "rosenblatt.service").read_text().replace("/opt/rosenblatt/bin/rosenblatt", "/bin/true")
    (tmp_path / "rosenblatt.service").write_text(text)
    command = ["systemd-analyze", "verify", str(tmp_path / "rosenblatt.service")]
    checked = child.run(command, capture_output=True, text=True)
    assert checked.returncode == 0, checked.stderr


def test_the_container_starts_what_there_is() -> None:
    text = (DEPLOY / "Dockerfile").read_text()
    lists = {name: json.loads(words) for name, words in re.findall(r"^(ENTRYPOINT|CMD) (\[.*\])$", text, re.MULTILINE)}
    words = lists["ENTRYPOINT"] + lists["CMD"]
    check_command(words)
    assert words[words.index("--data") + 1] == re.search(r"^VOLUME (\S+)$", text, re.MULTILINE)[1]  # type: ignore[index]
    port = next(one for one in load_command("serve").params if one.name == "port").default
    assert f"EXPOSE {port}\n" in text
    assert "STOPSIGNAL SIGTERM" in text
    with pytest.raises(click.UsageError):
        check_command([*words, "--no-such-option"])


def test_the_container_is_built_of_what_the_package_needs() -> None:
    """Nothing but that is copied: no environment, no build of this machine, no history."""
    root = DEPLOY.parent
    wanted = {line[1:] for line in (DEPLOY / "Dockerfile.dockerignore").read_text().splitlines() if line[:1] == "!"}
    assert all((root / name).exists() for name in wanted)
    pyproject = (root / "pyproject.toml").read_text()
    assert {"README.md", "LICENSE", "src", "cpp", "CMakeLists.txt", "pyproject.toml"} == wanted
    assert 'readme = "README.md"' in pyproject
