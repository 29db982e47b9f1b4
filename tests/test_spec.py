import pytest

from recursor.spec import Field, by_name


def test_only_a_category_has_categories() -> None:
    with pytest.raises(ValueError, match="field 'x': a category has 2 to 256 categories"):
        Field("x", "node", "category")
    with pytest.raises(ValueError, match="field 'x'"):
        Field("x", "node", "scalar", 3)


def test_a_name_stands_for_one_field() -> None:
    with pytest.raises(ValueError, match="two different fields are called 'x'"):
        by_name([Field("x", "node", "scalar"), Field("x", "graph", "scalar")])
