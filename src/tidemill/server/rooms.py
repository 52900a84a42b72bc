"""The rooms that are in the house, from the cellar up. A new room is one line here."""

from tidemill.accounts.room import room as accounts
from tidemill.annotation.room import room as annotation
from tidemill.assets.room import room as assets
from tidemill.builds.room import room as builds
from tidemill.datasets.room import room as datasets
from tidemill.devenv.room import room as devenv
from tidemill.doors.room import room as doors
from tidemill.hooks.room import room as hooks
from tidemill.images.room import room as images
from tidemill.inference.room import room as inference
from tidemill.jobs.room import room as jobs
from tidemill.kernel.rooms import Room
from tidemill.models.room import room as models
from tidemill.monitor.room import room as monitor
from tidemill.packages.room import room as packages
from tidemill.serving.room import room as serving
from tidemill.store.room import room as store
from tidemill.tracking.room import room as tracking
from tidemill.training.room import room as training
from tidemill.transfers.room import room as transfers
from tidemill.workloads.room import room as workloads

ROOMS: tuple[Room, ...] = (
    store,
    accounts,
    transfers,
    jobs,
    hooks,
    assets,
    images,
    workloads,
    doors,
    datasets,
    annotation,
    builds,
    training,
    tracking,
    devenv,
    models,
    packages,
    inference,
    serving,
    monitor,
)
