"""Tables of kinds: the names in a configuration and the classes that they stand for.

Each file of a kind ends with `KINDS`, a dictionary from the name to the class. The table of a folder is made of its files.
"""

from collections.abc import Sequence
from importlib import import_module
from typing import TypeVar

T = TypeVar("T")


class Kinds(dict[str, type[T]]):
    """A table from a name to a class. A new kind is one entry: in the table itself, or from other code at run time.

    Example:
        >>> shapes = Kinds("shape", {"round": set})
        >>> shapes["square"] = list
        >>> shapes.find("square")
        <class 'list'>
    """

    def __init__(self, what: str, kinds: dict[str, type[T]]) -> None:
        super().__init__(kinds)
        self.what = what

    @classmethod
    def in_files(cls, what: str, package: str, files: Sequence[str]) -> "Kinds[T]":
        """Returns the table of the kinds in some files of a package.

        Args:
            what: What errors call such a kind.
            package: The full name of the package.
            files: The names of its files that have `KINDS`.
        """
        return cls(what, {name: kind for file in files for name, kind in import_module(f"{package}.{file}").KINDS.items()})

    def find(self, name: str) -> type[T]:
        """Returns the class of that name.

        Args:
            name: The name in the configuration.

        Raises:
            ValueError: If the table has no such name; the message lists the names that it has.
        """
        if name not in self:
            own = "import your own with recursor --import FILE.py"
            raise ValueError(f"{self.what} must be one of {', '.join(self)}, not {name!r} ({own})")
        return self[name]
