"""Property tests draw the same examples in every run; what they find is printed with how to see it again."""

import hypothesis
import numpy as np
import pytest

hypothesis.settings.register_profile("recursor", deadline=None, derandomize=True, max_examples=60)
hypothesis.settings.load_profile("recursor")


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(0)
