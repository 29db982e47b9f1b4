"""Verifies the networks that come with Recursor, and puts the table of what was found into the documents.

    python benchmarks/verify.py              every shipped network
    python benchmarks/verify.py dfs tarjan   these alone
    python benchmarks/verify.py --all-sizes  instead, what is allowed at any size
    python benchmarks/verify.py --only-report

Each network is verified by `recursor verify NAME --keep` in a process of its own, and its report is kept in
results/verify/NAME.json. The exit status is 1 if a network is wrong somewhere.

What is allowed at any size is listed after a shorter plan: all small inputs, as long as there are at most 2 000 of them, and
random ones of 5 to 16 nodes. These reports are in results/verify/all-sizes.
"""

import argparse
import hashlib
import json
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import equinox as eqx
import jax

from recursor.algorithms import ALGORITHMS
from recursor.configurations.named import configuration
from recursor.report.markdown import put_tables
from recursor.system.files import write_atomically
from recursor.training.loading import load

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "results" / "verify"
ALL_SIZES = RESULTS / "all-sizes"
WEIGHTS = ROOT / "src" / "recursor" / "weights"
PAGES = tuple(ROOT / "docs" / name for name in ("verifying.md", "family.md", "model-card.md"))
MARK = "verify/table"
SEEDS = ROOT / "results" / "seeds"
SEEDS_MARK = "verify/seeds"
SEVERAL = configuration("joint/nine").together
"""The algorithms whose networks are trained from several seeds."""
LOOPS = ROOT / "docs" / "loops.md"
"""This page has a table of the algorithms that it names, whether they have weights or not."""
LOOPS_MARK = "verify/loops"
LAST = "situations after round 2"
MOST = 2000
"""Inputs of all sizes up to the one to which all are tried before it is listed what is allowed."""
COLUMNS = ("algorithm", "inputs", "rows", "situations", "allowed", "open", "smallest margin", "separation", "minutes")


Reports = Mapping[str, Mapping[str, Any]]


def table(names: Sequence[str], reports: Reports, all_sizes: Reports) -> str:
    """Returns the table in Markdown, one line for each network.

    Args:
        names: The networks.
        reports: Of each network that was verified its report, as `recursor verify --out` writes it.
        all_sizes: Of each network for which it was listed what is allowed at any size, that report.
    """
    lines = [f"| {' | '.join(COLUMNS)} |", f"| --- | --- |{' ---: |' * (len(COLUMNS) - 2)}"]
    for name in names:
        cells = (
            _cells(reports[name], all_sizes.get(name))
            if name in reports
            else ["not verified yet", *["–"] * (len(COLUMNS) - 2)]
        )
        lines.append(f"| {' | '.join((name, *cells))} |")
    return "\n".join(lines) + "\n"


def _cells(report: Mapping[str, Any], all_sizes: Mapping[str, Any] | None) -> list[str]:
    small, wrong = report["small_inputs"], report["wrong"] + report["uncollected"]
    limits = f" ({report['small_limits']})" if report.get("small_limits") else ""
    inputs = (
        f"all {_number(small)} of up to {report['small_size']} nodes{limits}, "
        f"{_number(report['inputs'] - small - report['searched'])} random ones of up to {_number(report['largest'])}, "
        f"{_number(report['searched'])} searched"
    )
    if wrong:
        inputs += f": **{_number(wrong)} wrong**"
    rounds = [count for kind, count in report["situations"].items() if kind.startswith("after round")]
    margin = "–" if report["margin"] is None else f"{report['margin']:.2g}"
    separation = "–" if report.get("separation") is None else f"{report['separation']:.2g}"
    minutes = f"{report['seconds'] / 60:.1f}"
    count = _number(rounds[-1]) if rounds else "not finite"
    return [inputs, _number(report["rows"]), count, *_every_size(all_sizes), margin, separation, minutes]


def _every_size(report: Mapping[str, Any] | None) -> tuple[str, str]:
    """How many situations are allowed at any size, and how many of them are open, and how many decisions."""
    if report is None:
        return "–", "–"
    found = report["all_sizes"]
    if found["stopped"]:
        return "given up", "–"
    if report["certificate"]:
        return _number(found["allowed"][LAST]), "**0: certificate**"
    decisions = sum(count for name, count in found["open"].items() if name.startswith("decisions"))
    words = "not listed" if found["undecided"] else _number(decisions)
    wrong = f"; **{_number(report['wrong'])} inputs of this search wrong**" if report["wrong"] else ""
    return _number(found["allowed"][LAST]), f"{_number(found['open'][LAST])}; decisions: {words}{wrong}"


def _number(value: int) -> str:
    """A number with its thousands apart."""
    return f"{value:,}".replace(",", " ")


