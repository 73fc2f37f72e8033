"""What a plain `pip install rosenblatt` can do: fit, predict, evaluate, explain; all else says what to install.

The interpreter sees only what rosenblatt requires, and what that requires. ROSENBLATT_BARE_PYTHON names another one to
test, such as one that a wheel was installed for.
"""

import os
import subprocess
import sys
import tomllib
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from rosenblatt import extras, native
from tests import child

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]
FOR_DEVELOPERS = {"all", "bench", "docs", "test", "wheels"}
LIMIT = 600 if "ROSENBLATT_BARE_PYTHON" in os.environ else 60  # seconds of a command; another Python may be emulated


def required(requirements: list[str], known: dict[str, metadata.Distribution]) -> dict[str, metadata.Distribution]:
    """The installed packages that these requirements need, by name, with those that they need in turn."""
    for requirement in map(Requirement, requirements):
        needed = requirement.marker is None or requirement.marker.evaluate({"extra": ""})
        if needed and requirement.name not in known:
            known[requirement.name] = metadata.distribution(requirement.name)
            required(known[requirement.name].requires or [], known)
    return known


def link_packages(site: Path, requirements: list[str]) -> None:
    """Fill a folder with links to rosenblatt and to what an install with these requirements would bring."""
    for package in required(requirements, {}).values():
        tops = {file.parts[0] for file in package.files or []} - {"..", "__pycache__"}
        for top in tops:
            place = Path(str(package.locate_file(top))).resolve()
            if not (site / top).exists():  # a folder may be shared by several packages
                (site / top).symlink_to(place)
    package, source = site / "rosenblatt", ROOT / "src" / "rosenblatt"
    (package / "native").mkdir(parents=True)
    for entry in source.iterdir():
        if entry.name not in ("native", "__pycache__"):
            (package / entry.name).symlink_to(entry)
    binary = Path(str(native._native.__file__))
    for entry in [*(source / "native").glob("*.py"), binary]:
        (package / "native" / entry.name).symlink_to(entry)


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[str], dict[str, str]]:
    """The command of a Python with a plain install, and the environment to run it in."""
    environment = {name: text for name, text in os.environ.items() if not name.startswith(("PYTHON", "COVERAGE"))}
    if "ROSENBLATT_BARE_PYTHON" in environment:
        return [environment["ROSENBLATT_BARE_PYTHON"], "-W", "error"], environment
    site = tmp_path_factory.mktemp("site")
    link_packages(site, PROJECT["dependencies"])
    return [sys.executable, "-S", "-W", "error"], environment | {"PYTHONPATH": str(site)}


@pytest.fixture
def run(bare: tuple[list[str], dict[str, str]], tmp_path: Path) -> "Runner":
    return Runner(*bare, tmp_path)


class Runner:
    """Runs programs by the bare Python, in a folder with a table, a file of text and one of svmlight."""

    def __init__(self, python: list[str], environment: dict[str, str], folder: Path) -> None:
        self.python, self.environment, self.folder = python, environment, folder
        rows = [(i % 7, i * 5 % 11, "red" if i % 3 else "blue", int(i % 7 > 3)) for i in range(80)]
        lines = [f"{a},{b},{colour},{label}\n" for a, b, colour, label in rows]
        (folder / "table.csv").write_text("a,b,colour,label\n" + "".join(lines))
        (folder / "rows.svm").write_text("".join(f"{label} 1:{a} 2:{b}\n" for a, b, _, label in rows))
        (folder / "numbers.csv").write_text("a,b,label\n" + "".join(f"{a},{b},{x}\n" for a, b, _, x in rows))
        mail = "".join(f"{'spam' if x else 'ham'}\t{'free money' if x else 'see you'} {a}\n" for a, _, _, x in rows)
        (folder / "mail.tsv").write_text(mail)

    def __call__(self, *arguments: str) -> "subprocess.CompletedProcess[str]":
        command = [*self.python, *arguments]
        return child.run(command, cwd=self.folder, env=self.environment, capture_output=True, text=True, timeout=LIMIT)

    def command(self, *words: str) -> str:
        """What a command prints; it must succeed."""
        result = self("-m", "rosenblatt", *words)
        assert result.returncode == 0, result.stderr
        return result.stdout


