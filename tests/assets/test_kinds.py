"""Kinds of asset: declared once."""

from tidemill.accounts.permissions import ASSET_KINDS
from tidemill.assets.kinds import KINDS
from tidemill.server.openapi import document


def test_every_kind_has_its_permissions() -> None:
    assert tuple(kind.name for kind in KINDS) == ASSET_KINDS


def test_the_permission_of_a_route_can_be_read_from_its_address() -> None:
    assert all(kind.segment == f"{kind.name}s" for kind in KINDS)
    assert len({kind.id_prefix for kind in KINDS}) == len(KINDS)


# What only one kind has, beyond what all have in common.
OF_ONE_KIND = ("/versions/{version}/algorithm-manifest", "/versions/{version}/facts", "/versions/{version}/deploy")


def test_the_apis_description_has_one_path_for_all_kinds_whose_versions_are_files() -> None:
    described = document()
    paths = described["paths"]
    assert isinstance(paths, dict)
    plain = [kind.segment for kind in KINDS if not kind.has_items]
    own = [path for path in paths if any(f"/{segment}" in path for segment in plain)]
    assert [path for path in own if not path.endswith(OF_ONE_KIND)] == []
    parameters = paths["/api/v1/projects/{project}/{kind}"]["get"]["parameters"]
    (kind,) = [parameter for parameter in parameters if parameter["name"] == "kind"]
    assert "KindSegment" in str(kind["schema"])
