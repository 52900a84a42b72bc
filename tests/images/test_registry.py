"""The registry's protocol, endpoint by endpoint, with plain HTTP."""

import json

import pytest

from tests.conftest import Api
from tests.images.registry import (
    Docker,
    config_for,
    descriptor,
    digest_of,
    docker_of,
    error_of,
    index_of,
    layer,
    manifest_of,
    plain_layer,
)
from tidemill.images.registry.manifests import DOCKER_MANIFEST, OCI_INDEX, OCI_MANIFEST

EMPTY = b"{}"


@pytest.fixture
def docker(api: Api) -> Docker:
    api.project("tides")
    return docker_of(api, api.user("ann", project="tides"))


def test_the_protocol_is_announced_and_the_caller_known(docker: Docker) -> None:
    answer = docker.call("GET", "/")
    assert answer.status_code == 200
    assert answer.headers["Docker-Distribution-Api-Version"] == "registry/2.0"


def test_what_was_pushed_is_pulled_byte_for_byte(docker: Docker) -> None:
    pushed = docker.push("tides/base", "1.0")
    for reference in ("1.0", pushed.digest):
        answer = docker.call("GET", f"/tides/base/manifests/{reference}")
        assert answer.content == pushed.manifest
        assert answer.headers["Content-Type"] == OCI_MANIFEST
        assert answer.headers["Docker-Content-Digest"] == pushed.digest
        head = docker.call("HEAD", f"/tides/base/manifests/{reference}")
        assert (head.status_code, head.headers["Content-Length"]) == (200, str(len(pushed.manifest)))
    for data in (pushed.config, *pushed.layers):
        got = docker.call("GET", f"/tides/base/blobs/{digest_of(data)}")
        assert got.content == data
        assert got.headers["Docker-Content-Digest"] == digest_of(data)


def test_a_blob_comes_in_ranges(docker: Docker) -> None:
    digest = docker.blob("tides/base", b"0123456789")
    part = docker.call("GET", f"/tides/base/blobs/{digest}", headers={"Range": "bytes=2-4"})
    assert (part.status_code, part.content, part.headers["Content-Range"]) == (206, b"234", "bytes 2-4/10")
    beyond = docker.call("GET", f"/tides/base/blobs/{digest}", headers={"Range": "bytes=20-"})
    assert beyond.status_code == 416
    head = docker.call("HEAD", f"/tides/base/blobs/{digest}")
    assert (head.status_code, head.headers["Content-Length"]) == (200, "10")


def test_chunks_are_appended_where_the_upload_is_and_nowhere_else(docker: Docker) -> None:
    begun = docker.call("POST", "/tides/base/blobs/uploads/")
    assert begun.status_code == 202
    place = begun.headers["Location"].removeprefix("/v2")
    first = docker.call("PATCH", place, content=b"01234", headers={"Content-Range": "0-4"})
    assert (first.status_code, first.headers["Range"]) == (202, "0-4")
    wrong = docker.call("PATCH", place, content=b"x", headers={"Content-Range": "9-9"})
    assert (wrong.status_code, wrong.headers["Range"], error_of(wrong)) == (416, "0-4", "BLOB_UPLOAD_INVALID")
    lying = docker.call("PATCH", place, content=b"x", headers={"Content-Range": "5-9"})
    assert (lying.status_code, error_of(lying)) == (400, "SIZE_INVALID")
    state = docker.call("GET", place)
    assert (state.status_code, state.headers["Range"]) == (204, "0-4")
    digest = digest_of(b"0123456789")
    done = docker.call("PUT", f"{place}?digest={digest}", content=b"56789", headers={"Content-Range": "5-9"})
    assert (done.status_code, done.headers["Docker-Content-Digest"]) == (201, digest)
    assert docker.call("GET", f"/tides/base/blobs/{digest}").content == b"0123456789"
    again = docker.call("PUT", f"{place}?digest={digest}")
    assert again.status_code == 201, "a client that did not hear the answer asks again"


def test_content_that_is_not_what_its_digest_says_is_refused_and_forgotten(docker: Docker) -> None:
    wrong = digest_of(b"something else")
    answer = docker.call("POST", f"/tides/base/blobs/uploads/?digest={wrong}", content=b"this")
    assert (answer.status_code, error_of(answer)) == (400, "DIGEST_INVALID")
    place = docker.call("POST", "/tides/base/blobs/uploads/").headers["Location"].removeprefix("/v2")
    assert docker.call("PUT", f"{place}?digest={wrong}", content=b"this").status_code == 400
    assert error_of(docker.call("GET", place)) == "BLOB_UPLOAD_UNKNOWN"
    assert docker.call("GET", f"/tides/base/blobs/{wrong}").status_code == 404


