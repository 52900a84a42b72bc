"""The images we ship: Python environments in the public project.

`tidemill/python` is the platform's own interpreter, ready at once. The others are made when they are first used.
"""

import sysconfig
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa
from fastapi import FastAPI
from sqlalchemy.orm import Session

from tidemill.accounts.access import system_caller
from tidemill.accounts.tables import ProjectRow
from tidemill.images.environments import own_digest
from tidemill.images.tables import ImageRow
from tidemill.kernel.db import Database, take_turn
from tidemill.kernel.i18n import Language
from tidemill.kernel.ids import new_id

OWN = "tidemill/python"


@dataclass(frozen=True, slots=True)
class Builtin:
    """An image of ours. Without requirements it is the platform's own interpreter.

    The description is English and Chinese, with a dot between them: `told` gives the reader theirs.
    """

    name: str
    version: str
    description: str
    requirements: tuple[str, ...] = ()


BUILTINS = (
    Builtin(OWN, sysconfig.get_python_version(), "Python with the Tidemill SDK · 平台自带的 Python 与 SDK"),
    Builtin(
        "tidemill/jupyter",
        "4",
        "JupyterLab and TensorBoard · JupyterLab 与 TensorBoard",
        ("jupyterlab>=4.4,<5", "tensorboard>=2.19", "ipykernel>=6.29"),
    ),
    Builtin(
        "tidemill/pytorch",
        "2.13.0",
        "PyTorch, NumPy, TensorBoard · PyTorch、NumPy、TensorBoard",
        ("torch==2.13.0", "numpy>=2", "tensorboard>=2.19"),
    ),
    Builtin(
        "tidemill/algorithms",
        "1",
        "What the built-in algorithms need: PyTorch, transformers, ONNX, scikit-learn, LightGBM"
        " · 内置算法所需：PyTorch、transformers、ONNX、scikit-learn、LightGBM",
        (
            "torch==2.13.0",
            "transformers>=5.0,<6",
            "onnx>=1.19",
            "onnxruntime>=1.23",
            "numpy>=2",
            "pillow>=11.2",
            "av>=15.0",
            "safetensors>=0.6",
            "scikit-learn>=1.7",
            "lightgbm>=4.6",
            "tensorboard>=2.19",
        ),
    ),
    Builtin(
        "tidemill/runtime",
        "2",
        "What models need to evaluate, to annotate and to serve: ONNX Runtime, the model server"
        " · 模型评估、自动标注与在线服务所需：ONNX Runtime、模型服务器",
        (
            "onnxruntime>=1.23",
            "numpy>=2",
            "pillow>=11.2",
            "av>=15.0",
            "orjson>=3.10",
            "uvicorn>=0.35",
            "uvloop>=0.21",
            "httptools>=0.6",
            "grpcio>=1.80",
            "protobuf>=6.30",
        ),
    ),
)


def first_start(app: FastAPI) -> None:
    """Enters what is missing, and brings the platform's own interpreter up to date; safe to repeat."""
    db: Database = app.state.db
    now = app.state.clock()
    with db.write() as session:
        take_turn(session, "builtin_images")
        public = session.scalar(sa.select(ProjectRow.id).where(ProjectRow.is_public))
        assert public is not None, "accounts make the public project first"
        for builtin in BUILTINS:
            _enter(session, public, builtin, now=now)


def _enter(session: Session, project_id: str, builtin: Builtin, *, now: datetime) -> None:
    row = session.scalar(
        sa.select(ImageRow).where(
            ImageRow.project_id == project_id, ImageRow.name == builtin.name, ImageRow.version == builtin.version
        )
    )
    if row is None:
        row = ImageRow(
            id=new_id("img"),
            project_id=project_id,
            name=builtin.name,
            version=builtin.version,
            kind="python",
            state="not_made",
            description=builtin.description,
            requirements=list(builtin.requirements),
            is_builtin=True,
            search_key=f"{builtin.name}:{builtin.version}".casefold(),
            created_at=now,
            updated_at=now,
            created_by=system_caller().user_name,
        )
        session.add(row)
    if row.is_builtin and not builtin.requirements:
        row.state, row.digest = "ready", own_digest()


def told(row: ImageRow, language: Language) -> str:
    """The description in the reader's language; what people wrote themselves as they wrote it."""
    english, dot, chinese = row.description.partition(" · ")
    return row.description if not (row.is_builtin and dot) else chinese if language == "zh-CN" else english
