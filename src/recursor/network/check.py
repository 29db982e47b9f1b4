"""Which configurations of a network can work for a spec."""

from recursor.network.config import NetworkConfig
from recursor.network.decoders import DECODERS
from recursor.network.poolings import POOLINGS
from recursor.network.processors import PROCESSORS
from recursor.network.stacks import STACKS
from recursor.spec import Spec


def check_names(config: NetworkConfig) -> None:
    """Checks the names of the kinds.

    Args:
        config: The configuration of a network.

    Raises:
        ValueError: If a name is in no table; the message lists the names that there are.

    Example:
        >>> check_names(NetworkConfig(stack="heap"))
        Traceback (most recent call last):
        ValueError: stack must be one of none, graph, ..., not 'heap' (import your own with ...)
    """
    PROCESSORS.find(config.processor)
    DECODERS.find(config.decoding)
    STACKS.find(config.stack)
    POOLINGS.find(config.pooling)


def check_network(config: NetworkConfig, spec: Spec) -> None:
    """Checks that a network can be built and can work.

    Args:
        config: The configuration of the network.
        spec: The fields of the view that it is for.

    Raises:
        ValueError: If it cannot work, in one sentence that says why.
    """
    check_names(config)
    if config.width < 1 or config.rounds < 1:
        raise ValueError(f"width and rounds must be at least 1, not {config.width} and {config.rounds}")
    view = f"the view {spec.view!r} of {spec.algorithm}"
    processor, decoder, stack = (
        PROCESSORS.find(config.processor),
        DECODERS.find(config.decoding),
        STACKS.find(config.stack),
    )
    _check_bits(config)
    if stack.needs_ops and not spec.has_ops:
        raise ValueError(
            f"a {config.stack} stack needs the hint stack_op, which {view} does not show; choose another view, or stack none"
        )
    if config.encode_frame and "encode_frame" not in stack.settings:
        able = ", ".join(name for name, kind in STACKS.items() if "encode_frame" in kind.settings)
        raise ValueError(f"encode_frame needs frames that are fields: the stack {able}, not {config.stack}")
    stack.check(config, spec)
    missing = {field.name for field in spec.outputs} - {rule.output for rule in spec.collect}
    if config.collect and missing:
        raise ValueError(
            f"the output {', '.join(sorted(missing))} of {spec.algorithm} cannot be collected from {view}, which lacks "
            f"the hints for it; choose another view, or turn collect off"
        )
    on_edges = [field.name for field in (*spec.hints, *spec.outputs) if field.place == "edge"]
    if on_edges:
        raise ValueError(f"{', '.join(on_edges)} of {view} is an edge field, and only inputs can be on edges")
    processor.check(config, spec)
    decoder.check(config, spec)


def _check_bits(config: NetworkConfig) -> None:
    if config.message_bits < 0 or config.pooled_bits < 0:
        raise ValueError(
            f"message_bits and pooled_bits must be 0 or more, not {config.message_bits} and {config.pooled_bits}"
        )
    has_bits = PROCESSORS.find(config.processor).has_bits and DECODERS.find(config.decoding).has_bits
    if (config.message_bits or config.pooled_bits) and not has_bits:
        processors, decoders = (
            " or ".join(name for name, kind in table.items() if kind.has_bits) for table in (PROCESSORS, DECODERS)
        )
        raise ValueError(
            f"message_bits and pooled_bits need the processor {processors} and decoding {decoders}, not {config.processor} "
            f"and {config.decoding}; choose those, or 0 bits"
        )