def test_what_is_no_digest_is_refused(docker: Docker) -> None:
    place = docker.call("POST", "/tides/base/blobs/uploads/").headers["Location"].removeprefix("/v2")
    for digest in ("", "sha256:short", f"sha512:{'0' * 128}", f"sha256:{'G' * 64}", "../../etc"):
        assert error_of(docker.call("PUT", place, params={"digest": digest}, content=b"")) == "DIGEST_INVALID"


def test_an_upload_is_given_up_and_is_its_owners_alone(api: Api, docker: Docker) -> None:
    place = docker.call("POST", "/tides/base/blobs/uploads/").headers["Location"].removeprefix("/v2")
    ben = docker_of(api, api.user("ben", project="tides"))
    assert error_of(ben.call("PATCH", place, content=b"x")) == "BLOB_UPLOAD_UNKNOWN"
    assert error_of(docker.call("GET", place.replace("/base/", "/other/"))) == "BLOB_UPLOAD_UNKNOWN"
    assert docker.call("DELETE", place).status_code == 204
    assert docker.call("GET", place).status_code == 404


def test_content_is_mounted_from_where_the_caller_may_read_and_not_from_elsewhere(api: Api, docker: Docker) -> None:
    digest = docker.blob("tides/base", b"shared")
    mounted = docker.call("POST", f"/tides/other/blobs/uploads/?mount={digest}&from=tides/base")
    assert (mounted.status_code, mounted.headers["Docker-Content-Digest"]) == (201, digest)
    assert docker.call("GET", f"/tides/other/blobs/{digest}").content == b"shared"
    assert docker.call("POST", f"/tides/third/blobs/uploads/?mount={digest}").status_code == 201
    api.project("moon")
    ben_person = api.user("ben", project="moon")
    ben = docker_of(api, ben_person)
    assert ben.call("POST", f"/moon/base/blobs/uploads/?mount={digest}&from=tides/base").status_code == 202
    assert ben.call("POST", f"/moon/base/blobs/uploads/?mount={digest}").status_code == 202
    assert ben.call("GET", f"/moon/base/blobs/{digest}").status_code == 404
    api.admin.ok("post", "/projects/tides/members", json={"user": "ben", "role": "viewer"})
    assert ben.call("POST", f"/moon/base/blobs/uploads/?mount={digest}&from=tides/base").status_code == 201
    assert ben.call("GET", f"/moon/base/blobs/{digest}").content == b"shared"
    assert api.admin.ok("get", "/projects/moon")["storage_used_bytes"] == len(b"shared")


def test_a_manifest_needs_its_content_and_indexes_need_their_manifests(docker: Docker) -> None:
    manifest = manifest_of(EMPTY, layer())
    answer = docker.manifest("tides/base", "1", manifest)
    assert (answer.status_code, error_of(answer)) == (404, "MANIFEST_BLOB_UNKNOWN")
    index = index_of(manifest)
    assert error_of(docker.manifest("tides/base", "1", index, OCI_INDEX)) == "MANIFEST_BLOB_UNKNOWN"
    pushed = docker.push("tides/base", "1")
    docker.blob("tides/base", manifest)
    assert error_of(docker.manifest("tides/base", "2", index, OCI_INDEX)) == "MANIFEST_BLOB_UNKNOWN", "bytes alone"
    assert docker.manifest("tides/base", "all", index_of(pushed.manifest), OCI_INDEX).status_code == 201
    assert docker.call("GET", "/tides/base/manifests/all").headers["Content-Type"] == OCI_INDEX


def test_what_is_no_manifest_is_refused(docker: Docker) -> None:
    docker.blob("tides/base", EMPTY)
    short = {"digest": "sha256:x", "size": 1}
    negative = descriptor(EMPTY, "x") | {"size": -1}
    old = "application/vnd.docker.distribution.manifest.v1+json"
    cases = [
        (b"not json", OCI_MANIFEST),
        (b"[]", OCI_MANIFEST),
        (b"[" * 100_000, OCI_MANIFEST),
        (b"{}", OCI_MANIFEST),
        (json.dumps({"schemaVersion": 1}).encode(), old),
        (manifest_of(EMPTY), OCI_INDEX),
        (json.dumps({"schemaVersion": 2, "config": short, "layers": []}).encode(), OCI_MANIFEST),
        (json.dumps({"schemaVersion": 2, "config": negative, "layers": []}).encode(), ""),
        (manifest_of(EMPTY, annotations={"a": 1}), OCI_MANIFEST),
        (manifest_of(EMPTY, annotations={"a": "\x00"}), OCI_MANIFEST),
        (manifest_of(EMPTY, layers="many"), OCI_MANIFEST),
        (b" " * (4 * 1024 * 1024 + 1), OCI_MANIFEST),
    ]
    for data, kind in cases:
        answer = docker.manifest("tides/base", "1", data, kind)
        assert answer.status_code in {400, 413}, data[:100]
        assert error_of(answer) == "MANIFEST_INVALID"


