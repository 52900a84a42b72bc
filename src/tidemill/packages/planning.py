"""From a recipe to a plan: every reference found and readable, every rule kept, or the field named that breaks one."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sqlalchemy.orm import Session

from tidemill.accounts.access import Caller
from tidemill.assets.kinds import ALGORITHM, MODEL
from tidemill.assets.lookup import Found, resolve_reference
from tidemill.images.names import PUBLIC
from tidemill.images.service import resolve
from tidemill.images.tables import ImageRow
from tidemill.kernel.errors import Conflict, Invalid
from tidemill.models.facts import READ
from tidemill.models.manifests import Manifest
from tidemill.models.naming import name_for
from tidemill.models.pythons import ALGORITHMS, RUNTIME
from tidemill.models.tables import FactsRow
from tidemill.packages import pickles
from tidemill.packages.plans import CODE, MODELS, BaseImage, Plan, Source
from tidemill.packages.schemas import Recipe, Server
from tidemill.packages.starting import SERVE, start_of
from tidemill.store import trees
from tidemill.store.tables import TreeRow

CLASS_FILE = "model.py"
_HEAVY = frozenset({"torchscript", "sklearn", "pickle", "lightgbm"})
"""Formats that need more than ONNX Runtime; what XGBoost needs is small and comes along by itself."""
_UNSERVABLE = frozenset(
    {
        *("tensorrt", "tflite", "coreml", "openvino", "paddle", "tfjs", "keras", "savedmodel", "gguf", "safetensors"),
        *("fasttext", "pytorch"),
    }
)
"""Formats the built-in server cannot run by themselves; code of the user's own may."""


@dataclass(frozen=True, slots=True)
class Named:
    """The versions a recipe names."""

    models: tuple[Found, ...]
    algorithm: Found | None

    @property
    def version_ids(self) -> list[str]:
        return [one.version.id for one in (*self.models, *([self.algorithm] if self.algorithm else ()))]


def find_named(session: Session, recipe: Recipe, *, by: Caller) -> Named:
    """What the recipe names; raises where the caller may not read something, or where it may still change."""
    models = tuple(resolve_reference(session, one, by=by, kind=MODEL, field="models") for one in recipe.models)
    algorithm = None
    if recipe.algorithm is not None:
        algorithm = resolve_reference(session, recipe.algorithm, by=by, kind=ALGORITHM, field="algorithm")
    for field, found in (*(("models", one) for one in models), ("algorithm", algorithm)):
        if found is not None and found.version.state != "committed":
            raise Conflict("package_source_draft", field=field, name=name_for(found, by))
    _refuse_twice(models)
    return Named(models, algorithm)


def make_plan(
    session: Session, recipe: Recipe, named: Named, requirements: Sequence[str], *, own_python: bool, by: Caller
) -> Plan:
    """The plan; what the versions say of themselves was read before, and requirements were checked."""
    models = tuple(_model_source(session, found, by) for found in named.models)
    code, manifest = _code_source(session, named.algorithm, by) if named.algorithm else (None, None)
    server = _choose_server(session, recipe, named, manifest, by)
    if server == "builtin":
        _check_servable(session, named.models, by)
    function = manifest.functions["serve"].command if server == "function" and manifest else None
    tasks = {one.task for one in models if one.task}
    base = _choose_base(session, recipe, models, server, manifest, by)
    return Plan(
        sources=(*models, *([code] if code else ())),
        base=base,
        server=server,
        protocol="v2" if server in {"builtin", "class"} else "http",
        has_grpc=server in {"builtin", "class"},
        task=tasks.pop() if len(tasks) == 1 else "",
        start=start_of(server, recipe, function),
        requirements=tuple(requirements),
        own_python=own_python,
    )


def exact(recipe: Recipe, plan: Plan) -> Recipe:
    """The recipe with the versions that were meant."""
    code = plan.code
    return replace_fields(
        recipe,
        models=[one.reference for one in plan.models],
        algorithm=code.reference if code else None,
        requirements=list(plan.requirements),
    )


