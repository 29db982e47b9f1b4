"""Deep recursion: calls a function with a large enough stack."""

import sys
import threading
from collections.abc import Callable
from typing import Any

FRAMES = 6
"""Python frames that one call of a recorded function uses at most."""
STACK_BYTES = 4096
"""Bytes of the thread's stack that are reserved for each call."""


def call_deep(function: Callable[[], Any], depth: int) -> Any:
    """Calls a function that may recurse deeply.

    Args:
        function: The function.
        depth: How many calls may be open at once.

    Returns:
        What the function returns.

    Raises:
        BaseException: Whatever the function raises.

    Example:
        >>> call_deep(lambda: 7, 100_000)
        7
    """
    if depth <= 100:
        return function()
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, FRAMES * depth + 1000))
    try:
        return function() if depth <= 1000 else _in_thread(function, 2**26 + depth * STACK_BYTES)
    finally:
        sys.setrecursionlimit(limit)


def _in_thread(function: Callable[[], Any], stack: int) -> Any:
    """Calls a function in a new thread with a large stack. Unused pages of the stack take no memory."""
    result: list[Any] = []
    failure: list[BaseException] = []

    def guarded() -> None:
        try:
            result.append(function())
        except BaseException as error:  # raised again in the waiting thread
            failure.append(error)

    before = threading.stack_size(min(stack, 2**31 - 2**20))
    try:
        thread = threading.Thread(target=guarded)
        thread.start()
    finally:
        threading.stack_size(before)
    thread.join()
    if failure:
        raise failure[0]
    return result[0]
