"""`recursor verify`."""

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import tyro

from recursor.commands.console import console
from recursor.commands.options import Flag, option
from recursor.commands.progress import Progress
from recursor.system.files import require_writable, write_atomically

if TYPE_CHECKING:
    from recursor.verification.all_sizes import AllSizes
    from recursor.verification.report import Counterexample, Report


@dataclass(frozen=True)
class Verify:
    """Verifies a network on every small input, and on random ones.

    Every field of every row must be right. Prints the verdict, and the smallest counterexample if there is one. The exit
    status is 0 if nothing is wrong, else 1.

    For example:

        recursor verify dfs
        recursor verify runs/mine --html counterexample.html
    """

    run: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="RUN")]
    """A shipped network, such as dfs, or a run directory, such as runs/mine or ./mine."""
    small_size: Annotated[int | None, option("SIZE", "4 to 6, as the algorithm says")] = None
    """Try every input up to this size."""
    sizes: Annotated[tuple[int, ...] | None, option("SIZE ...", "1 to 64, and some up to 1000")] = None
    """Sizes of random inputs, in nodes."""
    draws: int = 4
    """Random inputs of each size and distribution."""
    search: int = 32768
    """Inputs to search: those with rare situations, a little changed."""
    seed: int = 0
    """Seed of the random inputs."""
    all_sizes: Flag = False
    """Also list every situation that can occur at any size, and search for those not met. What is left is open."""
    situations: Annotated[Path | None, option("FILE", "no list")] = None
    """List the situations of nodes that were met in this file, as JSON: in words, the rare ones first."""
    html: Annotated[Path | None, option("FILE", "no page")] = None
    """Write a trace page of the smallest counterexample to this file."""
    json: Flag = False
    """Print the whole report as JSON."""
    out: Annotated[Path | None, option("FILE", "none")] = None
    """Also write the whole report as JSON to this file."""
    keep: Flag = False
    """If nothing is wrong, save the verified situations beside the weights; executions are then certified."""

    def __call__(self) -> None:
        if (
            (self.small_size is not None and self.small_size < 0)
            or min(self.draws, self.search) < 0
            or min(self.sizes or (1,)) < 1
        ):
            raise ValueError("small-size, draws and search must be at least 0, and sizes at least 1")
        for path in (self.out, self.situations, self.html):
            if path is not None:
                require_writable(path)
        from recursor.situations.tables import why_not_finite  # JAX is slow to import
        from recursor.training.loading import load
        from recursor.verification.verify import keep_verified, verify_reasoner

        run = load(self.run)
        if (self.situations is not None or self.keep) and why_not_finite(run.reasoner):
            do = "kept" if self.keep else "listed"
            raise ValueError(
                f"the situations of {self.run} cannot be {do}: their number is not finite; see docs/verifying.md"
            )
        with Progress("starting") as bar:
            report, verifier = verify_reasoner(
                run.reasoner,
                small_size=self.small_size,
                sizes=self.sizes,
                draws=self.draws,
                search=self.search,
                seed=self.seed,
                all_sizes=self.all_sizes,
                progress=lambda part, inputs, wrong: bar.show(inputs, f"{part}, {wrong} wrong, inputs so far"),
            )
        text = json.dumps(report.to_dict(), indent=2) + "\n"
        if self.json:
            print(text, end="")
        else:
            _show(report, (run.directory / "weights.safetensors").read_bytes())
        sys.stdout.flush()  # the result is out, whatever becomes of the files
        if self.keep and report.passed:
            keep_verified(run.directory, verifier)
        if self.out is not None:
            write_atomically(self.out, text.encode())
        if self.situations is not None and verifier.by_situation is not None:
            from recursor.verification.listing import list_situations

            listed = json.dumps(list_situations(verifier.by_situation), indent=1) + "\n"
            write_atomically(self.situations, listed.encode())
        if report.counterexample is not None and self.html is not None:
            from recursor.trace.page import write_page
            from recursor.trace.trace import trace

            graph = report.counterexample.graph()
            write_page(
                self.html,
                [trace(run.run(graph), run.reasoner.spec, run.directory.name)],
                f"A counterexample to {report.algorithm}",
            )
        if not report.passed:
            sys.exit(1)


def _show(report: "Report", weights: bytes) -> None:
    from recursor.verification.certificate import certificate

    out = console()
    out.print(report.verdict(), highlight=False)
    if report.situations:
        counts = ", ".join(f"{count} {name}" for name, count in report.situations.items())
        out.print(f"situations: {counts}; smallest margin {report.margin:.3f}; {report.rare} met only once", highlight=False)
    if report.all_sizes is not None:
        _show_all_sizes(report.all_sizes)
        out.print(certificate(report, weights), highlight=False, soft_wrap=True)
    if report.counterexample is not None:
        out.print(_describe(report.counterexample), highlight=False)
    out.print(f"{report.seconds:.0f} s", highlight=False)


def _show_all_sizes(found: "AllSizes") -> None:
    out = console()
    _, skeletons, pairs, *_ = found.kinds[-1]
    out.print(
        f"every size: {skeletons} kinds of rows and {pairs} kinds of pairs in inputs of up to {found.largest} nodes, "
        f"none of them new above {found.saturated}",
        highlight=False,
    )
    for name, count in found.allowed.items():
        out.print(f"every size: {count} {name} allowed, {found.met[name]} met, {found.open[name]} open", highlight=False)


def _describe(example: "Counterexample") -> str:
    edges = ", ".join(f"{a}→{b}" for a, b in example.edges) or "none"
    values = "".join(f"; {name} {numbers}" for name, numbers in example.values.items())
    return f"counterexample: {example.nodes} nodes, edges {edges}{values}: row {example.row} has a wrong {example.field}"
