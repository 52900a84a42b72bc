"""The processes that train together: one, or those `torchrun` started."""

import os
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class World:
    """This process among the others."""

    rank: int = 0
    size: int = 1
    local_rank: int = 0

    @property
    def is_first(self) -> bool:
        """The one that writes, logs and validates."""
        return self.rank == 0

    @property
    def device(self) -> Any:
        """The accelerator of this process, or the CPU."""
        import torch

        if torch.cuda.is_available():
            return torch.device("cuda", self.local_rank % torch.cuda.device_count())
        return torch.device("cpu")

    def wrap(self, module: Any) -> Any:
        """The module, with its gradients shared among all processes."""
        if self.size == 1:
            return module
        from torch.nn.parallel import DistributedDataParallel

        ids = [self.device.index] if self.device.type == "cuda" else None
        return DistributedDataParallel(module, device_ids=ids)

    def agree(self, value: Any) -> Any:
        """What the first process says, for all of them."""
        if self.size == 1:
            return value
        import torch.distributed as dist

        said = [value]
        dist.broadcast_object_list(said, src=0)
        return said[0]

    def mean(self, value: float) -> float:
        """The mean over all processes."""
        if self.size == 1:
            return value
        import torch
        import torch.distributed as dist

        total = torch.tensor([value], dtype=torch.float64, device=self.device if self.device.type == "cuda" else "cpu")
        dist.all_reduce(total)
        return float(total[0]) / self.size

    def wait(self) -> None:
        if self.size > 1:
            import torch.distributed as dist

            dist.barrier()

    def leave(self) -> None:
        """At the end, so that no process waits for one that is gone."""
        if self.size > 1:
            import torch.distributed as dist

            dist.barrier()
            dist.destroy_process_group()


def join() -> World:
    """The world of this process; under `torchrun` it meets the others first."""
    size = int(os.environ.get("WORLD_SIZE") or 1)
    if size == 1:
        return World()
    import torch
    import torch.distributed as dist

    if not dist.is_initialized():
        dist.init_process_group("nccl" if torch.cuda.is_available() else "gloo")
    return World(dist.get_rank(), dist.get_world_size(), int(os.environ.get("LOCAL_RANK") or 0))
