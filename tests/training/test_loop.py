import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import equinox as eqx
import jax
import numpy as np
import pytest
import safetensors.numpy

from recursor.configurations.named import configuration
from recursor.network.config import NetworkConfig
from recursor.system.compiling import cores
from recursor.system.files import DamagedFileError, write_atomically
from recursor.system.locks import lock
from recursor.training import checkpoint, latent, loop
from recursor.training.config import TrainConfig, Trainer

TINY = TrainConfig(
    network=NetworkConfig(width=16, frame_width=4),
    sizes=(4,),
    batch=4,
    updates=12,
    validate_every=4,
    validate_nodes=4,
    validate_graphs=4,
)


def weights(directory: Path) -> list[tuple[str, bytes]]:
    """The bytes of the best reasoner's file, and those of all arrays of the last checkpoint."""
    newest = checkpoint.checkpoints(directory, "last")[0].path
    arrays = safetensors.numpy.load_file(newest)
    return [("best", (directory / "weights.safetensors").read_bytes())] + [
        (name, arrays[name].tobytes()) for name in sorted(arrays)
    ]


def metrics(directory: Path) -> list[dict]:
    lines = [json.loads(line) for line in (directory / "metrics.jsonl").read_text().splitlines()]
    return [{name: value for name, value in line.items() if name != "seconds"} for line in lines]


@pytest.fixture(scope="module")
def left_alone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("runs") / "left-alone"
    loop.train(TINY, directory, progress=False)
    return directory


def test_a_run_leaves_what_it_promises(left_alone: Path) -> None:
    assert loop.load(left_alone).config == TINY
    summary = json.loads((left_alone / "run.json").read_text())
    assert summary["updates"] == 12
    assert summary["peak_memory_bytes"] > 1e7
    lines = metrics(left_alone)
    assert [line["update"] for line in lines if "loss" in line] == list(range(1, 13))
    assert [line["update"] for line in lines if "validation" in line] == [4, 8, 12]
    fields = {"u", "u_pi", "u_d", "u_f", "u_v", "color", "time", "stack_op", "output/pi"}
    assert fields < set(lines[0])
    assert lines[0]["loss"] == pytest.approx(sum(lines[0][name] for name in fields), rel=1e-5)


def test_the_best_validation_is_what_is_loaded(left_alone: Path) -> None:
    scores = {line["update"]: line["validation"] for line in metrics(left_alone) if "validation" in line}
    (best,) = checkpoint.checkpoints(left_alone, "weights")
    assert scores[best.updates] == max(scores.values())


