"""Run in a network of its own, with nothing but the standard library: starts an exported package, and asks it.

`alone.py FOLDER PORT PYTHON PICTURE`; prints what `/predict` says of the picture.
"""

import fcntl
import socket
import struct
import subprocess
import sys
import time
import urllib.error
import urllib.request

PATIENCE_S = 120
_GET_FLAGS, _SET_FLAGS, _UP = 0x8913, 0x8914, 1


def main(folder: str, port: str, python: str, picture: str) -> int:
    raise_loopback()
    url = f"http://127.0.0.1:{port}"
    process = subprocess.Popen(["./run.sh", "--port", port, "--python", python], cwd=folder, stdout=sys.stderr)
    try:
        wait_until_ready(url, process)
        with open(picture, "rb") as file:
            request = urllib.request.Request(f"{url}/predict", file.read(), {"Content-Type": "image/png"})
        with urllib.request.urlopen(request) as answer:
            print(answer.read().decode())
    finally:
        process.terminate()
        process.wait(30)
    return 0


def raise_loopback() -> None:
    """A new network has no more than a loopback that is down."""
    with socket.socket() as sock:
        name = b"lo".ljust(16, b"\0")
        (flags,) = struct.unpack_from("h", fcntl.ioctl(sock, _GET_FLAGS, name + bytes(16)), 16)
        if not flags & _UP:
            fcntl.ioctl(sock, _SET_FLAGS, name + struct.pack("h", flags | _UP) + bytes(14))


def wait_until_ready(url: str, process: "subprocess.Popen[bytes]") -> None:
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline and process.poll() is None:
        try:
            with urllib.request.urlopen(f"{url}/v2/health/ready"):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.1)
    sys.exit("it does not answer")


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
