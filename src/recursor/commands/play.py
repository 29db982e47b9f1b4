"""`recursor play`."""

import webbrowser
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import tyro

from recursor.algorithms import known
from recursor.commands.console import console, say_loaded
from recursor.graphs.graph import Graph

if TYPE_CHECKING:
    from recursor.trace.trace import Trace


@dataclass(frozen=True)
class Play:
    """Opens a page on this machine on which you draw or paste a graph and watch a model run on it, row by row.

    Nobody else can reach it: it listens on 127.0.0.1 only. Ctrl-C ends it.
    """

    port: int = 0
    """The port; left out, it is any that is free."""
    model: tuple[str, ...] = ()
    """Run directories, with a slash in them, such as runs/dfs or ./dfs, to offer beside the shipped models."""
    open: tyro.conf.FlagCreatePairsOff[bool] = False
    """Open the page in the browser."""

    def __call__(self) -> None:
        if not 0 <= self.port <= 65535:
            raise ValueError(f"a port is a number from 0 to 65535, not {self.port}")
        from recursor.trace.playground import Server
        from recursor.trace.trace import trace
        from recursor.training.run import Run, load, shipped_names

        shipped = [name for name in known() if name in shipped_names()]
        names = dict.fromkeys((*shipped, *self.model))  # each once
        if not names:
            raise ValueError("no model is shipped with this version; name a run directory with --model")

        @cache
        def loaded(name: str) -> Run:
            run = load(name)
            say_loaded(run)
            return run

        models = {name: name if name in shipped else loaded(name).config.algorithm for name in names}

        def solve(name: str, graph: Graph) -> "Trace":
            run = loaded(name)
            return trace(run.run(graph), run.reasoner.spec, name)

        with Server(self.port, models, solve) as server:
            address = f"http://127.0.0.1:{server.server_port}/"
            console().print(f"Open {address} in a browser. Ctrl-C ends it.")
            if self.open:
                webbrowser.open(address)
            server.serve_forever()