def test_a_size_that_is_not_the_contents_is_refused(docker: Docker) -> None:
    docker.blob("tides/base", EMPTY)
    lying = json.dumps(
        {"schemaVersion": 2, "mediaType": OCI_MANIFEST, "config": descriptor(EMPTY, "x") | {"size": 99}, "layers": []}
    ).encode()
    assert error_of(docker.manifest("tides/base", "1", lying)) == "MANIFEST_INVALID"


def test_a_digest_reference_must_be_the_manifests_own(docker: Docker) -> None:
    docker.blob("tides/base", EMPTY)
    manifest = manifest_of(EMPTY)
    assert docker.manifest("tides/base", digest_of(manifest), manifest).status_code == 201
    assert error_of(docker.manifest("tides/base", digest_of(b"other"), manifest)) == "DIGEST_INVALID"
    assert error_of(docker.manifest("tides/base", "no+tag", manifest)) == "TAG_INVALID"


def test_docker_manifests_are_taken_as_they_are(docker: Docker) -> None:
    plain = plain_layer()
    config = config_for(plain)
    docker.blob("tides/base", config)
    docker.blob("tides/base", layer())
    manifest = json.loads(manifest_of(config, layer())) | {"mediaType": DOCKER_MANIFEST}
    data = json.dumps(manifest).encode()
    assert docker.manifest("tides/base", "1", data, DOCKER_MANIFEST).status_code == 201
    assert docker.call("GET", "/tides/base/manifests/1").content == data


def test_tags_are_listed_in_order_and_in_pages(docker: Docker) -> None:
    for tag in ("b", "a", "C", "d"):
        docker.push("tides/base", tag)
    assert docker.call("GET", "/tides/base/tags/list").json() == {"name": "tides/base", "tags": ["C", "a", "b", "d"]}
    page = docker.call("GET", "/tides/base/tags/list?n=2")
    assert page.json()["tags"] == ["C", "a"]
    assert page.headers["Link"] == '</v2/tides/base/tags/list?n=2&last=a>; rel="next"'
    rest = docker.call("GET", "/tides/base/tags/list?n=2&last=a")
    assert (rest.json()["tags"], "Link" in rest.headers) == (["b", "d"], False)
    assert docker.call("GET", "/tides/base/tags/list?n=0").json()["tags"] == []
    assert docker.call("GET", "/tides/base/tags/list?n=-1").status_code == 400
    assert error_of(docker.call("GET", "/tides/none/tags/list")) == "NAME_UNKNOWN"


def test_referrers_are_found_by_their_subject_and_filtered_by_type(docker: Docker) -> None:
    pushed = docker.push("tides/base", "1")
    docker.blob("tides/base", EMPTY)
    subject = descriptor(pushed.manifest, OCI_MANIFEST)
    notes = manifest_of(EMPTY, subject=subject, artifactType="text/notes", annotations={"by": "ann"})
    answer = docker.manifest("tides/base", digest_of(notes), notes)
    assert answer.headers["OCI-Subject"] == pushed.digest
    found = docker.call("GET", f"/tides/base/referrers/{pushed.digest}")
    assert found.headers["Content-Type"].startswith(OCI_INDEX)
    (only,) = found.json()["manifests"]
    assert (only["digest"], only["artifactType"], only["annotations"]) == (
        digest_of(notes),
        "text/notes",
        {"by": "ann"},
    )
    none = docker.call("GET", f"/tides/base/referrers/{pushed.digest}?artifactType=other/type")
    assert (none.json()["manifests"], none.headers["OCI-Filters-Applied"]) == ([], "artifactType")
    assert docker.call("GET", f"/tides/base/referrers/{digest_of(b'unknown')}").json()["manifests"] == []


def test_a_tag_goes_alone_and_a_manifest_goes_with_its_tags_and_content(api: Api, docker: Docker) -> None:
    pushed = docker.push("tides/base", "1")
    assert docker.manifest("tides/base", "2", pushed.manifest).status_code == 201
    assert docker.call("DELETE", "/tides/base/manifests/1").status_code == 202
    assert error_of(docker.call("GET", "/tides/base/manifests/1")) == "MANIFEST_UNKNOWN"
    assert docker.call("GET", "/tides/base/manifests/2").status_code == 200
    in_use = docker.call("DELETE", f"/tides/base/blobs/{digest_of(pushed.config)}")
    assert in_use.status_code == 409
    assert docker.call("DELETE", f"/tides/base/manifests/{pushed.digest}").status_code == 202
    for path in ("manifests/2", f"manifests/{pushed.digest}", f"blobs/{digest_of(pushed.config)}"):
        assert docker.call("GET", f"/tides/base/{path}").status_code == 404
    assert api.admin.ok("get", "/projects/tides")["storage_used_bytes"] == 0
    assert docker.call("DELETE", f"/tides/base/manifests/{pushed.digest}").status_code == 404


