"""The files that only a public host reads: they cannot be run here, so each is checked against its schema, offline."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from rosenblatt import __version__
from tests import child

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
FORMS = [path for path in sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml")) if path.name != "config.yml"]
SCHEMAS = [
    *(
        (path, schema)
        for path in WORKFLOWS
        for schema in ("vendor.github-workflows", "custom.github-workflows-require-timeout")
    ),
    *((path, "vendor.github-issue-forms") for path in FORMS),
    (ROOT / ".github" / "ISSUE_TEMPLATE" / "config.yml", "vendor.github-issue-config"),
    (ROOT / ".github" / "dependabot.yml", "vendor.dependabot"),
    (ROOT / "CITATION.cff", "vendor.citation-file-format"),
]


def check(path: Path, schema: str) -> "subprocess.CompletedProcess[str]":
    words = ["--builtin-schema", schema, "--default-filetype", "yaml", str(path)]
    return child.run([sys.executable, "-m", "check_jsonschema", *words], capture_output=True, text=True, timeout=60)


def loaded(path: Path) -> Any:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def project() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize(("path", "schema"), SCHEMAS, ids=lambda value: getattr(value, "name", value))
def test_a_file_is_as_its_schema_asks(path: Path, schema: str) -> None:
    result = check(path, schema)
    assert result.returncode == 0, result.stdout + result.stderr


def test_a_mistake_in_a_workflow_is_noticed(tmp_path: Path) -> None:
    broken = tmp_path / "ci.yml"
    broken.write_text(WORKFLOWS[0].read_text(encoding="utf-8").replace("runs-on:", "run-on:"), encoding="utf-8")
    assert check(broken, "vendor.github-workflows").returncode == 1


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_a_workflow_makes_what_can_be_made(path: Path) -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.MULTILINE))
    assert set(re.findall(r"\bmake ([a-z]+)", path.read_text(encoding="utf-8"))) <= targets


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_a_workflow_may_write_only_where_a_job_says_so(path: Path) -> None:
    assert loaded(path)["permissions"] == {"contents": "read"}


def test_ci_tests_every_python_that_is_supported() -> None:
    versions = loaded(ROOT / ".github" / "workflows" / "ci.yml")["jobs"]["test"]["strategy"]["matrix"]["python"]
    assert versions[0] == project()["project"]["requires-python"].removeprefix(">=")
    minors = [int(version.removeprefix("3.")) for version in versions]
    assert minors == list(range(minors[0], 15))


def test_pre_commit_runs_what_make_check_runs() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    hooks = [hook for repo in loaded(ROOT / ".pre-commit-config.yaml")["repos"] for hook in repo["hooks"]]
    assert len(hooks) == 3
    for hook in hooks:
        assert hook["language"] == "system"
        assert "$(py)" + hook["entry"].removeprefix(".venv/bin/python") in makefile


def test_one_version_is_cited() -> None:
    assert loaded(ROOT / "CITATION.cff")["version"] == __version__
