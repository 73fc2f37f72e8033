"""A headless Chromium for the tests of the page: the machine's own, driven by Playwright; none is downloaded."""

import shutil
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from types import TracebackType
from typing import Any

from rosenblatt.studio.access import LOOPBACK, new_token
from rosenblatt.studio.server import listen
from tests import child

try:
    from playwright.sync_api import Page, sync_playwright
except ImportError:  # where it cannot be installed the tests are skipped
    Page, sync_playwright = Any, None

NAMES = ("chromium", "chromium-browser", "google-chrome")
PROGRAM = next(filter(None, map(shutil.which, NAMES)), None) if sync_playwright else None
MISSING = "there is no Chromium on this machine" if sync_playwright else "Playwright for Python is not installed"
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
SERVE = (
    "import socket, sys; from rosenblatt.studio import server;"
    "server.serve(socket.socket(fileno=int(sys.argv[1])), sys.argv[2])"
)


@contextmanager
def studio() -> Iterator[str]:
    """The studio in its own process; yields its address."""
    listener, token = listen(), new_token()
    command = [sys.executable, "-c", SERVE, str(listener.fileno()), token]
    with child.start(command, pass_fds=[listener.fileno()]) as server:
        try:
            yield f"http://{LOOPBACK}:{listener.getsockname()[1]}/{token}/"
        finally:
            server.terminate()
            listener.close()


class Chromium:
    """One page of one browser; `console` collects its errors and warnings, `page` is Playwright's."""

    def __init__(self, width: int = 1280, height: int = 900) -> None:
        self.console, self.n_opened = list[str](), 0
        self.requests_under_way = set[Any]()
        with ExitStack() as stack:  # a driver that is not stopped makes every later test of this process fail
            self.driver = sync_playwright().start()
            stack.callback(self.driver.stop)
            self.browser = self.driver.chromium.launch(executable_path=PROGRAM, args=FLAGS)
            stack.callback(self.browser.close)
            self.page: Page = self.browser.new_page(viewport={"width": width, "height": height})
            self._listen()
            self._close = stack.pop_all().close

    def _listen(self) -> None:
        self.page.set_default_timeout(60_000)  # a machine that compiles beside it may be slow
        self.page.on("console", self._on_console)
        self.page.on("pageerror", lambda error: self.console.append(str(error)))
        self.page.on("request", lambda request: self.requests_under_way.add(request))
        self.page.on("requestfinished", lambda request: self.requests_under_way.discard(request))
        self.page.on("requestfailed", lambda request: self.requests_under_way.discard(request))

    def _on_console(self, message: Any) -> None:
        if message.type in ("error", "warning"):
            self.console.append(f"{message.text} {message.location.get('url', '')}")

    def __enter__(self) -> "Chromium":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._close()

    def open(self, address: str) -> None:
        self.n_opened += 1
        self.requests_under_way.clear()
        place, mark, fragment = address.partition("#")
        # Another query, because a new fragment alone loads nothing; the files of the page stay in the browser's cache.
        self.page.goto(f"{place.partition('?')[0]}?{self.n_opened}{mark}{fragment}")
        self.page.locator("html[data-ready=yes]").wait_for(state="attached")

    def value(self, expression: str) -> Any:
        """The value of a JavaScript expression; a promise is awaited."""
        return self.page.evaluate(expression)

    def until(self, expression: str, seconds: float = 15.0) -> Any:
        """Wait until an expression is true. (Polled from here, because the page forbids eval.)"""
        for _ in range(int(seconds / 0.03)):
            if value := self.value(expression):
                return value
            self.page.wait_for_timeout(30)
        raise TimeoutError(f"{expression} did not become true; the console has {self.console}")

    def click(self, x: float, y: float, to: tuple[float, float] | None = None) -> None:
        """Press the mouse at a place of the window and release it there, or elsewhere: a drag."""
        self.page.mouse.move(x, y)
        self.page.mouse.down()
        if to is not None:
            self.page.mouse.move(*to)
        self.page.mouse.up()

    def press(self, key: str, text: str = "") -> None:
        self.page.keyboard.press(key)

    def roles(self) -> list[tuple[str, str]]:
        """Role and name of everything in the accessibility tree."""
        nodes = self.page.context.new_cdp_session(self.page).send("Accessibility.getFullAXTree")["nodes"]
        shown = [node for node in nodes if not node.get("ignored")]
        return [(node["role"]["value"], node.get("name", {}).get("value", "")) for node in shown]
