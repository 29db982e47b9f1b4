"""`recursor play`."""

import webbrowser
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Annotated

from recursor.algorithms import known
from recursor.commands.console import console, say_loaded
from recursor.commands.options import Flag, option
from recursor.graphs.graph import Graph

if TYPE_CHECKING:
    from recursor.trace.trace import Trace


@dataclass(frozen=True)
class Play:
    """Opens a page where you draw a graph and watch a network solve it.

    The server listens on 127.0.0.1 only, so other machines cannot reach it. Ctrl-C stops it.

    For example:

        recursor play --open
    """

    port: Annotated[int, option("PORT", "any free port")] = 0
    """The port."""
    model: Annotated[tuple[str, ...], option("RUN ...", "none")] = ()
    """Run directories, such as runs/mine or ./mine, to offer in addition to the shipped networks."""
    open: Flag = False
    """Open the page in the browser."""

    def __call__(self) -> None:
        if not 0 <= self.port <= 65535:
            raise ValueError(f"a port must be a number from 0 to 65535, not {self.port}")
        from recursor.trace.playground import Check, Playground
        from recursor.trace.serving import Server
        from recursor.trace.trace import trace
        from recursor.training.loading import load, shipped_names
        from recursor.training.run import Run

        shipped = [name for name in known() if name in shipped_names()]
        names = dict.fromkeys((*shipped, *self.model))  # without duplicates
        if not names:
            raise ValueError("no model is shipped with this version; name a run directory with --model")

        @cache
        def load_once(name: str) -> Run:
            run = load(name)
            say_loaded(run)
            return run

        models = {name: name if name in shipped else load_once(name).config.algorithm for name in names}

        def solve(name: str, graph: Graph, check: Check) -> "Trace":
            run = load_once(name)
            return trace(run.run(graph, progress=lambda rows: check()), run.reasoner.spec, name)

        with Server(self.port, Playground(models, solve)) as server:
            console().print(f"Open {server.address} in a browser. Ctrl-C stops the server.", soft_wrap=True)
            console().print("The token in the address keeps other users of this machine out.")
            if self.open:
                webbrowser.open(server.address)
            server.serve_forever()
