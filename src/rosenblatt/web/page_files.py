"""The files of a page, and its colours, which are those of the figures."""

from collections.abc import Mapping
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable

from rosenblatt.report.figures.common.style import DARK, LIGHT, PROJECTOR, Palette

_TYPES = {"html": "text/html", "css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}


@cache
def page_files(package: str) -> Mapping[str, tuple[bytes, str]]:
    """Content and media type of every file of a page, by its path below `page/`; nothing else is served."""
    files = _files_below(resources.files(package) / "page", "")
    return {**files, "palette.css": (palette_css().encode(), _TYPES["css"])}


def _files_below(folder: Traversable, prefix: str) -> dict[str, tuple[bytes, str]]:
    files: dict[str, tuple[bytes, str]] = {}
    for entry in folder.iterdir():
        if entry.is_dir():
            files |= _files_below(entry, f"{prefix}{entry.name}/")
        elif media_type := _TYPES.get(entry.name.rpartition(".")[2]):
            files[prefix + entry.name] = entry.read_bytes(), media_type
    return files


def palette_css() -> str:
    """The colours as CSS variables, for light, dark and the projector."""
    dark = _variables(DARK)
    return (
        f":root {{ color-scheme: light; {_variables(LIGHT)} }}\n"
        f"@media (prefers-color-scheme: dark) {{ :root:not([data-theme]) {{ color-scheme: dark; {dark} }} }}\n"
        f":root[data-theme=dark] {{ color-scheme: dark; {dark} }}\n"
        f":root[data-theme=projector] {{ color-scheme: light; {_variables(PROJECTOR)} }}\n"
    )


def _variables(palette: Palette) -> str:
    single = {name: getattr(palette, name) for name in ("paper", "ink", "muted", "grid", "accent", "alarm")}
    numbered = {f"class{k}": colour for k, colour in enumerate(palette.classes)}
    return " ".join(f"--{name}: {colour};" for name, colour in (single | numbered).items())
