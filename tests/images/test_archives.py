"""Saved images as tar files: read whole, held against their digests, refused when hostile."""

import gzip
import hashlib
import io
import json
import tarfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.images.registry import config_for, digest_of, index_of, layer, manifest_of, plain_layer
from tidemill.images import archives
from tidemill.kernel.errors import Invalid, TidemillError, TooLarge

LIMIT = 10 * 1024 * 1024
PLAIN, PACKED = plain_layer(), layer()
CONFIG = config_for(PLAIN)
MANIFEST = manifest_of(CONFIG, PACKED)


def tar_of(files: dict[str, bytes | tuple[bytes, str]]) -> bytes:
    """Names to bytes, or to (type, target) for what is no file."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as tar:
        for name, content in files.items():
            entry = tarfile.TarInfo(name)
            if isinstance(content, tuple):
                entry.type, entry.linkname = content
                tar.addfile(entry)
            else:
                entry.size = len(content)
                tar.addfile(entry, io.BytesIO(content))
    return out.getvalue()


def docker_save(**changes: bytes | tuple[bytes, str]) -> dict[str, bytes | tuple[bytes, str]]:
    described = [{"Config": "c.json", "RepoTags": ["base:1"], "Layers": ["l/layer.tar"]}]
    return {"c.json": CONFIG, "l/layer.tar": PLAIN, "manifest.json": json.dumps(described).encode(), **changes}


def oci_layout(*manifests: bytes, blobs: tuple[bytes, ...] = ()) -> dict[str, bytes | tuple[bytes, str]]:
    files: dict[str, bytes | tuple[bytes, str]] = {"oci-layout": b'{"imageLayoutVersion":"1.0.0"}'}
    for data in (*manifests, *blobs):
        files[f"blobs/sha256/{hashlib.sha256(data).hexdigest()}"] = data
    entries = [{"mediaType": "x", "digest": digest_of(each), "size": len(each)} for each in manifests]
    files["index.json"] = json.dumps({"schemaVersion": 2, "manifests": entries}).encode()
    return files


def _unseen(done: int) -> None:
    del done


@pytest.fixture
def read(tmp_path: Path) -> Callable[[bytes], archives.SavedImage]:
    def run(data: bytes) -> archives.SavedImage:
        def blocks() -> Iterator[bytes]:
            for start in range(0, len(data), 1000):
                yield data[start : start + 1000]

        folder = tmp_path / hashlib.sha256(data).hexdigest()[:8]
        folder.mkdir()
        contents = archives.unpack(blocks(), folder, limit_bytes=LIMIT, check=_unseen)
        return archives.read_image(contents)

    return run


Read = Callable[[bytes], archives.SavedImage]


def test_docker_save_is_read_and_given_a_manifest(read: Read) -> None:
    image = read(tar_of(docker_save()))
    (saved,) = image.manifests
    digests = {digest_of(CONFIG).removeprefix("sha256:"), digest_of(PLAIN).removeprefix("sha256:")}
    assert set(saved.manifest.children) == digests == set(image.blobs)


def test_compressed_archives_and_compressed_layers_are_read(read: Read) -> None:
    assert read(gzip.compress(tar_of(docker_save()))).manifests
    image = read(tar_of(docker_save(**{"l/layer.tar": PACKED})))
    assert json.loads(image.manifests[0].data)["layers"][0]["mediaType"].endswith("tar+gzip")


def test_links_within_the_archive_are_followed(read: Read) -> None:
    files = docker_save() | {"l/layer.tar": (tarfile.SYMTYPE, "../real/layer.tar"), "real/layer.tar": PLAIN}
    assert read(tar_of(files)).manifests


def test_an_oci_layout_keeps_its_manifests_byte_for_byte(read: Read) -> None:
    image = read(tar_of(oci_layout(MANIFEST, blobs=(CONFIG, PACKED))))
    assert [each.data for each in image.manifests] == [MANIFEST]
    index = index_of(MANIFEST)
    nested = read(tar_of(oci_layout(index, blobs=(MANIFEST, CONFIG, PACKED))))
    assert [each.data for each in nested.manifests] == [MANIFEST, index]


def test_of_an_index_saved_in_part_the_whole_image_is_taken(read: Read) -> None:
    other = manifest_of(b"{}", b"elsewhere")
    image = read(tar_of(oci_layout(index_of(MANIFEST, other), blobs=(MANIFEST, CONFIG, PACKED))))
    assert [each.data for each in image.manifests] == [MANIFEST]


def test_hostile_and_broken_archives_are_refused(read: Read) -> None:
    lying = json.dumps([{"Config": "c.json", "Layers": ["../../etc/passwd"]}]).encode()
    loop = {"l/layer.tar": (tarfile.SYMTYPE, "layer2.tar"), "l/layer2.tar": (tarfile.SYMTYPE, "layer.tar")}
    cases: list[bytes] = [
        b"",
        b"not a tar file" * 100,
        gzip.compress(b"not a tar file" * 100),
        gzip.compress(tar_of(docker_save()))[:-20],
        tar_of(docker_save())[:700],
        tar_of({"hello": b"world"}),
        tar_of(docker_save(**{"../escape": b"x"})),
        tar_of(docker_save(**{"/etc/passwd": b"x"})),
        tar_of(docker_save(**{"manifest.json": lying})),
        tar_of(docker_save(**{"manifest.json": b"[" * 100_000})),
        tar_of(docker_save(**{"manifest.json": b"[]"})),
        tar_of(docker_save(**{"manifest.json": b'{"Config": 1}'})),
        tar_of(docker_save(**{"l/layer.tar": (tarfile.SYMTYPE, "../../../etc/passwd")})),
        tar_of(docker_save(**{"l/layer.tar": (tarfile.SYMTYPE, "/etc/passwd")})),
        tar_of(docker_save(**loop)),
        tar_of(docker_save(device=(tarfile.CHRTYPE, ""))),
        tar_of(docker_save(pipe=(tarfile.FIFOTYPE, ""))),
        tar_of(docker_save(**{"l/layer.tar": plain_layer("tampered")})),
        tar_of(docker_save(**{"c.json": b"{}"})),
        tar_of(docker_save(**{"c.json": b"[]"})),
        tar_of(oci_layout(MANIFEST, blobs=(CONFIG,))),
        tar_of(oci_layout(MANIFEST, manifest_of(CONFIG), blobs=(CONFIG, PACKED))),
        tar_of(oci_layout(b"{}")),
    ]
    for number, data in enumerate(cases):
        with pytest.raises(Invalid):
            pytest.fail(f"case {number} was taken: {read(data)}")


def test_an_archive_that_grows_beyond_the_limit_is_refused(read: Read) -> None:
    bomb = gzip.compress(tar_of(docker_save(zeros=bytes(LIMIT + 1))))
    assert len(bomb) < 100_000
    with pytest.raises(TooLarge):
        read(bomb)


def test_reading_stops_when_it_is_told_to(tmp_path: Path) -> None:
    class Stop(TidemillError):
        pass

    def check(done: int) -> None:
        raise Stop

    with pytest.raises(Stop):
        archives.unpack(iter([tar_of(docker_save())]), tmp_path, limit_bytes=LIMIT, check=check)