def test_nothing_else_can_be_imported(run: Runner) -> None:
    modules = {module for extra in extras.EXTRAS.values() for module in extra.packages}
    program = f"from importlib.util import find_spec; print([m for m in {sorted(modules)} if find_spec(m)])"
    assert run("-c", program).stdout == "[]\n"


@pytest.mark.parametrize("data", ["table.csv", "rows.svm", "mail.tsv"])
def test_the_daily_work_needs_no_extra(run: Runner, data: str) -> None:
    assert "saved     m.model" in run.command("fit", data, "-o", "m.model", "--report", "fit.html")
    assert len(run.command("predict", "m.model", data).splitlines()) == 80
    assert len(run.command("predict", "m.model", data, "--proba").splitlines()) == 81
    assert "accuracy" in run.command("evaluate", "m.model", data, "--report", "test.html")
    assert "score" in run.command("explain", "m.model", data, "--row", "2")
    assert (run.folder / "fit.html").stat().st_size > 1000
    assert "weights" in run.command("export", "m.model", "-o", "-", "--to", "json")


def test_a_trace_and_its_page_need_no_extra(run: Runner) -> None:
    run.command("trace", "rows.svm", "--passes", "2", "--animate", "run.html")
    assert (run.folder / "run.html").stat().st_size > 1000


def test_the_demo_runs_and_says_what_a_proof_needs(run: Runner) -> None:
    words = " ".join(run.command("demo").split())
    assert "proof A proof that the mail is separable needs scipy and python-flint, which are not installed" in words
    assert "report rosenblatt-demo/report.html" in words


@pytest.mark.parametrize(
    ("words", "extra"),
    [
        (["certify", "rows.svm"], "certify"),
        (["compare", "rows.svm"], "sklearn"),
        (["trace", "rows.svm", "--plot", "run.png"], "figures"),
        (["trace", "rows.svm", "--animate", "run.gif"], "figures"),
        (["studio", "--no-browser"], "studio"),
        (["serve", "--no-browser"], "serve"),
        (["export", "m.model", "-o", "m.onnx"], "onnx"),
    ],
    ids=["certify", "compare", "plot", "animate", "studio", "serve", "export"],
)
def test_a_command_that_misses_an_extra_says_so(run: Runner, words: list[str], extra: str) -> None:
    run.command("fit", "rows.svm", "-o", "m.model")
    result = run("-m", "rosenblatt", *words)
    last = result.stderr.splitlines()[-1]
    assert result.returncode == 2
    assert last.startswith("rosenblatt: ")
    assert last.endswith(f'not installed: pip install "rosenblatt[{extra}]"')
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize(
    ("line", "extra"),
    [
        ("from rosenblatt import Perceptron", "sklearn"),
        ("rosenblatt.load('m.model')", "sklearn"),
        ("rosenblatt.compare", "sklearn"),
        ("rosenblatt.read('rows.svm')", "sklearn"),
        ("next(rosenblatt.stream('rows.svm'))", "sklearn"),
        ("rosenblatt.certify", "certify"),
        ("from rosenblatt import error_bracket", "certify"),
        ("rosenblatt.figures.plot_losses()", "figures"),
    ],
)
def test_a_name_that_misses_an_extra_says_so(run: Runner, line: str, extra: str) -> None:
    program = f"import rosenblatt\ntry:\n  {line}\nexcept ImportError as error:\n  print(type(error).__name__, error)"
    out = run("-c", program)
    assert out.stdout.startswith("MissingExtraError "), out.stderr
    assert out.stdout.endswith(f'not installed: pip install "rosenblatt[{extra}]"\n')


