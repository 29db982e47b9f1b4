"""Makes the gallery of the documentation: python docs/gallery.py [--out docs/gallery]

Every shipped network runs on the example of its algorithm.
"""

import argparse
from pathlib import Path

import recursor
from recursor.algorithms import find, known
from recursor.trace.gallery import exhibit_of, write_gallery
from recursor.trace.trace import trace
from recursor.training.run import shipped_names


def main() -> None:
    parser = argparse.ArgumentParser(description="Makes the gallery of the documentation.")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "gallery", help="where it is written to")
    out = parser.parse_args().out
    exhibits = []
    for name in known():
        if name in shipped_names():
            print(f"{name} …", flush=True)
            run = recursor.load(name)
            exhibits.append(exhibit_of(trace(run.run(find(name).example_graph()), run.reasoner.spec, name)))
    files = write_gallery(out, exhibits)
    print(f"wrote {len(files)} files to {out}")


if __name__ == "__main__":
    main()
