"""Tracing a network makes so many objects that looking for garbage among them takes a sixth of the time; it can wait."""

import gc
from collections.abc import Iterator

import pytest


@pytest.fixture(scope="package", autouse=True)
def _without_garbage_collection() -> Iterator[None]:
    gc.disable()
    yield
    gc.enable()
    gc.collect()
