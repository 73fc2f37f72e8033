"""A headless Chromium driven over a pipe by its own protocol: what a browser test needs, and no more."""

import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

PROGRAM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)

# The protocol is spoken on descriptors 3 and 4: the pipes are put there first, out of each other's way.
_LAUNCH = (
    "import fcntl, os, sys; r, w = (fcntl.fcntl(int(fd), fcntl.F_DUPFD, 60) for fd in sys.argv[1:3]);"
    "os.dup2(r, 3); os.dup2(w, 4); os.execv(sys.argv[3], sys.argv[3:])"
)


class Chromium:
    """One page of one browser; `console` collects every complaint it writes."""

    def __init__(self, width: int = 1280, height: int = 900) -> None:
        assert PROGRAM is not None
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        ours_read, theirs_write = os.pipe()
        theirs_read, ours_write = os.pipe()
        flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--remote-debugging-pipe"]
        flags += [f"--user-data-dir={self.folder.name}", f"--window-size={width},{height}", "about:blank"]
        self.process = subprocess.Popen(
            [sys.executable, "-c", _LAUNCH, str(theirs_read), str(theirs_write), PROGRAM, *flags],
            pass_fds=(theirs_read, theirs_write),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(theirs_read)
        os.close(theirs_write)
        self.reader, self.writer = os.fdopen(ours_read, "rb"), os.fdopen(ours_write, "wb")
        self.number, self.console, self.session = 0, list[str](), ""
        target = self.send("Target.getTargets")["targetInfos"]
        page = next(one["targetId"] for one in target if one["type"] == "page")
        self.session = self.send("Target.attachToTarget", targetId=page, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Accessibility"):
            self.send(f"{domain}.enable")

    def __enter__(self) -> "Chromium":
        return self

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(OSError, EOFError):
            session, self.session = self.session, ""
            assert session
            self.send("Browser.close")
        self.reader.close()
        with contextlib.suppress(OSError):
            self.writer.close()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.folder.cleanup()

    def send(self, method: str, **parameters: Any) -> Any:
        """Ask the browser, and wait for its answer."""
        self.number += 1
        message: dict[str, Any] = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        self.writer.write(json.dumps(message).encode() + b"\0")
        self.writer.flush()
        while True:
            heard = self._next()
            if heard.get("id") == self.number:
                if "error" in heard:
                    raise RuntimeError(heard["error"]["message"])
                return heard["result"]

    def _next(self) -> dict[str, Any]:
        text = bytearray()
        while (byte := self.reader.read(1)) != b"\0":
            if not byte:
                raise EOFError("Chromium went away.")
            text += byte
        heard: dict[str, Any] = json.loads(text)
        told = heard.get("params", {})
        if heard.get("method") == "Runtime.exceptionThrown":
            self.console.append(str(told["exceptionDetails"]))
        elif heard.get("method") == "Log.entryAdded" and told["entry"]["level"] in ("error", "warning"):
            self.console.append(f"{told['entry']['text']} {told['entry'].get('url', '')}")
        return heard

    def open(self, address: str) -> None:
        self.send("Page.navigate", url="about:blank")  # so that a new fragment is a new page
        self.send("Page.navigate", url=address)
        self.until("document.documentElement.dataset.ready === 'yes'")

    def value(self, expression: str) -> Any:
        """What a JavaScript expression is, a promise fulfilled."""
        found = self.send("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in found:
            raise RuntimeError(found["exceptionDetails"]["exception"].get("description", expression))
        return found["result"].get("value")

    def until(self, expression: str, seconds: float = 15.0) -> Any:
        """Wait for an expression to become true."""
        end = time.monotonic() + seconds
        while True:
            with contextlib.suppress(RuntimeError):
                if found := self.value(expression):
                    return found
            if time.monotonic() > end:
                raise TimeoutError(f"{expression} did not come true; the console says {self.console}")
            time.sleep(0.03)

    def click(self, x: float, y: float, to: tuple[float, float] | None = None) -> None:
        """Press at a place of the window and let go there, or elsewhere: a drag."""
        one: dict[str, Any] = {"button": "left", "clickCount": 1}
        self.send("Input.dispatchMouseEvent", type="mousePressed", x=x, y=y, **one)
        if to is not None:
            self.send("Input.dispatchMouseEvent", type="mouseMoved", x=to[0], y=to[1], button="left")
        x, y = to or (x, y)
        self.send("Input.dispatchMouseEvent", type="mouseReleased", x=x, y=y, **one)

    def press(self, key: str, text: str = "") -> None:
        told = {"key": key, "code": key, **({"text": text} if text else {})}
        self.send("Input.dispatchKeyEvent", type="keyDown", **told)
        self.send("Input.dispatchKeyEvent", type="keyUp", key=key, code=key)

    def roles(self) -> list[tuple[str, str]]:
        """Role and name of everything in the accessibility tree."""
        nodes = self.send("Accessibility.getFullAXTree")["nodes"]
        shown = [node for node in nodes if not node.get("ignored")]
        return [(node["role"]["value"], node.get("name", {}).get("value", "")) for node in shown]

    def screenshot(self, path: Path) -> None:
        import base64

        path.write_bytes(base64.b64decode(self.send("Page.captureScreenshot")["data"]))
