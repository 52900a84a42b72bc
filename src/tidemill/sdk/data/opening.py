"""Where a dataset is: in the run's workspace, in a folder, or on the server, from where it is fetched once."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

from tidemill.kernel.errors import Invalid, NotFound
from tidemill.sdk import tracking
from tidemill.sdk.data.dataset import ABOUT, Dataset
from tidemill.sdk.language import problem
from tidemill.sdk.refs import Ref, parse_ref

if TYPE_CHECKING:
    from tidemill.sdk.client import Client


def open(name: str | Ref | None = None, *, client: "Client | None" = None, cache: Path | None = None) -> Dataset:
    """A version of a dataset: `boats` (the latest), `boats@3`, `public/boats@3`.

    In a run it is what the run was given; without a name, the only dataset the run has. Elsewhere the published version
    is fetched with the client (made from `TIDEMILL_URL` and `tidemill login` if none is given) into a cache
    (`TIDEMILL_DATA_CACHE`, else `~/.cache/tidemill/datasets`), where it is found the next time.
    """
    given = given_to_run()
    if name is None:
        return _only(given)
    ref = parse_ref(name)
    found = given.get(ref.name)
    if found is not None:
        return _checked(Dataset.of_folder(found), ref)
    if tracking.run().id is not None and client is None:
        raise problem(NotFound, "sdk_data_not_given", name=str(ref), given=", ".join(sorted(given)) or "—")
    return open_folder(_fetched(ref, client, cache))


def open_folder(folder: Path | str) -> Dataset:
    """The version whose files are in a folder: `dataset.json`, `annotations.jsonl` and the items."""
    return Dataset.of_folder(Path(folder))


def given_to_run() -> dict[str, Path]:
    """Datasets in the run's workspace, by name."""
    place = tracking.run().workspace / "dataset"
    if not place.is_dir():
        return {}
    return {folder.name: folder for folder in sorted(place.iterdir()) if (folder / ABOUT).is_file()}


def _only(given: dict[str, Path]) -> Dataset:
    if len(given) == 1:
        return Dataset.of_folder(next(iter(given.values())))
    code = "sdk_data_name_needed" if given else "sdk_data_none"
    raise problem(Invalid, code, field="name", given=", ".join(given))


def _checked(dataset: Dataset, ref: Ref) -> Dataset:
    """The run has one version of a dataset; a script that names another must not be given it silently."""
    number = dataset.about.get("dataset_version")
    if ref.version not in (None, "latest") and number is not None and str(number) != ref.version:
        raise problem(Invalid, "sdk_data_other_version", field="name", name=str(ref), number=number)
    return dataset


def _fetched(ref: Ref, client: "Client | None", cache: Path | None) -> Path:
    from tidemill.sdk.client import Client

    if client is not None:
        return _fetch(client, ref, cache or _cache())
    with Client() as made:
        return _fetch(made, ref, cache or _cache())


def _fetch(client: "Client", ref: Ref, cache: Path) -> Path:
    from tidemill.sdk.resources.assets import Assets

    version = client.datasets.version(ref)
    if version.work != "published":
        raise problem(Invalid, "sdk_data_draft", field="name", name=f"{ref.name}@{version.number}")
    project = client.project_name(ref.project)
    folder = cache / _safe(client.url) / _safe(project) / f"{_safe(ref.name)}@{version.number}"
    if not folder.is_dir():
        # What is fetched half is gone on with the next time, and never taken for the whole.
        part = folder.with_name(f"{folder.name}.part")
        Assets(client, "dataset").pull(Ref(ref.name, project, str(version.number)), part, delete=True)
        part.rename(folder)
    return folder


def _cache() -> Path:
    told = os.environ.get("TIDEMILL_DATA_CACHE")
    return Path(told) if told else Path.home() / ".cache" / "tidemill" / "datasets"


def _safe(name: str) -> str:
    """A name as one part of a path."""
    kept = "".join(letter if letter.isalnum() or letter in "-_." else "-" for letter in name)
    return kept.strip(".") or "-"
