"""Decoding: one file a kind, and the table of all kinds."""

from recursor.network.decoders.decoder import Decoder
from recursor.network.kinds import Kinds

FILES = (
    "joint",
    "staged",
)
"""The files of this folder that hold a kind."""

DECODERS: Kinds[Decoder] = Kinds.in_files("decoding", __name__, FILES)
