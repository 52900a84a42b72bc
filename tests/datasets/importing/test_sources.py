"""Imports from elsewhere: the server's folders, buckets, databases, addresses."""

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import boto3
import psycopg
import pytest
from moto.server import ThreadedMotoServer

from tests.conftest import Api
from tests.datasets.conftest import Desk, code_of
from tests.datasets.pictures import coco, picture
from tests.datasets.working import Works, zipped
from tests.mariadb import start_mariadb
from tests.postgres import Postgres
from tidemill.datasets.works import guard

LOOPBACK = ["127.0.0.1", "localhost"]


def test_a_folder_of_the_server_is_imported_when_it_is_allowed(works: Works, desk: Desk, tmp_path: Path) -> None:
    allowed = tmp_path / "nas"
    for path, data in coco({"0.jpg": picture(0), "1.jpg": picture(1)}).items():
        (allowed / "set" / path).parent.mkdir(parents=True, exist_ok=True)
        (allowed / "set" / path).write_bytes(data)
    (allowed / "set" / "link.jpg").symlink_to("/etc/passwd")
    works.app.state.settings.import_folders = [str(allowed)]
    done = works.do(desk, "import", source={"type": "server", "path": str(allowed / "set")})
    assert (done["state"], done["format"], done["counts"]["added"]) == ("done", "coco", 2)
    assert done["counts"]["notes"] == {"link_skipped": 1}


def test_an_archive_of_the_server_is_opened(works: Works, desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "set.zip").write_bytes(zipped(coco({"0.jpg": picture(0)})))
    works.app.state.settings.import_folders = [str(tmp_path)]
    done = works.do(desk, "import", source={"type": "server", "path": str(tmp_path / "set.zip")})
    assert (done["state"], done["counts"]["added"]) == ("done", 1)


def test_nothing_else_of_the_server_is_reached(works: Works, desk: Desk, tmp_path: Path) -> None:
    allowed = tmp_path / "nas"
    (allowed / "inner").mkdir(parents=True)
    (tmp_path / "secret").mkdir()
    (allowed / "way-out").symlink_to(tmp_path / "secret")

    def refusal(path: str) -> str:
        return code_of(desk.call("post", "/imports", json={"source": {"type": "server", "path": path}}))

    assert refusal(str(allowed)) == "import_folders_none"
    works.app.state.settings.import_folders = [str(allowed)]
    for path in (tmp_path / "secret", allowed / "way-out", allowed / ".." / "secret", Path("/etc"), Path("/")):
        assert refusal(str(path)) == "import_path_forbidden"
    assert refusal("nas") == "import_path_whole"
    assert refusal(str(allowed / "nothing")) == "import_path_missing"
    begun = desk.ok("post", "/imports", json={"source": {"type": "server", "path": str(allowed)}})
    office = works.office(desk, begun)
    for path in ("../secret/key", "way-out/key", "/etc/passwd", "inner/../../secret/key"):
        with pytest.raises(Exception, match="import_path_missing"):
            office.read_server_file(path)


def test_the_servers_folders_can_be_looked_through(desk: Desk, works: Works, tmp_path: Path) -> None:
    (tmp_path / "nas" / "inner").mkdir(parents=True)
    (tmp_path / "nas" / "a.txt").write_text("a")
    works.app.state.settings.import_folders = [str(tmp_path / "nas")]
    place = "/projects/tides/import-folders"
    assert [one["path"] for one in desk.person.ok("get", place)["items"]] == [str(tmp_path / "nas")]
    shown = desk.person.ok("get", place, params={"path": str(tmp_path / "nas")})
    assert [(one["name"], one["is_folder"]) for one in shown["items"]] == [("inner", True), ("a.txt", False)]
    assert code_of(desk.person.get(place, params={"path": "/etc"})) == "import_path_forbidden"


@pytest.fixture(scope="module")
def bucket() -> Iterator[str]:
    """An S3 server with pictures in a bucket; its address."""
    server = ThreadedMotoServer("127.0.0.1", 0)
    server.start()
    host, port = server.get_host_and_port()
    address = f"http://{host}:{port}"
    keys = {"aws_access_key_id": "key", "aws_secret_access_key": "secret", "region_name": "us-east-1"}
    s3: Any = boto3.client("s3", endpoint_url=address, **keys)
    s3.create_bucket(Bucket="pictures")
    for path, data in coco({"0.jpg": picture(0), "1.jpg": picture(1)}).items():
        s3.put_object(Bucket="pictures", Key=f"boats/{path}", Body=data)
    s3.put_object(Bucket="pictures", Key="other/2.jpg", Body=picture(2))
    yield address
    server.stop()


