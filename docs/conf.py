"""The site: `make docs` builds it from these pages, the docstrings, and the programs in learn/ and gallery/."""

import re
import shutil
import tomllib
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure
from sphinx.application import Sphinx
from sphinx_gallery.scrapers import figure_rst
from sphinx_gallery.sorting import FileNameSortKey

import rosenblatt

DOCS = Path(__file__).parent

project = "Rosenblatt"
author = copyright = "The Rosenblatt developers"
version = release = rosenblatt.__version__

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_gallery.gen_gallery",
    "sphinx_copybutton",
]
copybutton_prompt_text = r">>> |\.\.\. |\$ |> "  # a copy has the commands alone, not what they print
copybutton_prompt_is_regexp = True
root_doc = "README"
exclude_patterns = ["learn", "gallery", "_build"]
myst_heading_anchors = 4
suppress_warnings = ["config.cache"]

autosummary_generate = True
autodoc_default_options = {"member-order": "bysource"}
autodoc_typehints = "none"  # the signatures have them
numpydoc_show_class_members = False
templates_path = ["templates"]

html_theme = "pydata_sphinx_theme"
html_title = "Rosenblatt"
html_static_path = ["static"]
html_favicon = "static/icon.svg"
html_copy_source = False
html_context = {"default_mode": "auto"}  # light or dark as the reader's system
html_js_files = ["accessible-names.js", "long-lines.js", "search-by-words.js"]
html_css_files = ["layout.css"]
html_theme_options = {
    "logo": {"text": "Rosenblatt"},
    "show_toc_level": 2,
    "navigation_with_keys": False,
    "header_links_before_dropdown": 8,
    "footer_start": ["copyright"],
    "footer_end": ["theme-version"],
    "secondary_sidebar_items": ["page-toc"],
}

SECTIONS = ("start", "do", "reference", "explain", "benchmarks")  # pages whose tables say what belongs to them


def hang_in(app: Sphinx, name: str, content: list[str]) -> None:
    """Add to a page the hidden list of the pages below it: what the links in its table name, in their order."""
    for folder in ("learn", "gallery"):  # on the site a folder of programs is the page that shows them
        content[0] = re.sub(rf"\]\(((?:\.\./)?){folder}/\)", rf"](\1_{folder}/index.rst)", content[0])
    if name in (root_doc, *SECTIONS):
        content[0] += "\n\n```{toctree}\n:hidden:\n\n" + "\n".join(linked_pages(content[0])) + "\n```\n"


WORDS = tomllib.loads((DOCS / "index-words.toml").read_text(encoding="utf-8"))["words"]


def add_words(app: Sphinx, name: str, content: list[str]) -> None:
    """Put the words of a page into the index, below its title."""
    if name in WORDS:
        title, _, rest = content[0].partition("\n")
        entries = "\n".join(f"```{{index}} ! single: {word}\n```" for word in WORDS[name])
        content[0] = f"{title}\n\n{entries}\n{rest}"


def add_front_door(app: Sphinx, error: Exception | None) -> None:
    """A server opens index.html; the first page is called README, as hosts of repositories ask for."""
    if error is None:
        shutil.copy(Path(app.outdir) / "README.html", Path(app.outdir) / "index.html")


def linked_pages(text: str) -> list[str]:
    """The pages that the rows of a page's tables name first, as `title <page>`."""
    links = re.findall(r"^\| \[([^]]+)\]\(([\w/-]+)\.(?:md|rst)\)", text, flags=re.MULTILINE)
    return [f"{title} <{page}>" for title, page in links]


def figures_drawn(block: Any, block_vars: dict[str, Any], gallery_conf: dict[str, Any]) -> str:
    """Save the figure that a block of a program left in the name `figure`; rosenblatt draws without pyplot."""
    figure = block_vars["example_globals"].pop("figure", None)
    if not isinstance(figure, Figure):
        return ""
    path = next(block_vars["image_path_iterator"])
    figure.savefig(path)
    return str(figure_rst([path], gallery_conf["src_dir"]))


ROOMS = ("regions", "runs", "proofs", "networks", "curves", "numbers", "comparisons")  # of the gallery, in this order

sphinx_gallery_conf = {
    "examples_dirs": ["learn", "gallery"],
    "gallery_dirs": ["_learn", "_gallery"],
    "filename_pattern": "/plot_",
    "subsection_order": [f"gallery/{room}" for room in ROOMS],
    "within_subsection_order": FileNameSortKey,
    "image_scrapers": (figures_drawn,),
    "capture_repr": (),  # what a program prints, not the value of its last line
    "reset_modules": (),
    "download_all_examples": False,
    "show_signature": False,
    "show_memory": False,
    "write_computation_times": False,
    "min_reported_time": 1e9,
    "abort_on_example_error": True,
    "remove_config_comments": True,
}


def leave_out_inherited(app: Sphinx, kind: str, name: str, member: Any, skip: bool, options: Any) -> bool | None:
    """What scikit-learn's base classes add is described there."""
    return True if str(getattr(member, "__module__", "")).startswith("sklearn") else None


def quote_plain_text(app: Sphinx, kind: str, name: str, member: Any, options: Any, lines: list[str]) -> None:
    """The help of an option is plain text: a word such as classes_, or |x - z|, is not markup there."""
    for number, line in enumerate(lines):
        if not line.lstrip().startswith((">>>", "...")):
            line = re.sub(r"(?<=\s)([a-z]+_)(?=[\s.,;]|$)", r"``\1``", line)
            lines[number] = re.sub(r"(?<![\\|])\|(?!\|)", r"\\|", line)


def setup(app: Sphinx) -> None:
    app.connect("autodoc-process-docstring", quote_plain_text, priority=900)  # after numpydoc
    app.connect("autodoc-skip-member", leave_out_inherited)
    app.connect("source-read", hang_in)
    app.connect("source-read", add_words)
    app.add_config_value("index_words", {"main": WORDS}, "env", dict)  # other words: all pages are read anew
    app.connect("build-finished", add_front_door)
