"""Certified answers: an execution in which every situation is one that was verified.

The situations that verification met are kept beside the weights: those of nodes, and those of the graph's own decisions. In
every row of the verification, what the network decided was right. An execution is *certified* if it met no other
situations, and decided in each as the tables say. What is assumed is that the algorithm decides by situations, too: that
no row of a larger input looks the same in every situation and goes on in another way. Verification met none.
"""

import hashlib
import io
import lzma
import zipfile
import zlib
from pathlib import Path

import numpy as np

from recursor.network.reasoner import Reasoner
from recursor.situations.tables import Tables, why_not_finite
from recursor.system.files import DamagedFileError, read_whole, write_atomically

FILE = "situations.npz"
MOST_UNPACKED = 2**28
"""Bytes; the largest that come with Recursor have 2 MB."""


BROKEN = (zipfile.BadZipFile, lzma.LZMAError, zlib.error, NotImplementedError)
"""What a damaged archive raises; the last is for kinds of compression that there are not."""


class Verified:
    """The situations of a network that were verified."""

    def __init__(self, tables: Tables) -> None:
        self.tables = tables


def write_verified(directory: Path, weights: bytes, verified: Verified) -> None:
    """Keeps verified situations beside the weights that they are of."""
    arrays = verified.tables.arrays()
    arrays["weights"] = np.frombuffer(hashlib.sha256(weights).digest(), np.uint8)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_LZMA) as archive:  # a third smaller than NumPy's own compression
        for name, array in arrays.items():
            entry = zipfile.ZipInfo(f"{name}.npy")  # without a date: the same situations give the same bytes
            entry.compress_type = zipfile.ZIP_LZMA
            with archive.open(entry, "w") as file:
                np.lib.format.write_array(file, array, allow_pickle=False)
    write_atomically(directory / FILE, buffer.getvalue())


def read_verified(directory: Path, weights: bytes, reasoner: Reasoner) -> Verified | None:
    """Returns the situations that were verified of some weights; None if none are kept, or they are of other weights.

    Raises:
        DamagedFileError: If the file is damaged.
    """
    path = directory / FILE
    if not path.exists() or why_not_finite(reasoner):
        return None
    tables = Tables(reasoner)
    try:
        data = io.BytesIO(read_whole(path))
        with zipfile.ZipFile(data) as archive:
            if sum(entry.file_size for entry in archive.infolist()) > MOST_UNPACKED:
                raise ValueError(f"it unpacks to more than {MOST_UNPACKED // 2**20} MiB")  # noqa: TRY301
        with np.load(data, allow_pickle=False) as arrays:
            if arrays["weights"].tobytes() != hashlib.sha256(weights).digest():
                return None
            tables.restore(arrays)
    except (*BROKEN, ValueError, KeyError, OSError, EOFError, MemoryError) as error:
        raise DamagedFileError(path, f"it holds no verified situations ({error}); remove it, or verify again") from None
    return Verified(tables)
