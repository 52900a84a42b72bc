"""A running environment's software as a new image of its project."""

from fastapi import FastAPI

from tidemill.accounts.access import Caller
from tidemill.devenv.apps import get_running
from tidemill.devenv.schemas import SavedImageView
from tidemill.devenv.service import record
from tidemill.devenv.tables import EnvironmentRow
from tidemill.engines.base import Engine, EngineError
from tidemill.images.catalogue import refuse_taken
from tidemill.images.saving import save_snapshot
from tidemill.images.schemas import NewImage
from tidemill.images.tables import ImageRow
from tidemill.kernel.db import Database
from tidemill.kernel.errors import Conflict, Forbidden


def save_as_image(app: FastAPI, row: EnvironmentRow, body: NewImage, *, by: Caller) -> SavedImageView:
    """Freezes the first node. A list of Python packages is then built in the background; a container is ready at once.

    No transaction is open while the engine works; the image appears whole, or not at all.
    """
    if not by.may("image.write"):
        raise Forbidden("forbidden_permission", permission="image.write")
    db: Database = app.state.db
    engine: Engine = app.state.engine
    running = get_running(db, row)
    with db.read() as session:
        refuse_taken(session, body, by=by)
    try:
        snapshot = engine.snapshot(running.launch_id, 0)
    except EngineError as error:
        raise Conflict("environment_not_frozen", reason=str(error)) from None
    image_id = save_snapshot(app, snapshot, body, by=by)
    with db.write() as session:
        image = session.get_one(ImageRow, image_id)
        record(session, "environment.save_image", row, by=by, after={"image": f"{image.name}:{image.version}"})
        return SavedImageView(id=image.id, name=image.name, version=image.version, kind=image.kind, state=image.state)
