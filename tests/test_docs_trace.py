"""What docs/trace.md and docs/figures.md say is run, in order, and the pictures they show are drawn by it."""

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[1] / "docs"


@pytest.mark.parametrize("name", ["trace.md", "figures.md"])
def test_the_examples_run(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (DOCS / name).read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)
    assert len(blocks) >= 5
    (tmp_path / "pictures").mkdir()
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, name, "exec"), names)
    for picture in re.findall(r"!\[.+?\]\((.+?)\)", text):
        assert (DOCS / picture).exists()
        assert (tmp_path / picture).exists()
