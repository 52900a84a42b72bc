"""Where in the web application a thing is shown."""

from urllib.parse import quote

from tidemill.assets.kinds import BY_NAME


def asset_link(project: str, kind: str, asset: str) -> str:
    return f"/p/{quote(project, safe='')}/{BY_NAME[kind].segment}/{quote(asset, safe='')}"


def version_link(project: str, kind: str, asset: str, number: int) -> str:
    return f"{asset_link(project, kind, asset)}/versions/{number}"


def bin_link(project: str) -> str:
    return f"/p/{quote(project, safe='')}/bin"