def test_a_manifest_that_an_index_needs_stays(docker: Docker) -> None:
    pushed = docker.push("tides/base", "1")
    index = index_of(pushed.manifest)
    docker.manifest("tides/base", "all", index, OCI_INDEX)
    assert docker.call("DELETE", f"/tides/base/manifests/{pushed.digest}").status_code == 409
    assert docker.call("DELETE", f"/tides/base/manifests/{digest_of(index)}").status_code == 202
    assert docker.call("DELETE", f"/tides/base/manifests/{pushed.digest}").status_code == 202


def test_a_blob_that_nothing_needs_is_deleted(docker: Docker) -> None:
    digest = docker.blob("tides/base", b"lonely")
    assert docker.call("DELETE", f"/tides/base/blobs/{digest}").status_code == 202
    assert error_of(docker.call("GET", f"/tides/base/blobs/{digest}")) == "BLOB_UNKNOWN"
    assert error_of(docker.call("DELETE", f"/tides/base/blobs/{digest}")) == "BLOB_UNKNOWN"


def test_content_shared_by_two_repositories_is_charged_once_and_outlives_one(api: Api, docker: Docker) -> None:
    pushed = docker.push("tides/base", "1")
    used = api.admin.ok("get", "/projects/tides")["storage_used_bytes"]
    assert used == sum(map(len, (pushed.manifest, pushed.config, *pushed.layers)))
    docker.push("tides/other", "1")
    assert api.admin.ok("get", "/projects/tides")["storage_used_bytes"] == used
    docker.call("DELETE", f"/tides/base/manifests/{pushed.digest}")
    assert docker.call("GET", f"/tides/other/blobs/{digest_of(pushed.config)}").content == pushed.config


def test_the_projects_storage_limit_is_kept_before_bytes_are_taken(api: Api) -> None:
    api.project("small", storage_limit_bytes=100)
    docker = docker_of(api, api.user("ann", project="small"))
    big = b"x" * 101
    announced = docker.call("POST", f"/small/base/blobs/uploads/?digest={digest_of(big)}", content=big)
    assert (announced.status_code, error_of(announced)) == (403, "DENIED")
    place = docker.call("POST", "/small/base/blobs/uploads/").headers["Location"].removeprefix("/v2")
    streamed = docker.call("PATCH", place, content=iter([b"x" * 60, b"x" * 60]))
    assert (streamed.status_code, error_of(streamed)) == (403, "DENIED")
    fits = b"y" * 60
    place = docker.call("POST", "/small/base/blobs/uploads/").headers["Location"].removeprefix("/v2")
    assert docker.call("PATCH", place, content=iter([fits])).status_code == 202
    other = docker.call("POST", f"/small/base/blobs/uploads/?digest={digest_of(fits)}", content=fits)
    assert other.status_code == 403, "what is on its way counts"
    assert docker.call("PUT", f"{place}?digest={digest_of(fits)}").status_code == 201
    assert api.admin.ok("get", "/projects/small")["storage_used_bytes"] == 60


def test_the_catalogue_shows_what_the_caller_may_read(api: Api, docker: Docker) -> None:
    api.project("moon")
    admin = docker_of(api, api.admin)
    docker.push("tides/base", "1")
    docker.push("tides/a/b", "1")
    admin.push("moon/secret", "1")
    admin.push("public/open", "1")
    assert docker.call("GET", "/_catalog").json() == {"repositories": ["public/open", "tides/a/b", "tides/base"]}
    first = docker.call("GET", "/_catalog?n=2")
    assert first.json()["repositories"] == ["public/open", "tides/a/b"]
    assert first.headers["Link"] == '</v2/_catalog?n=2&last=tides%2Fa%2Fb>; rel="next"'
    assert docker.call("GET", "/_catalog?n=2&last=tides/a/b").json()["repositories"] == ["tides/base"]
    assert "moon/secret" in admin.call("GET", "/_catalog").json()["repositories"]


def test_a_project_whose_name_the_protocol_cannot_say_is_reached_by_its_id(api: Api) -> None:
    name = api.project("潮 汐")
    project_id = api.admin.ok("get", f"/projects/{name}")["id"]
    admin = docker_of(api, api.admin)
    admin.push(f"{project_id}/base", "1")
    assert admin.call("GET", "/_catalog").json()["repositories"] == [f"{project_id}/base"]
