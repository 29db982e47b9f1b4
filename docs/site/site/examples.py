"""Shows the examples in docstrings as code: the section `Example:` of this code is what Griffe calls `Examples:`."""

from typing import Any

import griffe


class Examples(griffe.Extension):
    """Renames the section."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Is called for each object that was read."""
        if obj.docstring:
            obj.docstring.value = obj.docstring.value.replace("Example:\n", "Examples:\n")
