"""Property tests draw the same examples in every run; what they find is printed with how to see it again."""

import os
import tempfile
from collections.abc import Iterator

# Small programs: what counts is how long they take to compile, and that no two tests compile the same one.
os.environ["XLA_FLAGS"] = os.environ.get("XLA_FLAGS", "") + " --xla_backend_optimization_level=0"
os.environ["JAX_COMPILATION_CACHE_DIR"] = tempfile.mkdtemp(prefix="recursor-tests-")

import hypothesis
import numpy as np
import pytest
from jaxtyping import install_import_hook

install_import_hook("recursor.network", "beartype.beartype")  # every call there is checked: kinds and shapes of arrays

hypothesis.settings.register_profile("recursor", deadline=None, derandomize=True, max_examples=60)
hypothesis.settings.load_profile("recursor")


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