@pytest.mark.parametrize("after", [1, 8, 12])
def test_an_interrupted_run_ends_like_one_left_alone(
    after: int, left_alone: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    check_interruption(TINY, after, left_alone, tmp_path / "run", monkeypatch)


def check_interruption(
    config: TrainConfig, after: int, left_alone: Path, directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one_update = loop.Loop.one_update

    def interrupted(self: loop.Loop, batch) -> None:
        if self.done + 1 == after:
            os.kill(os.getpid(), signal.SIGINT)
        one_update(self, batch)

    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(loop.Loop, "one_update", interrupted)
        loop.train(config, directory, progress=False)
    assert checkpoint.checkpoints(directory, "last")[0].updates == after, "nothing is lost"
    loop.resume(directory, progress=False)
    assert weights(directory) == weights(left_alone)
    assert metrics(directory) == metrics(left_alone)


FRAMES = replace(
    configuration("exact/dfs-node"),
    network=NetworkConfig(width=8, frame_width=4, processor="order", rounds=2, decoding="staged", feedback="hard"),
    sizes=(3, 4),
    batch=4,
    updates=12,
    validate_every=4,
    validate_nodes=4,
    validate_graphs=4,
)


def test_a_run_by_call_frames_that_is_interrupted_ends_like_one_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loop.train(FRAMES, tmp_path / "alone", progress=False)
    lines = metrics(tmp_path / "alone")
    assert [line["update"] for line in lines if "loss" in line] == list(range(1, 13))
    assert set(lines[0]) == {"update", "loss", "u", "u_pi", "u_v", "color", "stack_op", "done"}
    check_interruption(FRAMES, 7, tmp_path / "alone", tmp_path / "run", monkeypatch)


LATENT = replace(
    configuration("latent/dfs"),
    network=replace(configuration("latent/dfs").network, width=8, message_bits=2, pooled_bits=3),
    sizes=(2, 4),
    batch=4,
    chains=2,
    updates=9,
    explore=2,
    search=4,
    validate_every=9,
    validate_nodes=4,
    validate_graphs=4,
    lessons=0,
)


def test_a_run_that_finds_its_ops_and_is_interrupted_ends_like_one_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loop.train(LATENT, tmp_path / "alone", progress=False)
    lines = metrics(tmp_path / "alone")
    assert {"found/rows", "found/ops", "found/pushes"} < set().union(*lines)
    check_interruption(LATENT, 3, tmp_path / "alone", tmp_path / "run", monkeypatch)


def test_a_run_starts_again_while_no_use_of_the_stack_settles(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(latent, "SETTLING", 2)
    monkeypatch.setattr(latent, "SETTLED", 0.0)  # nothing ever costs less
    again = replace(LATENT, restarts=2)
    loop.train(again, tmp_path / "alone", progress=False)
    lines = metrics(tmp_path / "alone")
    assert [line["update"] for line in lines if "restarts" in line] == [8, 16], "2 of exploring, 4 of search and 2 to settle"
    assert [line["update"] for line in lines if "loss" in line] == list(range(1, 16 + LATENT.updates + 1))
    assert lines[0]["loss"] != lines[9]["loss"], "other weights"
    check_interruption(again, 8, tmp_path / "alone", tmp_path / "run", monkeypatch)


def in_a_process(directory: Path) -> subprocess.Popen:
    code = f"from recursor.training import loop; loop.resume({str(directory)!r}, progress=False)"
    return subprocess.Popen([sys.executable, "-c", code])


def kill_after(directory: Path, update: int, seconds: float) -> None:
    """Starts or resumes a run in a process of its own and kills it, so long after the checkpoint of an update."""
    process = in_a_process(directory)
    while checkpoint.updates(directory) < update:
        assert process.poll() is None, "it ended before it was killed"
        time.sleep(0.005)
    time.sleep(seconds)
    process.kill()
    assert process.wait() == -signal.SIGKILL, "it ended before it was killed"


@pytest.mark.slow
def test_a_run_killed_ten_times_ends_like_one_left_alone(tmp_path: Path) -> None:
    updates, every, kills = 1500, 20, 10
    config = replace(TINY, updates=updates, validate_every=every)
    alone, killed = tmp_path / "alone", tmp_path / "killed"
    for directory in (alone, killed):
        directory.mkdir()
        (directory / "config.json").write_text(config.to_json())
    assert in_a_process(alone).wait() == 0
    # Anywhere between two checkpoints, or while one is written, however fast the machine is
    seconds = json.loads((alone / "run.json").read_text())["seconds"] * every / updates
    moments = random.Random(0)
    for kill in range(kills):
        kill_after(killed, (kill + 1) * updates // (kills + 1), moments.uniform(0, 2) * seconds)
    assert not (killed / "run.json").exists()
    assert in_a_process(killed).wait() == 0
    assert weights(killed) == weights(alone)
    assert metrics(killed) == metrics(alone)


def test_a_damaged_checkpoint_costs_no_more_than_some_updates(left_alone: Path, tmp_path: Path) -> None:
    directory = tmp_path / "run"
    loop.train(TINY, directory, progress=False)
    newest = checkpoint.checkpoints(directory, "last")[0].path
    newest.write_bytes(newest.read_bytes()[:-100])
    with pytest.warns(UserWarning, match=r"is damaged: .*; it is now called .*\.damaged, and last-.\.safetensors is used"):
        loop.resume(directory, progress=False)
    assert weights(directory) == weights(left_alone)


def test_a_loss_that_is_no_number_stops_the_run_and_says_where(tmp_path: Path) -> None:
    config = replace(TINY, learning_rate=1e30, clip=1e30)
    with pytest.raises(loop.NotANumberError, match=r"the loss of update \d+ is .*: it began in row 1, in the field"):
        loop.train(config, tmp_path / "run", progress=False)


def test_patience_ends_a_run_that_gets_no_better(tmp_path: Path) -> None:
    loop.train(replace(TINY, updates=10_000, patience=1), tmp_path / "run", progress=False)
    scores = [line["validation"] for line in metrics(tmp_path / "run") if "validation" in line]
    assert scores[-1] <= max(scores[:-1])
    assert all(later > max(scores[:k]) for k, later in enumerate(scores[1:-1], 1)), "until then each was the best"


def test_a_directory_is_not_trained_into_twice(left_alone: Path) -> None:
    with pytest.raises(ValueError, match="is there already; resume it, or choose another directory"):
        loop.train(TINY, left_alone)


def test_two_processes_do_not_train_in_one_directory(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(TINY.to_json())
    busy = pytest.raises(ValueError, match="another process is training in")
    with lock(tmp_path / "lock", wait=False), busy:
        loop.resume(tmp_path, progress=False)
    with lock(tmp_path / "lock", wait=False):
        write_atomically(tmp_path / "config.json", TINY.to_json().encode())
        with pytest.raises(ValueError, match="another process is training in"):
            loop.resume(tmp_path, progress=False)


def test_of_two_processes_that_begin_a_run_one_does(tmp_path: Path) -> None:
    with lock(tmp_path / "lock", wait=False), pytest.raises(ValueError, match="another process is training in"):
        loop.train(TINY, tmp_path, progress=False)
    assert not (tmp_path / "config.json").exists(), "the other process has another configuration"


def test_what_a_killed_process_left_is_removed_and_no_more(tmp_path: Path) -> None:
    directory = tmp_path / "run"
    directory.mkdir()
    for name in (".config.json.123.tmp", ".last-A.safetensors.7.tmp", ".report.html.9.tmp", "lock"):
        (directory / name).write_bytes(b"half")
    loop.train(replace(TINY, updates=1), directory, progress=False)
    assert [path.name for path in directory.glob(".*")] == [".report.html.9.tmp"], "what others write is left alone"


def test_a_run_whose_configuration_was_edited_is_not_resumed(left_alone: Path, tmp_path: Path) -> None:
    directory = shutil.copytree(left_alone, tmp_path / "run")
    (directory / "config.json").write_text(replace(TINY, updates=24).to_json())
    before = {path: path.read_bytes() for path in directory.iterdir() if path.name != "lock"}
    with pytest.raises(ValueError, match="is of another configuration: updates is 12 there and 24 here"):
        loop.resume(directory, progress=False)
    assert {path: path.read_bytes() for path in directory.iterdir() if path.name != "lock"} == before


@pytest.mark.parametrize("damage", ["missing", "truncated", "flipped"])
def test_weights_that_are_damaged_are_restored_from_the_last_checkpoint(
    damage: str, left_alone: Path, tmp_path: Path
) -> None:
    directory = shutil.copytree(left_alone, tmp_path / "run")
    path = directory / "weights.safetensors"
    data = path.read_bytes()
    if damage == "missing":
        path.unlink()
        loop.resume(directory, progress=False)
    else:
        path.write_bytes(data[:-1] if damage == "truncated" else data[:-1] + bytes([data[-1] ^ 1]))
        with pytest.raises(DamagedFileError, match=r"weights\.safetensors is damaged"):
            loop.load(directory)
        with pytest.warns(UserWarning, match=r"is now called weights\.safetensors\.damaged, and is written again"):
            loop.resume(directory, progress=False)
    assert path.read_bytes() == data


def test_weights_that_are_no_numbers_are_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one_update = loop.Loop.one_update

    def poisoned(self: loop.Loop, batch) -> None:
        one_update(self, batch)
        if self.done == 8:
            bad = jax.tree.map(lambda leaf: leaf * np.nan if eqx.is_inexact_array(leaf) else leaf, self.state.reasoner)
            self.state = self.state._replace(reasoner=bad)

    monkeypatch.setattr(loop.Loop, "one_update", poisoned)
    with pytest.raises(loop.NotANumberError, match=r"after update 8 .* holds numbers that are not finite"):
        loop.train(TINY, tmp_path / "run", progress=False)
    assert checkpoint.updates(tmp_path / "run") == 4


def test_kernels_that_change_within_a_run_are_told(
    left_alone: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    directory = shutil.copytree(left_alone, tmp_path / "run")
    monkeypatch.setenv("RECURSOR_KERNELS", "1")
    with pytest.warns(UserWarning, match="was trained without kernels until now"):
        loop.resume(directory, progress=False)


TERMINATED = """
import os, signal, sys
from recursor import cli
from recursor.training import loop

one_update = loop.Loop.one_update
def asked(self, batch):
    if self.done == 2:
        os.kill(os.getpid(), getattr(signal, name))
    one_update(self, batch)

loop.Loop.one_update = asked
_, config, directory, name = sys.argv
sys.argv = ["recursor", "train", config, "--out", directory]
cli.main()
"""


@pytest.mark.parametrize(("name", "status"), [("SIGTERM", 143), ("SIGINT", 130)])
def test_a_run_that_is_asked_to_stop_saves_and_says_how_to_go_on(name: str, status: int, tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(TINY.to_json())
    command = [sys.executable, "-c", TERMINATED, str(tmp_path / "config.json"), str(tmp_path / "run"), name]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == status, done.stderr
    assert f"recursor train --resume {tmp_path / 'run'}" in done.stderr
    assert "Traceback" not in done.stderr
    assert checkpoint.updates(tmp_path / "run") == 3


CTRL_C = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # where the tests run in the background, it is ignored

class Finder:  # Ctrl-C during the import of one module; what imports it goes on after any error
    def find_spec(self, name, path=None, target=None):
        if name == module:
            try:
                os.kill(os.getpid(), signal.SIGINT)
            except BaseException:
                pass

def swallow(function):  # Ctrl-C outside an import, in code that drops the exception
    def call(*arguments):
        try:
            os.kill(os.getpid(), signal.SIGINT)
        except BaseException:
            pass
        return function(*arguments)
    return call

_, module, config, directory = sys.argv
sys.meta_path.insert(0, Finder())
sys.argv = ["recursor", "train", config, "--out", directory]
from recursor.cli import main
if module == "none":
    from recursor.training import update
    update.use_cores = swallow(update.use_cores)
main()
"""


@pytest.mark.parametrize("module", ["tyro", "recursor.training.update", "none"])
def test_ctrl_c_before_training_begins_is_neither_lost_nor_a_traceback(module: str, tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(replace(TINY, updates=100_000).to_json())
    command = [sys.executable, "-c", CTRL_C, module, str(tmp_path / "config.json"), str(tmp_path / "run")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 130, done.stderr
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr
    if (tmp_path / "run").exists():  # then it had begun, and can go on
        assert checkpoint.updates(tmp_path / "run") == 0
        assert f"recursor train --resume {tmp_path / 'run'}" in done.stderr


def test_metrics_that_lost_lines_are_refused(left_alone: Path, tmp_path: Path) -> None:
    directory = shutil.copytree(left_alone, tmp_path / "run")
    (directory / "metrics.jsonl").write_bytes(b"")
    with pytest.raises(DamagedFileError, match="it has lost lines"):
        loop.resume(directory, progress=False)


def test_what_is_no_run_is_said_to_be_none(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"is not a run directory: it has no config\.json"):
        loop.resume(tmp_path)


def test_tensorboard_gets_the_metrics(tmp_path: Path) -> None:
    loop.train(replace(TINY, updates=2), tmp_path / "run", progress=False, track=("tensorboard",))
    (events,) = (tmp_path / "run" / "tensorboard").iterdir()
    assert b"output/pi" in events.read_bytes()


DEVICES = """
import json, sys, jax
jax.config.update("jax_num_cpu_devices", int(sys.argv[1]))
from dataclasses import replace
from recursor.training import loop
from tests.training.test_loop import TINY
loop.train(replace(TINY, updates=4), sys.argv[2], progress=False)
assert len(jax.devices()) == int(sys.argv[1])
"""


def test_two_devices_give_the_losses_of_one(tmp_path: Path) -> None:
    losses = []
    for devices in ("1", "2"):
        directory = tmp_path / devices
        subprocess.run([sys.executable, "-c", DEVICES, devices, str(directory)], check=True)
        losses.append([line["loss"] for line in metrics(directory) if "loss" in line])
    assert losses[0] == pytest.approx(losses[1], rel=1e-4)
    assert len(jax.devices()) == 1, "here there is one"


@pytest.mark.parametrize("trainer", ["rollout", "call-frames"])
def test_the_command_gives_rollouts_a_device_for_each_core(trainer: Trainer, tmp_path: Path) -> None:
    config = replace(TINY, trainer=trainer, forcing=1.0, network=replace(TINY.network, hidden_state=False), updates=1)
    (tmp_path / "config.json").write_text(config.to_json())
    command = [sys.executable, "-m", "recursor.cli", "train", "config.json", "--out", "run"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    devices = json.loads((tmp_path / "run" / "run.json").read_text())["devices"]
    assert len(devices) == (len(cores()) if trainer == "rollout" else 1)


def test_hints_are_scored_in_real_rows_only(left_alone: Path) -> None:
    (scores,) = loop.load(left_alone).evaluate([11], 2)  # 33 rows, which are padded to 36
    assert all(len(rows) == 32 for rows in scores.hints.values())


def test_a_tracker_that_is_not_there_is_refused_before_any_work(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"the tracker wandb needs the module wandb, .* pip install wandb"):
        loop.train(TINY, tmp_path / "run", track=("wandb",))
    assert not (tmp_path / "run").exists()


def test_a_run_is_evaluated(left_alone: Path) -> None:
    (scores,) = loop.load(left_alone).evaluate([4], 4)
    assert (scores.nodes, scores.graphs) == (4, 4)
    assert 0 <= scores.graph_accuracy <= scores.node_accuracy <= 1
    assert scores.valid is not None
    assert scores.valid >= scores.graph_accuracy
    assert set(scores.hints) == {field.name for field in TINY.spec.hints}
    assert all(len(rows) == 11 for rows in scores.hints.values())


def test_a_run_is_evaluated_at_one_size_or_several(left_alone: Path) -> None:
    run = loop.load(left_alone)
    assert run.evaluate(3, 2) == run.evaluate([3], 2) == run.evaluate((3, 4), 2)[:1]
    for sizes, graphs, words in (
        ([4.5], 2, "nodes must be a whole number, such as 16, not 4.5"),
        (0, 2, "0 nodes"),
        (3, 1.5, "graphs"),
    ):
        with pytest.raises(ValueError, match=words):
            run.evaluate(sizes, graphs)  # pyright: ignore[reportArgumentType]


def test_predictions_can_be_fed_back_in_another_way_than_in_training(left_alone: Path) -> None:
    soft, hard = loop.load(left_alone), loop.load(left_alone, feedback="hard")
    assert (soft.config.network.feedback, hard.config.network.feedback) == ("soft", "hard")
    assert jax.tree.all(jax.tree.map(np.array_equal, jax.tree.leaves(soft.reasoner), jax.tree.leaves(hard.reasoner)))
    assert soft.evaluate([8], 4) != hard.evaluate([8], 4)


def test_the_baseline_with_per_node_hints_trains(tmp_path: Path) -> None:
    config = configuration("paper/01-per-node-hints")
    network = replace(config.network, width=8)
    run = loop.train(replace(TINY, network=network, view="clrs", updates=2), tmp_path / "run", progress=False)
    assert run.reasoner.output_decoder is not None
