"""The parameters of `studio`: where its page is, and whether it is opened."""

from collections.abc import Mapping
from typing import Any

from rosenblatt.options.option import Option, table

port: Option[int] = Option(
    name="port",
    default=0,
    kind="int",
    low=0,
    below=65536,
    help="The port of this machine to listen on; 0 is any that is free.",
)
browser: Option[bool] = Option(
    name="browser", default=True, kind="bool", help="Open the page in the browser, or only print its address."
)

STUDIO: Mapping[str, Option[Any]] = table([port, browser])
