"""Launches whose image has to be made first hold nobody up."""

import threading

import pytest

from tests.workloads.conftest import House, eventually
from tests.workloads.engine import machine
from tidemill.engines.base import Image
from tidemill.images.depot import Images
from tidemill.images.environments import Progress
from tidemill.images.service import ResolvedImage
from tidemill.kernel.errors import Invalid
from tidemill.workloads import launching, readying

SLOW = "tidemill/jupyter"
MANY = launching.WORKERS + 4


class Factory:
    """Makes images when it is told to."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.made: list[str] = []
        self.may_go_on = threading.Event()
        self.breaks = False
        monkeypatch.setattr(readying, "make_ready", self.make)

    def make(self, images: Images, resolved: ResolvedImage, on_progress: Progress) -> Image:
        assert images is not None
        self.made.append(resolved.title)
        on_progress("installing 12 packages")
        assert self.may_go_on.wait(20)
        if self.breaks:
            raise Invalid("image_unknown", field="image", image=resolved.title)
        return Image("python", "/made")


@pytest.fixture
def factory(house: House, monkeypatch: pytest.MonkeyPatch) -> Factory:
    house.set_machines([machine(cpus=100.0, gib=200)])
    return Factory(monkeypatch)


def test_more_than_there_are_threads_wait_for_one_image_and_others_start_past_them(
    house: House, factory: Factory
) -> None:
    waiting = [house.submit(f"slow-{n}", image=SLOW) for n in range(MANY)]
    for workload in waiting:
        house.until(workload, "starting")
    eventually(lambda: all("installing" in str(house.row(workload).message) for workload in waiting))
    house.until(house.submit("quick"), "running")
    assert all(house.state(workload) == "starting" for workload in waiting)
    assert len(factory.made) == 1
    factory.may_go_on.set()
    for workload in waiting:
        house.until(workload, "running")
    images = [launch.image.reference for launch in house.engine.launched if launch.image.reference == "/made"]
    assert len(images) == MANY


def test_one_that_is_stopped_while_its_image_is_made_never_starts(house: House, factory: Factory) -> None:
    workload = house.submit(image=SLOW)
    house.until(workload, "starting")
    eventually(lambda: factory.made)
    house.stop(workload)
    house.until(workload, "stopped")
    factory.may_go_on.set()
    house.until(house.submit("next"), "running")
    assert workload not in [launch.environment["TIDEMILL_WORKLOAD_ID"] for launch in house.engine.launched]
    assert house.state(workload) == "stopped"


def test_an_image_that_cannot_be_made_ends_all_who_wait_for_it(house: House, factory: Factory) -> None:
    factory.breaks = True
    waiting = [house.submit(f"slow-{n}", image=SLOW) for n in range(3)]
    for workload in waiting:
        house.until(workload, "starting")
    factory.may_go_on.set()
    for workload in waiting:
        assert house.until(workload, "failed").stop_reason == "launch_failed"
