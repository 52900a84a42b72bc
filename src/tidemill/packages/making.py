"""Packages made by the platform itself: one click from a model to a service."""

from sqlalchemy.orm import Session

from tidemill.accounts.access import Caller
from tidemill.assets.tables import VersionRow


def package_for_model(session: Session, model_version: VersionRow, *, by: Caller) -> VersionRow:
    """The version of a package with the built-in server and this model: one there is, or a new one being built.

    In the caller's project and transaction; the package is named after the model. What the model says of itself was
    read before (`app.state.facts.ensure(model_version.id)`). The state is in `PackageVersionRow`: a service waits until
    it is `completed`. Raises Invalid where the model cannot be served, naming the field `model`.
    """
    raise NotImplementedError