@pytest.mark.parametrize(
    "line",
    [
        "X, y = rosenblatt.read('numbers.csv'); assert X.shape == (80, 2)",
        "fitted = rosenblatt.fit_file('table.csv'); assert fitted.rows == 80",
        "learner = rosenblatt.Learner(); learner.learn([1.0, 0.5], 1); learner.predict([1.0, 0.5])",
        "assert rosenblatt.losses and rosenblatt.errors and rosenblatt.logic",
        "rosenblatt.load_certificate",
    ],
)
def test_python_without_extras(run: Runner, line: str) -> None:
    result = run("-c", f"import rosenblatt\n{line}")
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize("data", ["rows.svm", "mail.tsv"])
def test_rows_of_svmlight_and_text_need_no_pyarrow(run: Runner, data: str) -> None:
    """Nothing of it is promised, since pyarrow is required; but it is not loaded where it is not needed."""
    program = """
import sys
from rosenblatt.cli import main
sys.modules["pyarrow"] = None
for words in ["fit {0} -o m.model", "predict m.model {0}", "evaluate m.model {0}", "explain m.model"]:
    assert main(words.format(sys.argv[1]).split()) == 0, words
"""
    result = run("-c", program, data)
    assert result.returncode == 0, result.stderr


# -- with one extra --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("extra", "lines"),
    [
        ("certify", ["certify rows.svm --save p.json", "certify rows.svm --check p.json"]),
        ("figures", ["trace rows.svm --passes 2 --plot p.png --animate p.gif"]),
        ("sklearn", ["compare rows.svm --json"]),
        ("onnx", ["fit rows.svm -o m.model", "export m.model -o m.onnx --json"]),
        (
            "all",
            [
                "certify rows.svm --plot p.png",
                "compare rows.svm --json",
                "trace rows.svm --passes 2 --plot p.png --animate p.gif",
                "fit table.csv -o m.model --report fit.html",
                "export m.model -o m.onnx --json",
                "studio --help",
                "serve --help",
            ],
        ),
    ],
)
def test_one_extra_is_enough_for_its_work(extra: str, lines: list[str], tmp_path: Path) -> None:
    site = tmp_path / "site"
    site.mkdir()
    link_packages(site, PROJECT["dependencies"] + sorted(flat(extra)))
    run = Runner([sys.executable, "-S"], dict(os.environ) | {"PYTHONPATH": str(site)}, tmp_path)
    for line in lines:
        assert run.command(*line.split()) != ""


# -- the table of extras and pyproject.toml say the same -------------------------------------------------------------


def flat(extra: str) -> set[str]:
    """The packages of an extra in pyproject.toml, with those of the extras that it names."""
    packages: set[str] = set()
    for requirement in map(Requirement, EXTRAS[extra]):
        packages |= (
            set().union(*map(flat, requirement.extras)) if requirement.name == "rosenblatt" else {requirement.name}
        )
    return packages


def test_every_extra_has_its_sentence() -> None:
    assert set(extras.EXTRAS) == set(EXTRAS) - FOR_DEVELOPERS


@pytest.mark.parametrize("extra", extras.EXTRAS)
def test_an_extra_brings_what_is_required_of_it(extra: str) -> None:
    assert set(extras.EXTRAS[extra].packages.values()) == flat(extra)


def test_all_brings_every_extra_but_the_engines() -> None:
    """An engine comes with the cluster that it belongs to, in the version of that cluster; Spark alone has 450 MB."""
    engines = {"dask", "ray", "spark"}
    assert flat("all") == set().union(*map(flat, set(extras.EXTRAS) - engines))
    assert flat("all").isdisjoint(set().union(*map(flat, engines)))


def test_only_one_file_knows_how_to_install_an_extra() -> None:
    package = ROOT / "src" / "rosenblatt"
    naming = [path.name for path in package.rglob("*.py") if "pip install" in path.read_text(encoding="utf-8")]
    assert sorted(naming) == ["errors.py", "extras.py"]
