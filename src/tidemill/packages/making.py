"""Packages made by the platform itself: one click from a model to a service."""

import sqlalchemy as sa
from sqlalchemy.orm import Session

from tidemill.accounts.access import Caller
from tidemill.accounts.tables import ProjectRow
from tidemill.assets import service as assets
from tidemill.assets.kinds import PACKAGE, SCENES, Scene
from tidemill.assets.lookup import Found
from tidemill.assets.schemas import AssetCreate
from tidemill.assets.tables import AssetRow, VersionRow
from tidemill.kernel.errors import Conflict, Forbidden, Invalid
from tidemill.models.naming import name_for
from tidemill.packages.planning import Named, exact, make_plan
from tidemill.packages.plans import digest_of
from tidemill.packages.rows import same_digest
from tidemill.packages.schemas import Recipe
from tidemill.packages.versions import Planned, add_version

_USABLE = ("completed", "building", "pending")


def package_for_model(
    session: Session, model_version: VersionRow, *, by: Caller, own_python: bool = True
) -> VersionRow:
    """The version of a package with the built-in server and this model: one there is, or a new one being built.

    In the caller's project and transaction; the package is named after the model. What the model says of itself was
    read before (`app.state.facts.ensure(model_version.id)`); `own_python` is `settings.models_own_python`. The state is
    in `PackageVersionRow`: a service waits until it is `completed`. Raises Invalid where the model cannot be served,
    naming the field `model`.
    """
    model = _found(session, model_version)
    planned = _plan(session, model, own_python=own_python, by=by)
    if (there := _find_same(session, planned, by=by)) is not None:
        return there
    if not by.may("package.write"):
        raise Forbidden("forbidden_permission", permission="package.write")
    version, _ = add_version(session, _package(session, model, by=by), planned, note="", by=by)
    return version


def _found(session: Session, model_version: VersionRow) -> Found:
    asset = session.get_one(AssetRow, model_version.asset_id)
    return Found(session.get_one(ProjectRow, asset.project_id), asset, model_version)


def _plan(session: Session, model: Found, *, own_python: bool, by: Caller) -> Planned:
    if model.version.state != "committed":
        raise Conflict("package_source_draft", field="model", name=name_for(model, by))
    recipe = Recipe(models=[name_for(model, by)])
    try:
        plan = make_plan(session, recipe, Named((model,), None), (), own_python=own_python, by=by)
    except Invalid as error:
        raise Invalid(error.code, field="model", details=error.details, **error.params) from None
    return Planned(exact(recipe, plan), plan)


def _find_same(session: Session, planned: Planned, *, by: Caller) -> VersionRow | None:
    digest = digest_of(planned.plan, planned.recipe)
    found = same_digest(session, by.project.id, [digest]).get(digest, [])
    usable = sorted((one for one in found if one[2].state in _USABLE), key=lambda one: _USABLE.index(one[2].state))
    return session.get_one(VersionRow, usable[0][0]) if usable else None


def _package(session: Session, model: Found, *, by: Caller) -> AssetRow:
    """The package of the model's name, locked; made when there is none."""
    named = sa.select(AssetRow).where(
        AssetRow.project_id == by.project.id,
        AssetRow.kind == PACKAGE.name,
        AssetRow.name_key == model.asset.name_key,
        AssetRow.deleted_at.is_(None),
    )
    there = session.scalar(named.with_for_update(key_share=True))
    if there is not None:
        return there
    scene = model.asset.scene if model.asset.scene in SCENES else "other"
    return assets.create_asset(
        session, PACKAGE, AssetCreate(name=model.asset.name, scene=Scene(scene), description=""), by=by
    )
