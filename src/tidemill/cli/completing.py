"""Names offered while one types; quietly nothing when the server is away."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

if TYPE_CHECKING:
    from tidemill.sdk import Client

Completer = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]

SCENES = (
    "image-classification", "object-detection", "segmentation", "keypoints", "ocr", "text-classification",
    "audio-classification", "audio-transcription", "tabular", "video", "other",
)  # fmt: skip
MOST = 50


def complete_project(ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    return _offer(ctx, incomplete, lambda client: _first(client.projects.list(q=incomplete or None)))


def complete_user(ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    return _offer(ctx, incomplete, lambda client: _first(client.users.list(q=incomplete or None)))


def complete_role(ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    return _offer(ctx, incomplete, lambda client: _first(client.roles.list(q=incomplete or None)))


def complete_spec(ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    return _offer(ctx, incomplete, lambda client: _first(client.specs.list(q=incomplete or None)))


def complete_task(ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    return _offer(ctx, incomplete, lambda client: _first(client.tasks.list(q=incomplete or None)))


def complete_inference(ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    return _offer(ctx, incomplete, lambda client: _first(client.inferences.list(q=incomplete or None)))


def complete_run(ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    return _offer(ctx, incomplete, lambda client: _first(client.runs.list(q=incomplete or None)))


def complete_experiment(ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    return _offer(ctx, incomplete, lambda client: _first(client.experiments.list(q=incomplete or None)))


def complete_environment(ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    return _offer(ctx, incomplete, lambda client: _first(client.environments.list(q=incomplete or None)))


def complete_image(ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    def ask(client: "Client") -> Iterable[str]:
        found = client.images.list(q=incomplete.partition(":")[0] or None).page(limit=MOST).items
        return (f"{image.name}:{image.version}" for image in found)

    return _offer(ctx, incomplete, ask)


def complete_scene(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    return [CompletionItem(scene) for scene in SCENES if scene.startswith(incomplete)]


def complete_asset(kind: str) -> Completer:
    """Names of one kind of asset; after `public/` or another project's name, the ones there."""

    def complete(ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        project, slash, name = incomplete.rpartition("/")

        def ask(client: "Client") -> Iterable[str]:
            group = getattr(client, f"{kind}s")
            return (project + slash + found for found in _first(group.list(project=project or None, q=name or None)))

        return _offer(ctx, incomplete, ask)

    return complete


def _first(listing: Any) -> list[str]:
    return [item.name for item in listing.page(limit=MOST).items]


def _offer(ctx: click.Context, incomplete: str, ask: "Callable[[Client], Iterable[str]]") -> list[CompletionItem]:
    from tidemill.sdk import Client, TidemillError
    from tidemill.sdk.patience import NONE

    chosen = {name: _find_option(ctx, name) for name in ("url", "token", "project")}
    try:
        with Client(**chosen, timeout_s=2.0, patience=NONE) as client:
            return [CompletionItem(name) for name in ask(client) if name.startswith(incomplete)]
    except TidemillError:
        # Whatever is wrong will be said when the command is run; a prompt is no place for it.
        return []


def _find_option(ctx: click.Context, name: str) -> Any:
    here: click.Context | None = ctx
    while here is not None:
        if value := here.params.get(name):
            return value
        here = here.parent
    return None
