"""How many situations a network has, by the price of bits that are 1 and by the number of bits of a message.

    python benchmarks/silence.py             trains what is missing, and writes the table of docs/verifying.md
    python benchmarks/silence.py --table     writes the table from what is there

Each network of depth-first search is trained by `exact/dfs` with one value changed, without lessons and consolidation, and
then verified on all graphs of up to 3 nodes, random ones of up to 64 and 4 096 that are searched. One JSON a run in
results/silence.
"""

import argparse
import json
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from recursor.configurations.named import configuration
from recursor.report.markdown import put_tables
from recursor.system.files import write_atomically
from recursor.training import loop
from recursor.training.config import TrainConfig
from recursor.verification.verify import verify

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "results" / "silence"
PAGE = ROOT / "docs" / "verifying.md"
BASE = replace(configuration("exact/dfs"), lessons=0)
SILENCES = (0.0, 0.03, 0.1, 0.3)
BITS = (2, 4, 8)


def variants() -> dict[str, TrainConfig]:
    """Returns the configurations, by the name of their result."""
    found = {f"silence-{silence:g}": replace(BASE, silence=silence) for silence in SILENCES}
    return found | {f"bits-{bits}": replace(BASE, network=replace(BASE.network, message_bits=bits)) for bits in BITS}


def run(name: str, config: TrainConfig) -> None:
    """Trains and verifies one network, and keeps what was found."""
    with tempfile.TemporaryDirectory() as directory:
        trained = loop.train(config, Path(directory) / name)
        lines = (trained.directory / "metrics.jsonl").read_text().splitlines()
    report = verify(trained, small_size=3, sizes=tuple(range(4, 65)), search=4096)
    losses = [round(json.loads(line)["loss"], 4) for line in lines if '"loss"' in line]
    found = {"config": asdict(config), "loss": losses[::20], "report": report.to_dict()}
    write_atomically(RESULTS / f"{name}.json", (json.dumps(found, indent=1) + "\n").encode())


def table(found: Sequence[dict[str, Any]]) -> str:
    """Returns the table in Markdown, a line for each network."""
    lines = ["| bits of a message | price of a bit | situations | wrong inputs |", "| ---: | ---: | ---: | ---: |"]
    for each in found:
        report, config = each["report"], each["config"]
        situations = f"{report['situations']['after round 2']:,}".replace(",", " ")
        wrong = f"{report['wrong']} of {report['inputs']:,}".replace(",", " ")
        lines.append(f"| {config['network']['message_bits']} | {config['silence']:g} | {situations} | {wrong} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Trains what is missing, and writes the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--table", action="store_true", help="train nothing")
    options = parser.parse_args()
    RESULTS.mkdir(parents=True, exist_ok=True)
    for name, config in variants().items():
        if not options.table and not (RESULTS / f"{name}.json").exists():
            run(name, config)
    paths = [RESULTS / f"{name}.json" for name in variants()]
    found = [json.loads(path.read_text()) for path in paths if path.exists()]
    found.sort(key=lambda each: (each["config"]["network"]["message_bits"], each["config"]["silence"]))
    put_tables(PAGE, {"verify/silence": table(found)})


if __name__ == "__main__":
    main()