def weights_table(names: Sequence[str]) -> str:
    """Returns the table of the weights in Markdown: what each was trained on, for how long, and how large it is."""
    lines = [
        "| network | trained on | updates | parameters | size | SHA-256 begins |",
        "| --- | --- |" + " ---: |" * 3 + " --- |",
    ]
    for name in names:
        run = load(name)
        sizes = f"{min(run.config.sizes)} to {max(run.config.sizes)} nodes, seed {run.config.seed}"
        parameters = sum(leaf.size for leaf in jax.tree.leaves(eqx.filter(run.reasoner, eqx.is_inexact_array)))
        size = f"{(WEIGHTS / name / 'weights.safetensors').stat().st_size / 1000:.0f} kB"
        cells = name, sizes, _number(run.updates), _number(parameters), size, f"`{_weights(name)[:12]}`"
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def seeds_table(names: Sequence[str], seeds: Sequence[int] = (1, 2, 3)) -> str:
    """Returns the table of networks from several seeds in Markdown. The shipped seed is in results/verify; the others
    are in results/seeds."""
    lines = [f"| algorithm | {' | '.join(f'seed {seed}' for seed in seeds)} |", "| --- |" + " --- |" * len(seeds)]
    for name in names:
        shipped = json.loads((WEIGHTS / name / "config.json").read_text())["seed"]
        cells = []
        for seed in seeds:
            directory = SEEDS / f"{name}-seed{seed}"
            if seed == shipped:
                cells.append(_seed_cell(json.loads((RESULTS / f"{name}.json").read_text())) + " (shipped)")
            elif (directory / "verify.json").exists():
                cells.append(_seed_cell(json.loads((directory / "verify.json").read_text())))
            else:
                cells.append("not run yet")
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _seed_cell(report: Mapping[str, Any]) -> str:
    wrong = f"{report['wrong']} of {_number(report['inputs'])} wrong"
    separation = report.get("separation")
    apart = "" if separation is None else f", separation {separation:.2g}"
    situations = _number(report["situations"][LAST.removeprefix("situations ")])
    return f"{wrong}, {situations} situations, margin {report['margin']:.2g}{apart}"


def verify(name: str, *, all_sizes: bool) -> bool:
    """Verifies one network and keeps the report. Returns whether nothing is wrong."""
    out = (ALL_SIZES if all_sizes else RESULTS) / f"{name}.json"
    out.unlink(missing_ok=True)
    out.parent.mkdir(parents=True, exist_ok=True)
    command = [Path(sys.executable).with_name("recursor"), "verify", name, "--out", out]
    sizes = ["--small-size", str(_listed_size(name)), "--draws", "8", "--all-sizes", "--sizes", *map(str, range(5, 17))]
    done = subprocess.run([*command, *sizes] if all_sizes else [*command, "--keep"], check=False)
    if out.exists():
        report = {**json.loads(out.read_text()), "weights_sha256": _weights(name)}
        write_atomically(out, (json.dumps(report, indent=2) + "\n").encode())
    return done.returncode == 0


def _listed_size(name: str) -> int:
    """The largest size so that there are at most `MOST` inputs of up to this size."""
    inputs, size, total = ALGORITHMS[name].small_inputs, 0, 0
    while (total := total + sum(1 for _ in islice(inputs(size + 1), MOST + 1))) <= MOST:
        size += 1
    return size


def read_reports(names: Sequence[str], directory: Path = RESULTS) -> dict[str, dict[str, Any]]:
    """Returns the reports that are kept, but none that is of other weights than those that are shipped now."""
    found = {}
    for name in names:
        path = directory / f"{name}.json"
        if path.exists():
            report = json.loads(path.read_text())
            if report.get("weights_sha256", _weights(name)) == _weights(name):
                found[name] = report
    return found


def named_on(page: str) -> list[str]:
    """Returns the algorithms that a page has as the first word of a line of a table, in its order."""
    return [name for name in re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE) if name in ALGORITHMS]


def _weights(name: str) -> str:
    return hashlib.sha256((WEIGHTS / name / "weights.safetensors").read_bytes()).hexdigest()


def main() -> None:
    """Verifies and reports."""
    shipped = sorted(path.parent.name for path in WEIGHTS.glob("*/config.json"))
    parser = argparse.ArgumentParser(description="Verifies the networks that come with Recursor.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="which of them; left out, all")
    parser.add_argument("--only-report", action="store_true", help="fill the tables from what is kept, and verify nothing")
    parser.add_argument("--all-sizes", action="store_true", help="instead, list what is allowed at any size")
    options = parser.parse_args()
    if unknown := sorted({*options.names} - {*shipped}):
        parser.error(f"no network called {', '.join(unknown)} is shipped; there are {', '.join(shipped)}")
    names = [] if options.only_report else options.names or shipped
    failed = [name for name in names if not verify(name, all_sizes=options.all_sizes)]
    reports = read_reports(shipped), read_reports(shipped, ALL_SIZES)
    tables = {MARK: table(shipped, *reports), "weights/table": weights_table(shipped), SEEDS_MARK: seeds_table(SEVERAL)}
    for page in PAGES:
        put_tables(page, tables)
    put_tables(LOOPS, {LOOPS_MARK: table(named_on(LOOPS.read_text()), *reports)})
    if failed:
        sys.exit(f"wrong, or not verified to the end: {', '.join(failed)}")


if __name__ == "__main__":
    main()
