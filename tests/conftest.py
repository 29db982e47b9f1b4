"""Property tests draw the same examples in every run; what they find is printed with how to see it again."""

import gc
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

# Small programs: what counts is how long they take to compile, and that no two tests compile the same one.
os.environ["XLA_FLAGS"] = os.environ.get("XLA_FLAGS", "") + " --xla_backend_optimization_level=0"
os.environ["JAX_COMPILATION_CACHE_DIR"] = tempfile.mkdtemp(prefix="recursor-tests-")

import hypothesis
import jax
import numpy as np
import pytest
from jaxtyping import install_import_hook

install_import_hook("recursor.network", "beartype.beartype")  # every call there is checked: kinds and shapes of arrays

hypothesis.settings.register_profile("recursor", deadline=None, derandomize=True, max_examples=60)
hypothesis.settings.load_profile("recursor")


MAPS = Path("/proc/self/maps")
MOST_MAPS = 20_000


@pytest.fixture(autouse=True, scope="module")
def few_programs() -> Iterator[None]:
    """Every program that XLA compiled stays mapped into memory. Linux allows a process 65 530 maps; beyond that, XLA ends
    the process. So the programs of earlier modules are forgotten from time to time."""
    yield
    if MAPS.exists() and len(MAPS.read_text().splitlines()) > MOST_MAPS:
        jax.clear_caches()
        gc.collect()


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(0)


@pytest.fixture(autouse=True)
def kernels_on_request() -> Iterator[None]:
    """`recursor train --kernels` asks for kernels in the whole process: the next test starts without them."""
    before = os.environ.get("RECURSOR_KERNELS")
    yield
    if before is None:
        os.environ.pop("RECURSOR_KERNELS", None)
    else:
        os.environ["RECURSOR_KERNELS"] = before
