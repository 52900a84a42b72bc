"""Puts packages for other platforms back into `web/package-lock.json`.

npm leaves optional packages out of the lock when the registry it was run with does not have them (a mirror often keeps
one platform only), and `npm ci` then refuses the lock everywhere. They are named exactly by the packages that want
them; only their checksums stay unknown. Run it after `npm install` in `web/`.
"""

import json
import sys
from typing import Any

from steps import ROOT

LOCK = ROOT / "web" / "package-lock.json"
_SYSTEMS = ("android", "darwin", "freebsd", "linux", "netbsd", "openbsd", "openharmony", "sunos", "win32")
_PROCESSORS = ("arm64", "arm", "ia32", "loong64", "ppc64", "riscv64", "s390x", "wasm32", "x64")


def main() -> int:
    lock = json.loads(LOCK.read_text("utf-8"))
    packages: dict[str, Any] = lock["packages"]
    added = missing(packages)
    packages.update(added)
    lock["packages"] = dict(sorted(packages.items()))
    LOCK.write_text(json.dumps(lock, indent=2, ensure_ascii=False) + "\n", "utf-8")
    print(f"{len(added)} packages for other platforms put back")
    return 0


def missing(packages: dict[str, Any]) -> dict[str, Any]:
    """The entries that should be in the lock and are not."""
    found = {}
    for place, package in packages.items():
        for name, version in package.get("optionalDependencies", {}).items():
            if not _is_locked(packages, place, name):
                found[f"node_modules/{name}"] = _entry(name, version, is_dev=package.get("dev", False))
    return found


def _is_locked(packages: dict[str, Any], place: str, name: str) -> bool:
    """Looked for as Node does: in the package's own folder, then in each one around it."""
    while True:
        if f"{place}/node_modules/{name}".lstrip("/") in packages:
            return True
        if not place:
            return False
        place = place.rpartition("node_modules/")[0].rstrip("/")


def _entry(name: str, version: str, *, is_dev: bool) -> dict[str, Any]:
    parts = name.rpartition("/")[2].split("-")
    entry: dict[str, Any] = {"version": version}
    if processor := next((one for one in _PROCESSORS if one in parts), None):
        entry["cpu"] = [processor]
    if is_dev:
        entry["dev"] = True
    if "linux" in parts and (libc := {"gnu": "glibc", "musl": "musl"}.get(parts[-1])):
        entry["libc"] = [libc]
    entry["optional"] = True
    if system := next((one for one in _SYSTEMS if one in parts), None):
        entry["os"] = [system]
    return entry


if __name__ == "__main__":
    sys.exit(main())