def test_a_prefix_of_a_bucket_is_imported(
    works: Works, desk: Desk, bucket: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    works.app.state.settings.outbound_allow = LOOPBACK
    monkeypatch.setenv("TIDEMILL_IMPORT_ACCESS_KEY", "key")
    monkeypatch.setenv("TIDEMILL_IMPORT_SECRET_KEY", "secret")
    source = {
        "type": "s3", "bucket": "pictures", "prefix": "boats/", "endpoint": bucket,
        "access_key": "key", "secret_key": "secret",
    }  # fmt: skip
    begun = desk.ok("post", "/imports", json={"source": source})
    assert "secret" not in str(begun)
    from tidemill.workloads.tables import WorkloadRow

    with works.app.state.db.read() as session:
        kept = session.get_one(WorkloadRow, begun["workload_id"]).secrets
    assert kept == {"TIDEMILL_IMPORT_ACCESS_KEY": "key", "TIDEMILL_IMPORT_SECRET_KEY": "secret"}
    done = works.run(desk, begun)
    assert (done["state"], done["format"], done["counts"]["added"]) == ("done", "coco", 2)
    assert [desk.item(seq)["path"] for seq in desk.seqs()] == ["images/0.jpg", "images/1.jpg"]
    missing = works.do(desk, "import", source={**source, "bucket": "nothing"})
    assert (missing["state"], missing["error"]["code"]) == ("failed", "bucket_unreadable")


@pytest.fixture
def shop(postgres_server: Postgres) -> Iterator[dict[str, Any]]:
    """A table of reviews in the suite's PostgreSQL; how to reach it."""
    address = postgres_server.url.replace("+psycopg", "")
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute("CREATE SCHEMA shop")
        connection.execute("CREATE TABLE shop.reviews (id int, said text, stars text, photo bytea)")
        rows = [(1, "excellent", "good", picture(1)), (2, "非常糟糕", "bad", picture(2)), (3, None, "bad", None)]
        for row in rows:
            connection.execute("INSERT INTO shop.reviews VALUES (%s, %s, %s, %s)", row)
        info = connection.info
        yield {
            "type": "postgresql", "host": info.host, "port": info.port, "database": info.dbname, "user": info.user,
        }  # fmt: skip
        connection.execute("DROP SCHEMA shop CASCADE")


def test_rows_of_a_query_become_texts_with_classes(works: Works, desk: Desk, shop: dict[str, Any]) -> None:
    works.app.state.settings.outbound_allow = LOOPBACK
    texts = desk.begin("reviews", data="text", kind="text-classification")
    columns = {"content": "said", "path": "id", "label": "stars"}
    query = "SELECT id, said, stars FROM shop.reviews ORDER BY id"
    done = works.do(texts, "import", source={**shop, "query": query, "columns": columns})
    assert done["state"] == "done", done["error"]
    assert (done["counts"]["added"], done["counts"]["notes"]) == (2, {"row_empty": 1})
    item = texts.item(2)
    assert (item["path"], item["info"]["text"]) == ("2.txt", "非常糟糕")
    assert texts.call("get", "/items/2/content").content.decode() == "非常糟糕"
    assert [one["type"] for one in item["annotations"]] == ["class"]
    assert "password" not in str(done["source"])


def test_pictures_in_a_column_are_files(works: Works, desk: Desk, shop: dict[str, Any]) -> None:
    works.app.state.settings.outbound_allow = LOOPBACK
    query = "SELECT id, photo, stars FROM shop.reviews WHERE photo IS NOT NULL ORDER BY id"
    columns = {"content": "photo", "path": "id", "label": "stars"}
    done = works.do(desk, "import", source={**shop, "query": query, "columns": columns})
    assert (done["state"], done["counts"]["added"]) == ("done", 2)
    assert (desk.item(1)["path"], desk.item(1)["width"]) == ("1.jpg", 40)
    assert desk.call("get", "/items/1/content").content == picture(1)


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("SELECT said FROM shop.reviews", "query_column_missing"),
        ("SELECT * FROM shop.nothing", "query_failed"),
        ("DELETE FROM shop.reviews RETURNING said, stars, id", "query_failed"),
    ],
)
def test_a_query_that_cannot_be_read_says_why(
    works: Works, desk: Desk, shop: dict[str, Any], query: str, code: str
) -> None:
    works.app.state.settings.outbound_allow = LOOPBACK
    source = {**shop, "query": query, "columns": {"content": "said", "label": "stars"}}
    done = works.do(desk, "import", source=source)
    assert (done["state"], done["error"]["code"]) == ("failed", code)


@pytest.fixture(scope="module")
def market(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Any]]:
    """A table of reviews in a MariaDB; how to reach it."""
    with start_mariadb(tmp_path_factory.mktemp("mariadb")) as server:
        with server.connect() as connection, connection.cursor() as cursor:
            cursor.execute("CREATE DATABASE market CHARACTER SET utf8mb4")
            cursor.execute("CREATE TABLE market.reviews (id int, said text, stars text, photo longblob)")
            rows = [(1, "excellent", "good|fast", picture(1)), (2, "非常糟糕", "bad", None)]
            cursor.executemany("INSERT INTO market.reviews VALUES (%s, %s, %s, %s)", rows)
            cursor.execute("CREATE USER reader@'%' IDENTIFIED BY 'secret'")
            cursor.execute("GRANT ALL ON market.* TO reader@'%'")
        yield {
            "type": "mysql", "host": "127.0.0.1", "port": server.port, "database": "market", "user": "reader",
            "password": "secret",
        }  # fmt: skip