def replace_fields(recipe: Recipe, **values: object) -> Recipe:
    return Recipe(**{**recipe.model_dump(include=set(Recipe.model_fields)), **values})


def with_image(plan: Plan, image: str | None) -> Plan:
    return replace(plan, image=image)


def _refuse_twice(models: Sequence[Found]) -> None:
    seen: set[str] = set()
    for found in models:
        if found.asset.name_key in seen:
            raise Invalid("package_model_twice", field="models", name=found.asset.name)
        seen.add(found.asset.name_key)


def _facts(session: Session, found: Found) -> FactsRow | None:
    row = session.get(FactsRow, found.version.id)
    return row if row is not None and row.state == READ else None


def _model_source(session: Session, found: Found, by: Caller) -> Source:
    facts = _facts(session, found)
    return Source(
        kind=MODEL.name,
        version_id=found.version.id,
        reference=name_for(found, by),
        folder=f"{MODELS}/{found.asset.name}",
        tree=_tree_digest(session, found),
        task=facts.task if facts else "",
        format=found.version.format,
    )


def _code_source(session: Session, found: Found, by: Caller) -> tuple[Source, Manifest | None]:
    facts = _facts(session, found)
    source = Source(
        kind=ALGORITHM.name,
        version_id=found.version.id,
        reference=name_for(found, by),
        folder=CODE,
        tree=_tree_digest(session, found),
        task=facts.task if facts else "",
    )
    return source, Manifest.model_validate(facts.facts) if facts else None


def _tree_digest(session: Session, found: Found) -> str:
    return session.get_one(TreeRow, found.version.tree_id).manifest_digest or ""


def _choose_server(session: Session, recipe: Recipe, named: Named, manifest: Manifest | None, by: Caller) -> Server:
    """The recipe's command before the code's class, that before its function `serve`."""
    if named.algorithm is None:
        return "builtin"
    if recipe.command:
        return "command"
    if trees.find_entry(session, named.algorithm.version.tree_id, CLASS_FILE) is not None:
        return "class"
    function = manifest.functions.get("serve") if manifest else None
    if function is None:
        raise Invalid("package_no_start", field="command", name=name_for(named.algorithm, by))
    # Algorithms that only say that the built-in server will do.
    if function.command.strip() == SERVE:
        if not named.models:
            raise Invalid("package_no_models", field="models")
        return "builtin"
    return "function"


def _check_servable(session: Session, models: Sequence[Found], by: Caller) -> None:
    """What the built-in server could not, or may not, run is refused now and not when a service starts."""
    allowed = pickles.are_allowed(session, by.project.id)
    for found in models:
        facts = _facts(session, found)
        if facts is not None and facts.facts.get("is_runnable"):
            continue
        if found.version.format in _UNSERVABLE:
            raise Invalid(
                "package_model_unservable", field="models", name=name_for(found, by), format=found.version.format
            )
        path = None if allowed else pickles.find_pickle(session, found.version.tree_id)
        if path is not None:
            raise Invalid(
                "package_pickles",
                field="models",
                details=pickles.way_to_allow(by),
                name=name_for(found, by),
                path=path,
            )


def _choose_base(
    session: Session, recipe: Recipe, models: Sequence[Source], server: Server, manifest: Manifest | None, by: Caller
) -> BaseImage:
    wanted = recipe.image
    if wanted is None and server != "builtin" and manifest is not None:
        wanted = manifest.image
    if wanted is None:
        wanted = ALGORITHMS if any(one.format in _HEAVY for one in models) else RUNTIME
    found = resolve(session, by.project.id, wanted)
    row = session.get_one(ImageRow, found.id)
    name = found.title if row.is_builtin or row.project_id == by.project.id else f"{PUBLIC}/{found.title}"
    return BaseImage(found.id, found.kind, name, "" if row.is_builtin else found.digest, row.is_builtin)
