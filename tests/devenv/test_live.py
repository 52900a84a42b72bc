"""Environments on the real engine: files and packages that stay, several nodes, images made of them."""

import pytest

from tests.devenv.house import PROJECT, House, until
from tests.devenv.inside import Inside

WHEEL = """
import zipfile
with zipfile.ZipFile("/tmp/tides-1.0-py3-none-any.whl", "w") as wheel:
    wheel.writestr("tides.py", "HEIGHT = 42\\n")
    wheel.writestr("tides-1.0.dist-info/METADATA", "Metadata-Version: 2.1\\nName: tides\\nVersion: 1.0\\n")
    wheel.writestr("tides-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
    wheel.writestr("tides-1.0.dist-info/RECORD", "")
"""


@pytest.fixture(scope="module")
def inside(house: House) -> Inside:
    return Inside(house)


def test_files_and_installed_packages_stay_and_a_copy_has_neither(house: House, inside: Inside) -> None:
    house.started("kept")
    install = f"python - <<'E'{WHEEL}E\npip install -q --no-index /tmp/tides-1.0-py3-none-any.whl && echo in''stalled"
    assert "installed" in inside.run("kept", f"echo mine > notes.txt\n{install}")
    house.stop("kept")
    house.ok("post", house.environments("/kept/start"))
    house.wait_for("kept", "running")
    assert "mine 42" in inside.run("kept", "echo \"$(cat notes.txt) $(python -c 'import tides; print(tides.HEIGHT)')\"")
    house.ok("post", house.environments("/kept/copy"), json={"name": "fresh"})
    house.ok("post", house.environments("/fresh/start"))
    house.wait_for("fresh", "running")
    assert "nothing" in inside.run("fresh", "ls notes.txt 2>/dev/null || echo no''thing")
    house.stop("fresh")

    made = house.ok("post", house.environments("/kept/save-image"), json={"name": "tides/kept", "version": "1"})
    assert made["kind"] == "python"
    image = house.ok("get", f"/projects/{PROJECT}/images/{made['id']}")
    assert (image["name"], image["version"]) == ("tides/kept", "1")
    assert "tides==1.0" in image["requirements"]
    again = house.admin.post(house.environments("/kept/save-image"), json={"name": "tides/kept", "version": "1"})
    assert (again.status_code, again.json()["error"]["code"]) == (409, "image_taken")
    house.stop("kept")


def test_the_first_of_several_nodes_reaches_the_others(house: House, inside: Inside) -> None:
    house.started("gang", nodes=2)
    nodes = until(
        lambda: [n for n in house.ok("get", house.environments("/gang"))["workload"]["nodes"] if n["host_name"]]
    )
    assert len(nodes) == 2
    said = inside.run("gang", "ssh -n $(sed -n 2p $TIDEMILL_HOSTS_FILE) hostname; cat $TIDEMILL_HOSTFILE")
    assert nodes[1]["host_name"] in said
    assert "slots=" in said
    house.stop("gang")


def test_deleting_removes_the_files(house: House, inside: Inside) -> None:
    made = house.started("gone")
    inside.run("gone", "echo x > x.txt")
    folder = next((house.server.home / "engine" / "workspaces").glob(f"env-{made['id']}*"))
    house.ok("delete", house.environments("/gone?confirm=gone"))
    until(lambda: not folder.exists())


def test_a_restart_of_the_platform_leaves_it_running(house: House, inside: Inside) -> None:
    house.started("steady")
    # Only once it has left the terminal's session does the terminal's end not take it along.
    apart = "setsid nohup sh -c 'echo $$ > pid; exec sleep 300' >/dev/null 2>&1 </dev/null &"
    assert "here" in inside.run("steady", f"{apart}\nuntil [ -s pid ]; do sleep 0.1; done; echo he''re")
    house.server.kill()
    house.server.start()
    assert house.wait_for("steady", "running")["workload"]["attempt"] == 1
    assert "alive" in inside.run("steady", "kill -0 $(cat pid) && echo al''ive")
    house.stop("steady")


def test_an_image_without_jupyterlab_does_not_offer_it(house: House) -> None:
    house.started("plain")
    until(lambda: house.ok("get", house.environments("/plain"))["has_jupyter"] is False)
    refused = house.admin.post(house.environments("/plain/open"))
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "environment_no_jupyter")
    house.stop("plain")
    assert house.ok("get", house.environments("/plain"))["has_jupyter"] is None
