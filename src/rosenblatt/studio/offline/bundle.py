"""The files of the page in one: its style sheets, and its modules as one script, in the order of their imports.

The page is our own code, so a few regular forms suffice: an import or an export stands on a line of its own, and a
`const` that is exported has one name. A browser test opens the result.
"""

import posixpath
import re
from functools import cache

from rosenblatt.web.page_files import page_files

# Files that a saved page replaces: its answers come from the recording, and it has no lessons.
_REPLACED = {"server.js": "offline/server.js", "lessons/lessons.js": "offline/lessons.js"}
_IMPORT = re.compile(r'^import (?:\* as (\w+)|\{ ([^}]+) \}) from "([^"]+)";$', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:const|function|class) (\w+))", re.MULTILINE)
# Nothing is loaded and nothing is sent, wherever the file is opened.
_POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:"


@cache
def page_parts() -> tuple[str, str]:
    """The page before and after the place of its recording."""
    html = _text("index.html")
    head = f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n<style>\n{_text("palette.css")}'
    html = re.sub(r'<link rel="(icon|stylesheet)"[^>]*>\n', "", html)
    html = html.replace('<script type="module" src="main.js"></script>\n', f"{head}{_text('style.css')}</style>\n")
    before, end = html.split("</body>")
    script = bundle("main.js")
    assert "</script" not in script
    return f'{before}<script type="text/plain" id="recording">', f"</script>\n<script>\n{script}</script>\n</body>{end}"


def bundle(entry: str) -> str:
    """The module and all that it imports as one script."""
    written: dict[str, str] = {}

    def write(path: str) -> None:
        if path in written:
            return
        source = _text(_REPLACED.get(path, path))
        for _, _, imported in _IMPORT.findall(source):
            write(_resolved(imported, path))
        written[path] = _as_function(source, path)

    write(entry)
    return '"use strict";\nconst modules = {};\n' + "".join(written.values())


def _as_function(source: str, path: str) -> str:
    """The module as a function that returns what it exports."""

    def as_constant(match: re.Match[str]) -> str:
        everything, names, imported = match.groups()
        target = everything or "{ " + names.replace(" as ", ": ") + " }"
        return f'const {target} = modules["{_resolved(imported, path)}"];'

    exported = ", ".join(_EXPORT.findall(source))
    body = _EXPORT.sub("", _IMPORT.sub(as_constant, source))
    lines = [line.strip() for line in body.splitlines() if not line.strip().startswith("//")]
    return f'modules["{path}"] = (() => {{\n' + "\n".join(filter(None, lines)) + f"\nreturn {{ {exported} }};\n}})();\n"


def _resolved(imported: str, path: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(path), imported))


def _text(path: str) -> str:
    return page_files("rosenblatt.studio")[path][0].decode("utf-8")
