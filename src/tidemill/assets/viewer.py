"""Opening a model file in Netron, on the apps origin."""

from urllib.parse import quote, urlencode

from fastapi import Request
from sqlalchemy.orm import Session

from tidemill.accounts.access import Caller
from tidemill.assets.browsing import get_file
from tidemill.assets.lookup import Place, get_version
from tidemill.assets.schemas import ViewerView
from tidemill.assets.tickets import TicketOffice
from tidemill.kernel.addresses import apps_url
from tidemill.kernel.errors import Invalid

# What the viewer draws; anything else would only show its own error.
SUFFIXES = (
    ".onnx", ".ort", ".pt", ".pth", ".torchscript", ".jit", ".ckpt", ".pt2", ".pte", ".tflite", ".lite", ".keras",
    ".h5", ".hdf5", ".safetensors", ".pb", ".pbtxt", ".mlmodel", ".mlpackage", ".xml", ".pdmodel", ".param", ".gguf",
    ".ubj", ".joblib", ".pkl", ".pickle", ".bin", ".npz", ".npy", ".cfg", ".prototxt", ".caffemodel", ".mnn",
    ".tmfile", ".kmodel", ".rknn", ".om", ".nn", ".json", ".model",
)  # fmt: skip


def open_viewer(session: Session, place: Place, path: str, *, request: Request, by: Caller) -> ViewerView:
    """An address that shows one file's structure until its ticket ends."""
    node = get_file(session, place, path, by=by)
    if not node.name.lower().endswith(SUFFIXES):
        raise Invalid("viewer_unsuitable", field="path", path=node.path)
    _, version = get_version(session, place, project_id=by.project.id)
    office: TicketOffice = request.app.state.tickets
    assert node.digest is not None
    ticket, expires_at = office.issue(
        version_id=version.id, path=node.path, digest=node.digest, size_bytes=node.size_bytes, now=by.now
    )
    file = f"/t/{ticket}/{quote(node.name, safe='')}"
    query = urlencode({"url": file, "identifier": node.name}, quote_via=quote)
    return ViewerView(url=f"{apps_url(request)}/netron/?{query}", expires_at=expires_at)
