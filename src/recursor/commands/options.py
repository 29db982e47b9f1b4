"""Options of commands: how their help shows what an option takes and what it is by default."""

from typing import Annotated

import tyro

Flag = Annotated[bool, tyro.conf.FlagCreatePairsOff, tyro.conf.arg(help_behavior_hint="")]
"""An option that takes no value, and is off by default."""


def option(takes: str, default: str) -> object:
    """Returns the marker of an option whose default is better said in words.

    Args:
        takes: What the option takes, in capitals, such as "FILE".
        default: What happens without the option.

    Returns:
        The marker, for `Annotated`.
    """
    return tyro.conf.arg(metavar=takes, help_behavior_hint=f"(default: {default})")
