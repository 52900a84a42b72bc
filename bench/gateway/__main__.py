"""What the gateway costs: the same upstream bare, through our gateway alone and with HAProxy before it, through an
aiohttp proxy, through nginx."""

import argparse
import os
import re
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
UPSTREAMS = ("application", "upstream")
"""An application on Uvicorn, and one that does next to nothing: the second shows what a proxy itself can do."""
KEY = "tms_alone_abcdefghijklmnopqrstuvwxyz012345"
NGINX = """daemon off; worker_processes 1; pid {folder}/nginx.pid; error_log {folder}/error.log;
events {{ worker_connections 1024; }}
http {{ access_log off; keepalive_requests 1000000; client_body_temp_path {folder}/b; proxy_temp_path {folder}/p;
fastcgi_temp_path {folder}/f; uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s;
upstream up {{ server 127.0.0.1:{to}; keepalive 128; keepalive_requests 1000000; }}
server {{ listen 127.0.0.1:{port}; location / {{ proxy_pass http://up; proxy_http_version 1.1;
proxy_set_header Connection ""; proxy_set_header Host $host; }} }} }}
"""


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.gateway", description=__doc__)
    parser.add_argument("--seconds", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--upstream", choices=UPSTREAMS, action="append", help="both, when none is given")
    given = parser.parse_args()
    if shutil.which("wrk") is None:
        sys.exit("wrk is needed: apt-get install wrk")
    for upstream in given.upstream or UPSTREAMS:
        rows: dict[str, list[dict[str, float]]] = {}
        with ExitStack() as stack:
            targets = start(stack, upstream)
            for _ in range(given.rounds):
                for name, target in targets.items():
                    rows.setdefault(name, []).append(measure(target, given.seconds))
        print(f"\nbefore an upstream of the kind {upstream!r}")
        report({name: middle(found) for name, found in rows.items()})


def middle(rows: list[dict[str, float]]) -> dict[str, float]:
    return {key: statistics.median(row[key] for row in rows) for key in rows[0]}


@dataclass(frozen=True)
class Target:
    """A contestant that listens: its port, the processes that do its work, and how it is called."""

    port: int
    pids: tuple[int, ...]
    path: str = "/"


def start(stack: ExitStack, upstream: str) -> dict[str, Target]:
    """The contestants by name."""
    folder = stack.enter_context(tempfile.TemporaryDirectory())
    bare, ours, fast, aiohttp, nginx = (free_port() for _ in range(5))
    first = run(stack, [sys.executable, str(HERE / "proxy.py"), upstream, str(bare)], bare)
    alone = [sys.executable, "-m", "tidemill.gateway.alone", "--upstream", f"127.0.0.1:{bare}", "--port"]
    targets = {"bare": Target(bare, (first,)), "gateway": Target(ours, (run(stack, [*alone, str(ours)], ours),))}
    if shutil.which("haproxy"):
        behind = run(stack, [*alone, str(fast), "--haproxy", "--key", KEY], fast)
        # All that the data plane does takes part: the key is checked, and each call is counted.
        pids = (behind, first_child_of(behind))
        targets["haproxy"] = Target(fast, pids, "/alone/alone/")
    third = run(stack, [sys.executable, str(HERE / "proxy.py"), "aiohttp", str(aiohttp), f"127.0.0.1:{bare}"], aiohttp)
    targets["aiohttp"] = Target(aiohttp, (third,))
    if shutil.which("nginx"):
        config = Path(folder) / "nginx.conf"
        config.write_text(NGINX.format(folder=folder, port=nginx, to=bare))
        targets["nginx"] = Target(nginx, (first_child_of(run(stack, ["nginx", "-c", str(config)], nginx)),))
    return targets


def run(stack: ExitStack, command: list[str], port: int) -> int:
    process = subprocess.Popen(command)
    stack.callback(process.wait)
    stack.callback(process.terminate)
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return process.pid
        except OSError:
            time.sleep(0.05)
    sys.exit(f"{command[0]} does not listen")


def first_child_of(pid: int) -> int:
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        for task in Path(f"/proc/{pid}/task").iterdir():
            if children := (task / "children").read_text().split():
                return int(children[0])
        time.sleep(0.05)
    sys.exit(f"process {pid} started none")


def cpu_s(pids: tuple[int, ...]) -> float:
    """Processor time that processes have had."""
    ticks = 0
    for pid in pids:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def measure(target: Target, seconds: int) -> dict[str, float]:
    found: dict[str, float] = {}
    for level in (1, 16, 64):
        command = ["wrk", "-t1", f"-c{level}", f"-d{seconds}", "--latency", "-H", f"X-API-Key: {KEY}"]
        command.append(f"http://127.0.0.1:{target.port}{target.path}")
        before_s = cpu_s(target.pids)
        said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        if "Non-2xx" in said or "Socket errors" in said:
            sys.exit(said)
        requests = int(re.search(r"(\d+) requests in", said).group(1))  # type: ignore[union-attr]
        found[f"cpu_us_{level}"] = (cpu_s(target.pids) - before_s) / requests * 1e6
        number, unit = re.search(r"50%\s+([\d.]+)(us|ms|s)", said).groups()  # type: ignore[union-attr]
        found[f"p50_ms_{level}"] = float(number) * {"us": 1e-3, "ms": 1.0, "s": 1e3}[unit]
        found[f"per_s_{level}"] = float(re.search(r"Requests/sec:\s+([\d.]+)", said).group(1))  # type: ignore[union-attr]
    return found


def report(rows: dict[str, dict[str, float]]) -> None:
    print(
        f"{'':10}{'added p50, 1':>14}{'1':>10}{'16':>10}{'64':>10}  requests/s at that many connections; CPU each at 16"
    )
    for name, row in rows.items():
        added = row["p50_ms_1"] - rows["bare"]["p50_ms_1"]
        print(
            f"{name:10}{added:>11.3f} ms" + "".join(f"{row[f'per_s_{level}']:>10,.0f}" for level in (1, 16, 64)),
            f"{row['cpu_us_16']:>8.0f} us",
        )
    ours = rows["gateway"]
    added = ours["p50_ms_1"] - rows["bare"]["p50_ms_1"]
    print(f"added p50 {added:.3f} ms (bar: 0.25)")
    for level in (16, 64):
        ratio = ours[f"per_s_{level}"] / rows["aiohttp"][f"per_s_{level}"]
        work = rows["aiohttp"][f"cpu_us_{level}"] / ours[f"cpu_us_{level}"]
        print(f"{ratio:.2f} x aiohttp at {level} (bar: 1.5); by processor time per request {work:.2f} x")
    if "haproxy" in rows and "nginx" in rows:
        for level in (16, 64):
            ratio = rows["haproxy"][f"per_s_{level}"] / rows["nginx"][f"per_s_{level}"]
            work = rows["nginx"][f"cpu_us_{level}"] / rows["haproxy"][f"cpu_us_{level}"]
            print(f"HAProxy {ratio:.2f} x bare nginx at {level} (bar: 0.8); by processor time {work:.2f} x")


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as one:
        port: int = one.getsockname()[1]
        return port


if __name__ == "__main__":
    main()
