"""TorchScript: programs that torch saved, run without the code they were written in."""

import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tidemill.runtime.model import Unfit
from tidemill.runtime.server.served import About, TensorModel, Tensors, named
from tidemill.runtime.server.tensors import TYPES, Spec

INSTALL = "serving TorchScript needs PyTorch: pip install torch, or the image tidemill/pytorch"


class TorchScript(TensorModel):
    """Inputs by the names of `forward`, or as `signature` in `model.json` has them, with types and shapes."""

    def __init__(self, file: Path, signature: Mapping[str, Any], labels: Sequence[str] = ()) -> None:
        try:
            import torch
        except ImportError as error:
            raise Unfit(f"{file}: {INSTALL}") from error
        self._torch = torch
        try:
            with warnings.catch_warnings():
                # Torch would rather have other files; these are what people have.
                warnings.simplefilter("ignore", DeprecationWarning)
                self._module = torch.jit.load(str(file), map_location="cpu").eval()  # type: ignore[no-untyped-call]
        except RuntimeError as error:
            why = str(error).strip().partition("\n")[0]
            raise Unfit(f"{file} is not TorchScript, as torch.jit.save writes it: {why}") from error
        names = [one.name for one in self._module.forward.schema.arguments[1:]]
        told = _specs(file, signature.get("inputs") or [])
        if told and len(told) != len(names):
            raise Unfit(f"{file}: signature has {len(told)} inputs, but forward takes {len(names)}")
        self.about = About("pytorch_libtorch", labels=tuple(labels))
        self.inputs = told or {name: Spec(name, "FP32", (), frozenset(TYPES) - {"BYTES"}) for name in names}
        self.outputs = _specs(file, signature.get("outputs") or [])
        ends = [*told.values(), *self.outputs.values()]
        self.joins = bool(told and self.outputs) and all(one.shape and one.shape[0] == -1 for one in ends)

    def compute(self, tensors: Tensors) -> Tensors:
        torch = self._torch
        given = [torch.from_numpy(tensors[name].copy()) for name in self.inputs]
        with torch.inference_mode():
            found = self._module(*given)
        if isinstance(found, dict):
            return named({name: one.cpu().numpy() for name, one in found.items()})
        several = found if isinstance(found, tuple | list) else [found]
        return named([one.cpu().numpy() for one in several], list(self.outputs))

    def warm_up(self) -> None:
        """Only where the signature says what goes in: shapes cannot be guessed."""
        if all(spec.shape for spec in self.inputs.values()):
            super().warm_up()


def _specs(file: Path, told: Sequence[Mapping[str, Any]]) -> dict[str, Spec]:
    found = {}
    for one in told:
        if one.get("datatype") not in TYPES:
            raise Unfit(f"{file}: signature: datatype of {one.get('name')!r} is none of {', '.join(TYPES)}")
        found[str(one["name"])] = Spec(str(one["name"]), one["datatype"], tuple(one.get("shape") or ()))
    return found