def test_rows_of_mariadb_become_items_and_are_only_read(
    works: Works, desk: Desk, market: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    works.app.state.settings.outbound_allow = LOOPBACK
    monkeypatch.setenv("TIDEMILL_IMPORT_PASSWORD", "secret")
    texts = desk.begin("reviews", data="text", kind="text-classification")
    columns = {"content": "said", "path": "id", "label": "stars", "separator": "|"}
    source = {**market, "columns": columns}
    done = works.do(texts, "import", source={**source, "query": "SELECT id, said, stars FROM reviews ORDER BY id"})
    assert done["state"] == "done", done["error"]
    assert [texts.call("get", f"/items/{seq}/content").content.decode() for seq in (1, 2)] == ["excellent", "非常糟糕"]
    names = {label["number"]: label["name"] for label in texts.ok("get", "/labels")["items"]}
    assert [names[one["label"]] for one in texts.item(1)["annotations"]] == ["good", "fast"]
    refused = works.do(texts, "import", source={**source, "query": "DELETE FROM reviews"})
    assert (refused["state"], refused["error"]["code"]) == ("failed", "query_failed")
    assert "READ ONLY" in refused["error"]["message"]


class _Files(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        if self.path.startswith("/away"):
            self.send_response(302)
            self.send_header("Location", "http://192.168.0.1/secret")
            self.end_headers()
            return
        found = self.path.startswith("/pictures/")
        self.send_response(200 if found else 404)
        self.send_header("Content-Type", "image/jpeg")
        self.end_headers()
        if found:
            self.wfile.write(picture(int(self.path[-1])))

    def log_message(self, format: str, *args: Any) -> None:
        del format, args


@pytest.fixture
def site() -> Iterator[str]:
    with HTTPServer(("127.0.0.1", 0), _Files) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_files_at_addresses_are_fetched_with_their_classes(works: Works, desk: Desk, site: str) -> None:
    addresses = [
        {"url": f"{site}/pictures/1", "label": "boat"},
        {"url": f"{site}/pictures/2", "label": "buoy", "path": "sea/two.jpg"},
        {"url": f"{site}/nothing"},
    ]
    done = works.do(desk, "import", source={"type": "addresses", "addresses": addresses})
    assert (done["state"], done["counts"]["added"]) == ("done", 2)
    assert [desk.item(seq)["path"] for seq in desk.seqs()] == ["000001-1.jpg", "sea/two.jpg"]
    (note,) = desk.ok("get", f"/imports/{done['id']}/notes")["items"]
    assert (note["code"], note["path"], note["line"]) == ("address_unreadable", f"{site}/nothing", 3)


def test_private_networks_are_out_of_reach_also_by_redirect(
    monkeypatch: pytest.MonkeyPatch, site: str, works: Works, desk: Desk
) -> None:
    import socket

    monkeypatch.setattr(socket, "getaddrinfo", socket.getaddrinfo)
    monkeypatch.setenv("TIDEMILL_OUTBOUND_ALLOW", "127.0.0.1")
    guard.install()
    with pytest.raises(guard.Unreachable):
        socket.getaddrinfo("192.168.0.1", 80)
    assert socket.getaddrinfo("127.0.0.1", 80)
    done = works.do(desk, "import", source={"type": "addresses", "addresses": [{"url": f"{site}/away"}]})
    assert (done["state"], done["error"]["code"]) == ("failed", "addresses_none")
    assert "must not be reached" in done["error"]["message"]


@pytest.mark.parametrize(
    "source",
    [
        {"type": "s3", "bucket": "b", "endpoint": "http://127.0.0.1:9000"},
        {"type": "mysql", "host": "10.0.0.7", "database": "d", "user": "u", "query": "SELECT 1"},
        {"type": "postgresql", "host": "169.254.169.254", "database": "d", "user": "u", "query": "SELECT 1"},
    ],
)
def test_an_address_in_a_private_network_is_refused_at_once(desk: Desk, source: dict[str, Any]) -> None:
    assert code_of(desk.call("post", "/imports", json={"source": source})) == "address_private"


def test_projects_never_see_each_others_datasets(works: Works, desk: Desk, api: Api) -> None:
    api.project("hidden")
    Desk(api.admin, project="hidden").begin("gold")
    body = {"source": {"type": "dataset", "project": "hidden", "dataset": "gold"}}
    assert code_of(desk.call("post", "/imports", json=body)) == "project_not_found"
