"""Decoding: one file a kind, and the table of all kinds."""

from recursor.network.decoders.decoder import Decoder
from recursor.network.decoders.joint import JointDecoder
from recursor.network.decoders.staged import StagedDecoder
from recursor.network.kinds import Kinds

DECODERS: Kinds[Decoder] = Kinds("decoding", {"joint": JointDecoder, "staged": StagedDecoder})
