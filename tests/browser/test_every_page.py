"""Each page in both languages, both themes, wide and narrow: drawn, accessible, nothing sticking out, nothing mixed."""

import re
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, expect

from tests.browser.annotating import make_version, picture
from tests.browser.conftest import ADMIN_PASSWORD, NARROW, WIDE, Rest, serious_violations
from tests.browser.small_service import end_services, make_package

VERSION = "/p/{project}/datasets/detection/versions/1"
SERVICE = "/p/{project}/services/finder"
PAGES = {
    "datasets": "/p/{project}/datasets",
    "dataset": "/p/{project}/datasets/detection",
    "dataset references": "/p/{project}/datasets/detection?tab=references",
    "the loop": "/p/{project}/datasets/detection?tab=loop",
    "items": VERSION,
    "items in a table": f"{VERSION}?view=table",
    "item": f"{VERSION}?item=1",
    "statistics": f"{VERSION}?tab=statistics",
    "labels": f"{VERSION}?tab=labels",
    "imports": f"{VERSION}?tab=imports",
    "exports": f"{VERSION}?tab=exports",
    "cleaning": f"{VERSION}?tab=cleaning",
    "compare": f"{VERSION}?tab=compare",
    "dataset files": f"{VERSION}?tab=files",
    "dataset lineage": f"{VERSION}?tab=lineage",
    "new import": f"{VERSION}/import",
    "auto-annotation": f"{VERSION}?tab=auto",
    "label errors": f"{VERSION}?tab=errors",
    "new auto-annotation": f"{VERSION}/auto",
    "workbench": f"{VERSION}/annotate",
    "label sets": "/p/{project}/label-sets",
    "label set": "/p/{project}/label-sets/harbour",
    "algorithms": "/p/{project}/algorithms",
    "models": "/p/{project}/models",
    "files": "/p/{project}/models/net",
    "facts": "/p/{project}/models/net?tab=overview",
    "versions": "/p/{project}/models/net?tab=versions",
    "lineage": "/p/{project}/models/net?tab=lineage",
    "references": "/p/{project}/models/net?tab=references",
    "evaluations of a model": "/p/{project}/models/net?tab=evaluations",
    "evaluations": "/p/{project}/evaluations",
    "compare models": "/p/{project}/evaluations/compare",
    "batch inference": "/p/{project}/inferences",
    "new batch inference": "/p/{project}/inferences/new",
    "batch inference with code": "/p/{project}/inferences/look",
    "settings of batch inference": "/p/{project}/inferences/look?tab=settings",
    "edit batch inference": "/p/{project}/inferences/look/edit",
    "catalogue": "/p/{project}/catalogue",
    "train": f"{VERSION}/train",
    "environments": "/p/{project}/environments",
    "new environment": "/p/{project}/environments/new",
    "images": "/p/{project}/images",
    "public images": "/p/{project}/images?from=public",
    "new image": "/p/{project}/images/new",
    "ssh keys": "/account?tab=ssh-keys",
    "training": "/p/{project}/training",
    "new task": "/p/{project}/training/new",
    "task": "/p/{project}/training/tasks/tide?tab=settings",
    "workloads": "/p/{project}/workloads",
    "packages": "/p/{project}/packages",
    "package": "/p/{project}/packages/finder",
    "package versions": "/p/{project}/packages/finder?tab=versions",
    "package users": "/p/{project}/packages/finder?tab=users",
    "new package version": "/p/{project}/packages/finder/new?from=1",
    "services": "/p/{project}/services",
    "new service": "/p/{project}/services/new",
    "service": SERVICE,
    "service test": f"{SERVICE}?tab=test",
    "service metrics": f"{SERVICE}?tab=metrics",
    "replicas": f"{SERVICE}?tab=replicas",
    "service keys": f"{SERVICE}?tab=keys",
    "service rules": f"{SERVICE}?tab=rules",
    "shadow traffic": f"{SERVICE}?tab=shadow",
    "service events": f"{SERVICE}?tab=events",
    "service settings": f"{SERVICE}?tab=settings",
    "bin": "/p/{project}/bin",
    "project": "/p/{project}",
    "project settings": "/p/{project}?tab=settings",
    "members": "/p/{project}/members",
    "webhooks": "/p/{project}/webhooks",
    "project audit": "/p/{project}/audit",
    "account": "/account",
    "platform": "/admin/overview",
    "specs": "/admin/specs",
    "projects": "/admin/projects",
    "new project": "/admin/projects/new",
    "users": "/admin/users",
    "groups": "/admin/groups",
    "roles": "/admin/roles",
    "audit": "/admin/audit",
    "system": "/admin/system",
}
# Each language, width and theme once.
LOOKS = [("en", WIDE, False), ("zh-CN", NARROW, True)]


@pytest.mark.parametrize(("language", "size", "dark"), LOOKS, ids=["en-wide", "zh-narrow-dark"])
def test_every_page(visit: Any, rest: Rest, project: str, language: str, size: dict[str, int], dark: bool) -> None:
    rest.version(project, "models", "net", {"README.md": b"# Net\n", "labels.csv": b"a,b\n1,2\n"})
    _annotated(rest, project)
    rest.call("post", f"/projects/{project}/tasks", {"name": "tide", "command": "true", "parameters": {"lr": 0.1}})
    make_package(rest, project)
    rest.call("post", f"/projects/{project}/services", {"name": "finder", "package": "finder@1", "replicas": 0})
    code = {"form": "code", "command": "true", "parameters": {"part": 1}}
    rest.call("post", f"/projects/{project}/inferences", {"name": "look", "settings": code})
    visitor = visit(language=language, size=size, dark=dark)
    visitor.sign_in("admin", ADMIN_PASSWORD)
    page = visitor.go(f"/p/{project}")
    problems = []
    for name, path in PAGES.items():
        _go_on(page, path.format(project=project))
        expect(page.locator(".ant-skeleton, .ant-spin-spinning")).to_have_count(0)
        problems += [f"{name}: {found}" for found in serious_violations(page)]
        problems += [f"{name}: {found}" for found in _sticking_out(page)]
        if language == "en":
            problems += [f"{name}: Chinese in the English page: {text}" for text in _chinese_in(page)]
    end_services(rest, project)
    assert problems == []


def _go_on(page: Page, path: str) -> None:
    """To another page as a link leads there, without loading the application again."""
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    # Another tab of the same page keeps its heading; any other page comes with one of its own.
    if urlsplit(page.url).path != urlsplit(path).path:
        page.evaluate("document.querySelector('h1').dataset.before = 'yes'")
    page.evaluate("path => { history.pushState(null, '', path); dispatchEvent(new PopStateEvent('popstate')) }", path)
    expect(page.locator("h1:not([data-before])")).to_be_visible()


def _annotated(rest: Rest, project: str) -> None:
    """A dataset with a picture that has a box, one that has none, and a label set."""
    box = {"id": "1", "type": "box", "label": 1, "x": 200, "y": 160, "w": 180, "h": 150}
    pictures = {"boat.png": picture(1), "empty.png": picture(2)}
    make_version(rest, project, "detection", pictures, items={"boat.png": {"annotations": [box]}})
    rest.call("post", f"/projects/{project}/label-sets", {"name": "harbour", "labels": [{"name": "boat"}]})


def _sticking_out(page: Page) -> list[str]:
    wider = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    return [f"{wider} px wider than the window"] if wider > 0 else []


def _chinese_in(page: Page) -> list[str]:
    text: str = page.evaluate("document.body.innerText")
    return [line for line in text.splitlines() if re.search(r"[\u4e00-\u9fff]", line) and line.strip() != "简体中文"]
