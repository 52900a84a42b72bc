"""What refers to what: known, shown as a graph, and in the way of deleting."""

from tests.assets.conftest import Shelf, code_of, run_jobs
from tests.conftest import Api, Person


def sources(person: Person, at: str, *found: str, relation: str = "made_from") -> None:
    person.ok("post", f"{at}/sources", json={"sources": list(found), "relation": relation})


def graph(person: Person, at: str, depth: int = 3) -> tuple[set[str], set[tuple[str, str, str]]]:
    """Labels of the nodes, and edges between labels."""
    found = person.ok("get", f"{at}/lineage", params={"depth": depth})
    labels = {node["id"]: node["label"] for node in found["nodes"]}
    edges = {(labels[edge["from"]], labels[edge["to"]], edge["relation"]) for edge in found["edges"]}
    return set(labels.values()), edges


def test_lineage_goes_both_ways_and_as_deep_as_asked(models: Shelf, algorithms: Shelf, ada: Person) -> None:
    algorithms.committed("trainer", {"train.py": "x"})
    models.committed("base", {"w": "1"})
    models.committed("tuned", {"w": "2"})
    sources(ada, models.at("tuned", 1), "algorithm:trainer@1", "model:base@1", relation="trained_on")
    models.create("small")
    models.draft("small", **{"from": "tuned@1"})

    nodes, edges = graph(ada, models.at("tuned", 1))
    assert nodes == {"trainer@1", "base@1", "tuned@1", "small@1"}
    assert edges == {
        ("trainer@1", "tuned@1", "trained_on"),
        ("base@1", "tuned@1", "trained_on"),
        ("tuned@1", "small@1", "copied_from"),
    }
    assert graph(ada, models.at("small", 1), depth=1)[0] == {"small@1", "tuned@1"}
    assert graph(ada, algorithms.at("trainer", 1))[0] == {"trainer@1", "tuned@1", "small@1"}
    own = [node for node in ada.ok("get", f"{models.at('base', 1)}/lineage")["nodes"] if node["is_self"]]
    assert [node["label"] for node in own] == ["base@1"]


def test_what_something_was_made_from_is_not_deleted_and_the_answer_says_why(
    models: Shelf, algorithms: Shelf, ada: Person
) -> None:
    algorithms.committed("trainer", {"train.py": "x"})
    models.committed("tuned", {"w": "2"})
    sources(ada, models.at("tuned", 1), "algorithm:trainer@1")
    answer = ada.delete(algorithms.at("trainer", 1))
    assert (answer.status_code, code_of(answer)) == (409, "in_use")
    (referrer,) = answer.json()["error"]["details"]
    assert (referrer["kind"], referrer["name"], referrer["version"], referrer["project"]) == (
        "model",
        "tuned",
        1,
        "tides",
    )
    assert referrer["link"] == "/p/tides/models/tuned/versions/1"
    (item,) = ada.ok("get", f"{algorithms.at('trainer')}/references")["items"]
    assert (item["name"], item["relation"]) == ("tuned", "made_from")

    models.delete("tuned", 1)
    algorithms.delete("trainer", 1)
    algorithms.delete("trainer")


def test_copies_do_not_keep_their_source_from_being_deleted(models: Shelf, ada: Person) -> None:
    models.committed("base", {"w": "1"})
    ada.ok("post", f"{models.at('base')}/copy", json={"name": "copy"})
    assert [item["relation"] for item in ada.ok("get", f"{models.at('base')}/references")["items"]] == ["copied_from"]
    models.delete("base", 1)
    assert models.read("copy", 1, "w") == b"1"


def test_a_source_that_is_gone_for_good_stays_in_the_graph_as_a_memory(models: Shelf, ada: Person, api: Api) -> None:
    models.committed("base", {"w": "1"})
    models.create("next")
    models.draft("next", **{"from": "base@1"})
    models.delete("base", 1)
    models.delete("base")
    ada.ok("post", "/projects/tides/bin/empty")
    run_jobs(api.app)
    found = ada.ok("get", f"{models.at('next', 1)}/lineage")
    (gone,) = [node for node in found["nodes"] if not node["is_self"]]
    assert (gone["label"], gone["exists"], gone["link"]) == ("base@1", False, None)
    assert [edge["relation"] for edge in found["edges"]] == ["copied_from"]


def test_a_circle_is_refused(models: Shelf, ada: Person) -> None:
    for name in ("a", "b", "c"):
        models.committed(name, {"w": name})
    sources(ada, models.at("b", 1), "model:a@1")
    sources(ada, models.at("c", 1), "model:b@1")
    for source in ("model:c@1", "model:a@1"):
        answer = ada.post(f"{models.at('a', 1)}/sources", json={"sources": [source], "relation": "trained_on"})
        assert (answer.status_code, code_of(answer)) == (409, "lineage_cycle")


def test_saying_the_same_source_twice_is_one_edge(models: Shelf, ada: Person) -> None:
    models.committed("a", {"w": "a"})
    models.committed("b", {"w": "b"})
    for _ in range(2):
        sources(ada, models.at("b", 1), "model:a@1")
    assert len(graph(ada, models.at("b", 1))[1]) == 1


def test_a_source_must_say_its_kind_and_be_readable(models: Shelf, ada: Person, eve: Person) -> None:
    Shelf(eve, "elsewhere", "models").committed("secret", {"a": "b"})
    models.committed("a", {"w": "a"})
    for source in ("a@1", "spoon:a@1", "model:nothing@1", "model:elsewhere/secret@1"):
        answer = ada.post(f"{models.at('a', 1)}/sources", json={"sources": [source], "relation": "made_from"})
        assert (answer.status_code, answer.json()["error"]["field"]) == (422, "sources"), source


def test_names_in_projects_the_reader_cannot_see_are_not_told(public_models: Shelf, api: Api, eve: Person) -> None:
    """Somebody's private model was made from a public one: the public one's page must not give it away."""
    public_models.committed("base", {"w": "1"})
    api.project("secret project")
    mallory = api.user("mallory", project="secret project")
    hidden = Shelf(mallory, "secret project", "models")
    hidden.committed("secret model", {"w": "2"})
    sources(mallory, hidden.at("secret model", 1), "model:public/base@1")

    seen = eve.ok("get", f"{public_models.at('base', 1)}/lineage")
    assert "secret" not in str(seen)
    assert [node["label"] for node in seen["nodes"] if not node["is_self"]] == [""]
    assert eve.ok("get", f"{public_models.at('base')}/references")["items"] == []
    full = api.admin.ok("get", f"{public_models.at('base', 1)}/lineage")
    assert "secret model@1" in {node["label"] for node in full["nodes"]}
    assert code_of(api.admin.delete(public_models.at("base", 1))) == "in_use"
