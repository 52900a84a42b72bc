"""A model's structure is drawn by Netron, from the other origin, without leaving this machine."""

import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Rest

MODELS = {
    "yolox_nano.onnx": "detect-yolox-nano/yolox_nano.onnx",
    "yamnet.tflite": "audio-yamnet/yamnet.tflite",
    "silero_vad.jit": "speech-silero-vad/silero_vad.jit",
}


@pytest.mark.parametrize("name", MODELS)
def test_the_structure_of_a_model_is_drawn(visit: Any, rest: Rest, project: str, real_data: Path, name: str) -> None:
    content = (real_data / "models" / MODELS[name]).read_bytes()
    rest.version(project, "models", "net", {name: content})
    visitor = visit()
    visitor.sign_in(rest.user(f"view-{project}", project, role="viewer"))
    page = visitor.go(f"/p/{project}/models/net")
    page.get_by_role("tab", name="Structure").click()
    frame = page.frame_locator("iframe")
    expect(frame.locator("svg g.node, svg g.graph-node, svg #nodes > g").first).to_be_attached(timeout=60_000)
    expect(page).to_have_url(re.compile("tab=structure"))
