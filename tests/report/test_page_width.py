"""Report pages on a phone: nothing scrolls sideways but a wide table in its own box."""

from pathlib import Path

import pytest

from rosenblatt.cli import main
from tests.studio.chromium import MISSING, PROGRAM, Chromium

if PROGRAM is None:
    pytest.skip(MISSING, allow_module_level=True)


def test_a_report_fits_a_phone(page: Chromium, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = tmp_path / ("a" * 60 + ".csv")
    data.write_text("weight,size,kind\n" + "".join(f"{k},{k % 5},{'ab'[k % 2]}\n" for k in range(40)))
    model, reports = str(tmp_path / "m.model"), [tmp_path / "fit.html", tmp_path / "evaluate.html"]
    assert main(["fit", str(data), "-o", model, "--report", str(reports[0])]) == 0
    assert main(["evaluate", model, str(data), "--report", str(reports[1])]) == 0
    capsys.readouterr()
    page.page.set_viewport_size({"width": 390, "height": 844})
    for report in reports:
        page.page.goto(f"file://{report}")
        assert page.value("document.documentElement.scrollWidth") == 390, report.name
