"""Training over several nodes: torchrun and mpirun, on a machine with several declared nodes."""

import json

from tests.training.conftest import Trainer, needs_mpirun, needs_torch

DDP = """
import gc, json, os
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
import tidemill

torch.manual_seed(0)
torch.set_num_threads(1)
dist.init_process_group("gloo")
rank, world = dist.get_rank(), dist.get_world_size()
model = DistributedDataParallel(torch.nn.Linear(4, 1))
optimiser = torch.optim.SGD(model.parameters(), lr=0.1)
generator = torch.Generator().manual_seed(rank)
truth = torch.tensor([[1.0], [-2.0], [3.0], [0.5]])
for step in range(60):
    x = torch.randn(64, 4, generator=generator)
    loss = torch.nn.functional.mse_loss(model(x), x @ truth)
    optimiser.zero_grad()
    loss.backward()
    optimiser.step()
    tidemill.log(loss=loss, step=step)
weights = model.module.weight.detach()
gathered = [torch.zeros_like(weights) for _ in range(world)]
dist.all_gather(gathered, weights)
hosts = [None] * world
dist.all_gather_object(hosts, os.environ["TIDEMILL_NODE_INDEX"])
if rank == 0:
    assert all(torch.equal(weights, other) for other in gathered)
    torch.save(model.module.state_dict(), tidemill.run().output / "model.pt")
    print(json.dumps({"world": world, "error": float((weights.T - truth).abs().max()), "hosts": hosts}))
dist.barrier()
# What still holds the group when it is destroyed is taken apart while the process ends, which may abort it.
del model, optimiser, loss
gc.collect()
dist.destroy_process_group()
"""

MPI = """
import json, os, tidemill
rank = os.environ["OMPI_COMM_WORLD_RANK"]
(tidemill.run().output / f"{rank}.json").write_text(json.dumps({
    "rank": int(os.environ["OMPI_COMM_WORLD_RANK"]),
    "size": int(os.environ["OMPI_COMM_WORLD_SIZE"]),
    "local": int(os.environ["OMPI_COMM_WORLD_LOCAL_RANK"]),
    "node": os.environ.get("HOSTNAME_SEEN"),
    "run": os.environ["TIDEMILL_RUN_ID"],
    "word": os.environ["WORD"],
    "cwd": os.getcwd(),
}))
"""


def test_two_nodes_train_one_model_with_torchrun(trainer: Trainer) -> None:
    needs_torch()
    run = trainer.start(
        DDP, command="train.py", launcher="torchrun", nodes=2, processes_per_node=1, save_model="ddp-model"
    )
    ended = trainer.finish(run)
    line = next(line for line in trainer.log(run).splitlines() if line.startswith('{"world"'))
    said = json.loads(line)
    assert said["world"] == 2
    assert said["error"] < 0.05
    assert said["hosts"] == ["0", "1"]
    assert len(ended.workload.nodes if ended.workload else []) == 2
    losses = [point[1] for point in trainer.collected(run)["loss"]]
    assert len(losses) == 60
    assert losses[-1] < losses[0] / 100


def test_mpirun_starts_processes_on_every_node(trainer: Trainer) -> None:
    needs_mpirun()
    run = trainer.start(
        MPI,
        command="sh -c 'HOSTNAME_SEEN=$(hostname) python train.py'",
        launcher="mpirun",
        nodes=2,
        processes_per_node=2,
        environment={"WORD": "tide"},
    )
    trainer.finish(run)
    said = [
        json.loads(trainer.client.runs.download(run.id, file.path, trainer.folder / file.name).read_text())
        for file in trainer.client.runs.files(run.id, "persistent-model")
        if file.type == "file"
    ]
    assert sorted(one["rank"] for one in said) == [0, 1, 2, 3]
    assert {one["size"] for one in said} == {4}
    assert len({one["node"] for one in said}) == 2
    assert {one["run"] for one in said} == {run.id}
    assert {one["word"] for one in said} == {"tide"}
    assert len({one["cwd"] for one in said}) == 1


def test_a_failed_rank_restarts_the_whole_gang(trainer: Trainer) -> None:
    script = """
import os, sys, time, pathlib, tidemill
run = tidemill.run()
if run.resume_from is None:
    run.checkpoints.mkdir(parents=True, exist_ok=True)
    if run.node == 1:
        (run.checkpoints / "first.bin").write_text("x")
        sys.exit(5)
    time.sleep(120)
print("went on from", run.resume_from.name)
"""
    run = trainer.start(script, nodes=2, retries=1)
    ended = trainer.finish(run)
    assert ended.attempt == 2
    for node in (0, 1):
        assert "went on from first.bin" in "".join(trainer.client.runs.logs(run.id, node=node))
