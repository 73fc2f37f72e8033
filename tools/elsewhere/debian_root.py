"""Debian's packages for another processor, unpacked into a folder: nothing of this machine changes.

apt reads this machine's own list of sources, but keeps everything it learns in a folder of ours.
"""

from __future__ import annotations

import subprocess
from pathlib import Path


def unpack(folder: Path, processor: str, packages: list[str]) -> Path:
    """A folder like / with these packages and all that they need, made once."""
    root, done = folder / "root", folder / "unpacked"
    if done.exists():
        return root
    for part in ("lists/partial", "archives/partial"):
        (folder / "apt" / part).mkdir(parents=True, exist_ok=True)
    status = folder / "apt" / "status"  # no package is installed there yet
    status.touch()
    settings = {
        "APT::Architecture": processor,
        "APT::Architectures": processor,
        "APT::Sandbox::User": "root",
        "Debug::NoLocking": "1",
        "Dir::State": folder / "apt",
        "Dir::State::status": status,
        "Dir::Cache": folder / "apt",
    }
    apt = ["apt-get", "-qq", *(f"-o{name}={value}" for name, value in settings.items())]
    subprocess.run([*apt, "update"], check=True)
    subprocess.run([*apt, "install", "-y", "--no-install-recommends", "--download-only", *packages], check=True)
    root.mkdir(exist_ok=True)
    for package in sorted((folder / "apt" / "archives").glob("*.deb")):
        subprocess.run(["dpkg-deb", "-x", package, root], check=True)
    done.touch()
    return root
