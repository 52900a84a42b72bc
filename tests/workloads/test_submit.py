"""What may be asked for, and what is refused at once."""

from typing import Any

import pytest
import sqlalchemy as sa

from tests.workloads.conftest import GIB, House
from tests.workloads.engine import machine
from tidemill.engines.base import Device, Machine, Runtime
from tidemill.kernel.errors import Conflict, Invalid, TidemillError
from tidemill.workloads.service import Input, Output
from tidemill.workloads.tables import WorkloadRow


def refused(house: House, **wanted: Any) -> TidemillError:
    with pytest.raises(TidemillError) as caught:
        house.submit(**wanted)
    return caught.value


def test_a_workload_waits_when_it_is_submitted(house: House) -> None:
    workload = house.submit("train")
    view = house.api.admin.ok("get", f"/projects/tides/workloads/{workload}")
    assert (view["state"], view["name"], view["spec"], view["resources"]["cpus"]) == ("pending", "train", "one", 1)
    assert view["image"] == "tidemill/python:1" or view["image"].startswith("tidemill/python")


BROKEN: list[tuple[dict[str, Any], str]] = [
    ({"spec": "huge"}, "spec"),
    ({"spec": "nowhere"}, "spec"),
    ({"spec": "off"}, "spec"),
    ({"nodes": 5}, "nodes"),
    ({"nodes": 0}, "nodes"),
    ({"command": ()}, "command"),
    ({"retries": -1}, "retries"),
    ({"time_limit_s": 0}, "time_limit_s"),
    ({"idle_limit_s": -1}, "idle_limit_s"),
    ({"window": ("25:00", "06:00", "UTC")}, "window"),
    ({"window": ("22:00", "06:00", "Nowhere/Land")}, "window"),
    ({"window": ("22:00", "06:00", "../../etc/passwd")}, "window"),
    ({"window": ("22:00", "22:00", "UTC")}, "window"),
    ({"outputs": (Output("../up", "m"),)}, "outputs"),
    ({"outputs": (Output("a", "m"), Output("b", "n"))}, "outputs"),
    ({"inputs": (Input("ver_nope", "model/x", "link"),)}, "inputs"),
    ({"image": "nothing/like:it"}, "image"),
]


def test_what_breaks_a_rule_is_refused_with_its_field(house: House) -> None:
    house.spec("huge", cpus=64, gib=1)
    house.spec("off", cpus=1, gib=1, is_enabled=False)
    for wanted, field in BROKEN:
        error = refused(house, **wanted)
        assert isinstance(error, Invalid), wanted
        assert error.field == field, wanted
    with house.db.read() as session:
        assert session.scalar(sa.select(sa.func.count()).select_from(WorkloadRow)) == 0


def test_an_image_needs_a_machine_that_runs_its_kind(house: House) -> None:
    house.set_machines([Machine("containers only", 4.0, 8 * GIB, runtimes=(Runtime.CONTAINER,))])
    assert refused(house).code == "workload_never_fits"
    house.set_machines([Machine("containers only", 4.0, 8 * GIB, runtimes=(Runtime.CONTAINER,)), machine("both")])
    workload = house.submit(nodes=2)
    assert {node["machine"] for node in house.until(workload, "running").placement} == {"both"}


def test_too_many_nodes_are_told_how_many_would_fit(house: House) -> None:
    error = refused(house, nodes=5)
    assert error.code == "workload_too_many_nodes"
    assert error.params["fits"] == 4


def test_what_the_whole_quota_would_not_allow_is_refused(house: House) -> None:
    house.api.admin.ok("patch", "/projects/tides", json={"quota": {"cpu": 2}})
    error = refused(house, nodes=3)
    assert isinstance(error, Conflict)
    assert (error.code, error.field, error.params["limit"]) == ("workload_over_quota", "nodes", "2")
    assert house.submit(nodes=2)


def test_a_share_of_a_device_needs_one_that_can_be_divided(house: House) -> None:
    house.spec("half", cpus=1, gib=1, accelerator="gpu", accelerators=0.5)
    house.set_machines([machine(devices=(Device("gpu", "0"),))])
    assert refused(house, spec="half").code == "workload_never_fits"
    house.set_machines([machine(devices=(Device("gpu", "0", shares=2),))])
    assert house.submit(spec="half")


def test_specs_are_administrators_to_make_and_everyones_to_read(house: House) -> None:
    ann = house.api.user("ann", project=house.project)
    body = {"name": "big", "cpus": 2, "memory_bytes": GIB, "accelerator": "gpu", "accelerators": 2}
    assert ann.post("/specs", json=body).status_code == 403
    made = house.api.admin.ok("post", "/specs", json=body)
    assert made["fits"] is False, "there is no such device here"
    assert house.api.admin.post("/specs", json=body).json()["error"]["field"] == "name"
    names = [spec["name"] for spec in ann.ok("get", "/specs")["items"]]
    assert {"small", "medium", "whole", "one", "big"} <= set(names)
    changed = house.api.admin.ok("patch", "/specs/big", json={"accelerator": None, "accelerators": 0})
    assert (changed["accelerator"], changed["fits"]) == (None, True)
    assert house.api.admin.patch("/specs/big", json={"accelerators": 1}).json()["error"]["code"] == "spec_accelerators"
    house.api.admin.ok("delete", "/specs/big")
    assert ann.get("/specs/big").status_code == 404


def test_specs_for_this_machine_are_there_after_the_first_start(house: House) -> None:
    specs = {spec["name"]: spec for spec in house.api.admin.ok("get", "/specs")["items"]}
    assert specs["small"]["cpus"] <= specs["medium"]["cpus"] <= specs["whole"]["cpus"]
    assert next(iter(specs)) == "small", "it is the one that is taken when none is named"


def test_a_workload_of_another_project_is_not_there(house: House) -> None:
    workload = house.submit()
    house.api.project("other")
    assert house.api.admin.get(f"/projects/other/workloads/{workload}").status_code == 404
    ann = house.api.user("ann", project="other")
    assert ann.get(f"/projects/tides/workloads/{workload}").status_code == 404


def test_machines_show_what_is_given_out(house: House) -> None:
    house.set_machines([machine(devices=(Device("gpu", "0"), Device("gpu", "1")))])
    house.spec("gpu", cpus=1, gib=1, accelerator="gpu", accelerators=1.0)
    house.until(house.submit(spec="gpu"), "running")
    (shown,) = house.api.admin.ok("get", "/machines")
    assert (shown["cpus_used"], shown["memory_used_bytes"], shown["workloads"]) == (1, GIB, 1)
    assert [device["used"] for device in shown["devices"]] == [1, 0]
    ann = house.api.user("ann", project=house.project)
    assert ann.get("/machines").status_code == 403
