"""Python images: the built-in ones made on first use, wheels taken in with care, environments from the store."""

import os
import shutil
import subprocess
import threading
from pathlib import Path

import pytest
import sqlalchemy as sa

from tests.conftest import Api, count
from tests.images.test_resolve import resolve
from tests.images.wheels import write_wheel
from tidemill.images import making, service, wheels
from tidemill.images.tables import ImageRow
from tidemill.kernel.errors import Invalid, Unavailable
from tidemill.store import verify
from tidemill.store.tables import PinRow

STUBS = (("pip", "99"), ("httpx2", "99"), ("click", "99"), ("jupyterlab", "4.9"), ("ipykernel", "7"))


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only place packages come from."""
    folder = tmp_path / "packages"
    folder.mkdir()
    for name, version in STUBS:
        write_wheel(folder, name, version)
    for name in [name for name in os.environ if name.startswith("PIP_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    return folder


def row_of(api: Api, image_id: str) -> ImageRow:
    with api.app.state.db.read() as session:
        row: ImageRow = session.get_one(ImageRow, image_id)
        return row


def test_a_builtin_image_fails_with_the_reason_is_made_at_the_next_use_and_comes_back_when_lost(
    api: Api, packages: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    api.project("tides")
    found = resolve(api, "tides", "tidemill/jupyter")
    with pytest.raises(Unavailable) as refused:
        service.make_ready(api.app.state.images, found)
    assert "tensorboard" in refused.value.params["output"]
    shown = api.admin.ok("get", f"/projects/public/images/{found.id}")
    assert (shown["state"], shown["error"]["code"]) == ("failed", "pip_failed")
    write_wheel(packages, "tensorboard", "2.20")
    words: list[str] = []
    made: list[str] = []
    images = api.app.state.images
    threads = [
        threading.Thread(target=lambda: made.append(service.make_ready(images, found, words.append).reference))
        for _ in range(3)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(made)) == 1, made
    assert len(made) == 3
    code = "import jupyterlab, tensorboard, tidemill; print(jupyterlab.version)"
    done = subprocess.run([f"{made[0]}/bin/python", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "4.9"
    assert any("jupyterlab" in text for text in words)
    row = row_of(api, found.id)
    assert (row.state, len(row.lock), count(images.db, PinRow)) == ("ready", 6, 6)
    assert verify.verify(images.db, images.store).clean

    again = resolve(api, "tides", "tidemill/jupyter")
    assert again.digest == Path(made[0]).name
    shutil.rmtree(made[0])
    monkeypatch.setenv("PIP_FIND_LINKS", "/nowhere")
    assert service.make_ready(images, again).reference == made[0], "it comes back from the store, without any index"
    assert (Path(made[0]) / "bin" / "python").exists()


def test_what_is_no_wheel_is_refused(api: Api, tmp_path: Path) -> None:
    images = api.app.state.images
    with images.db.read() as session:
        image_id = session.scalars(sa.select(ImageRow.id).where(ImageRow.name == "tidemill/jupyter")).one()
    folder = tmp_path / "wheels"
    with pytest.raises(Invalid) as refused:
        making.finish_python(images, image_id, folder)
    assert refused.value.code == "wheels_missing"
    folder.mkdir()
    secret = tmp_path / "secret"
    secret.write_text("the server's own")
    (folder / "stolen-1-py3-none-any.whl").symlink_to(secret)
    (folder / "pipe-1-py3-none-any.whl").touch()
    for bad in ("stolen-1-py3-none-any.whl", "--evil.whl", "pipe-1-py3-none-any.whl"):
        for path in folder.iterdir():
            if path.name != bad:
                path.unlink()
        if bad.startswith("pipe"):
            os.mkfifo(folder / bad)
        elif bad.startswith("-"):
            (folder / bad).touch()
        with pytest.raises(Invalid) as refused:
            making.finish_python(images, image_id, folder)
        assert refused.value.code == "wheel_invalid"
    assert secret.exists()


def test_pip_learns_none_of_the_servers_secrets() -> None:
    given = {
        "TIDEMILL_ADMIN_PASSWORD": "x",
        "AWS_SECRET": "x",
        "PIP_INDEX_URL": "y",
        "https_proxy": "z",
        "PATH": "/bin",
    }
    assert set(wheels.pip_environment(given)) == {"PIP_INDEX_URL", "https_proxy", "PATH"}


def test_progress_tells_of_packages_and_not_of_what_pip_warns_about(
    packages: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_FIND_LINKS", f"{packages} {tmp_path / 'not-there'}")
    folder = tmp_path / "fetched"
    folder.mkdir()
    words: list[str] = []
    wheels.download(["click"], folder, words.append)
    assert any("click" in line for line in words)
    aside = [line for line in words if "WARNING" in line or "Looking in" in line or "fetched.txt" in line]
    assert aside == []
    with pytest.raises(Unavailable) as refused:
        wheels.download(["no-such-package"], folder, words.append)
    assert "no-such-package" in refused.value.params["output"]
