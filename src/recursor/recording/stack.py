"""The call stack that ops make: which frames are on it after each row.

Recorded calls return in the order last in, first out. A network may keep its frames in another way, such as in a queue; its
storage then says so with a `ChangeFrames` of its own (`network/stacks/storage.py`).
"""

from collections.abc import Callable, Iterator, Sequence

from recursor.spec import POP, PUSH

ChangeFrames = Callable[[list[int], int, int], None]
"""Changes a list of frames in place, as the op of a row does: `change(frames, op, row)`. A frame is the row that pushed it,
and the last frame of the list is the one that the next row sees, the top frame."""


def last_in_first_out(frames: list[int], op: int, row: int) -> None:
    """Changes the frames of a stack, as the op of a row does. A pop of the empty stack changes nothing.

    Example:
        >>> frames = [3]
        >>> last_in_first_out(frames, PUSH, 5)
        >>> frames
        [3, 5]
    """
    if op == PUSH:
        frames.append(row)
    elif op == POP and frames:
        frames.pop()


def replay(ops: Sequence[int], change: ChangeFrames = last_in_first_out) -> Iterator[list[int]]:
    """Yields the frames after each row. It is always the same list, so a caller that keeps it makes a copy.

    Args:
        ops: The op of each row.
        change: How frames are kept.

    Example:
        >>> [list(frames) for frames in replay([PUSH, PUSH, POP])]
        [[0], [0, 1], [0]]
    """
    frames: list[int] = []
    for row, op in enumerate(ops):
        change(frames, op, row)
        yield frames


def top_frame_rows(ops: Sequence[int], change: ChangeFrames = last_in_first_out) -> list[int]:
    """Returns for each row the row that made its top frame; -1 if it has none.

    Row t makes the frame that is pushed if the op of row t + 1 is push.

    Args:
        ops: The op of each row.
        change: How frames are kept.

    Example:
        >>> top_frame_rows([PUSH, PUSH, POP])
        [-1, 0, -1]
    """
    return [frames[-1] - 1 if frames else -1 for frames in replay(ops, change)]
