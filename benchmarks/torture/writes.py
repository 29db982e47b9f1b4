"""Writes that fail: each step of writing of a run fails once, as on a full disk."""

import os
import pathlib
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from benchmarks.torture.common import TINY, Count, content, is_sentence

from recursor.training import loading, loop, rollout


class _File:
    """A file whose writes are counted, and may fail."""

    def __init__(self, file: Any, step: Callable[[], bool]) -> None:
        self._file, self._step = file, step

    def write(self, data: Any) -> int:
        if self._step():
            self._file.write(data[: len(data) // 2])  # what fitted
            raise OSError(28, "No space left on device")
        return self._file.write(data)

    def flush(self) -> None:
        if self._step():
            raise OSError(28, "No space left on device")
        self._file.flush()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)

    def __enter__(self) -> "_File":
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()


@contextmanager
def failing(at: int) -> Iterator[list[int]]:
    """Lets the at'th step of writing fail, as on a full disk: opening, writing, flushing, syncing and renaming are steps.

    Yields:
        A list with the number of steps so far.
    """
    steps = [0]

    def step() -> bool:
        steps[0] += 1
        return steps[0] == at

    def guarded(function: Callable) -> Callable:
        def call(*arguments: Any, **named: Any) -> Any:
            if step():
                raise OSError(28, "No space left on device")
            return function(*arguments, **named)

        return call

    def opened(path: Path, mode: str = "r", *arguments: Any, **named: Any) -> Any:
        if not set(mode) & set("wa") or path.name == "lock":  # a lock holds nothing but a number for people
            return before[1](path, mode, *arguments, **named)
        return _File(guarded(before[1])(path, mode, *arguments, **named), step)

    before = os.fsync, pathlib.Path.open, pathlib.Path.replace
    os.fsync, pathlib.Path.open, pathlib.Path.replace = guarded(before[0]), opened, guarded(before[2])  # pyright: ignore
    try:
        yield steps
    finally:
        os.fsync, pathlib.Path.open, pathlib.Path.replace = before


@contextmanager
def made_once() -> Iterator[None]:
    """Lets all runs of one configuration share one compiled update and one new reasoner, since making them takes longer than
    the run."""
    made: dict[Any, Any] = {}
    before, new_reasoner = rollout.make_update, loading.new_reasoner

    def make_update(config: Any, transformation: Any, mesh: Any) -> Any:
        if config not in made:
            made[config] = before(config, transformation, mesh)
        return made[config]

    rollout.make_update = make_update
    loading.new_reasoner = loop.new_reasoner = cache(new_reasoner)
    try:
        yield
    finally:
        rollout.make_update = before
        loading.new_reasoner = loop.new_reasoner = new_reasoner


def failed_writes(count: int, seconds: float, root: Path) -> Count:
    """Lets each step of writing of a run fail once, and resumes the run; at most so many."""
    result = Count("failed writes")
    with made_once():
        loop.train(TINY, root / "reference", progress=False)
        expected = content(root / "reference")
        while result.done < count and result.seconds < seconds:
            directory = root / f"full-{result.done + 1}"
            with failing(result.done + 1) as steps:
                try:
                    loop.train(TINY, directory, progress=False)
                except Exception as error:  # whatever it is, it is counted
                    if not is_sentence(error) or "No space left" not in str(error):
                        result.fail(f"step {result.done + 1}: {error!r}")
            if steps[0] <= result.done:  # all steps have failed once
                break
            result.done += 1
            try:
                if (directory / "config.json").exists():
                    loop.resume(directory, progress=False)
                else:
                    loop.train(TINY, directory, progress=False)
                if content(directory) != expected:
                    result.fail(f"step {result.done}: other bytes")
            except Exception as error:  # whatever it is, it is counted
                result.fail(f"step {result.done}: {error!r}")
            shutil.rmtree(directory, ignore_errors=True)
    return result
