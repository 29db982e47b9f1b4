"""All files of the report: tables in Markdown and LaTeX, the plot, and a page."""

from collections.abc import Sequence
from pathlib import Path

from recursor.paper import results
from recursor.paper.jobs import Job
from recursor.paper.page import table_page
from recursor.paper.plot import plot
from recursor.paper.tables import departures, latex, markdown, plain, read_all, to_bytes


def report(budget: str, jobs: Sequence[Job], exact: Sequence[Path] = ()) -> dict[str, bytes]:
    """Makes all files of the report from the results so far.

    Args:
        budget: The budget of the jobs.
        jobs: The jobs of the paper's experiments, finished or not.
        exact: Directories of results of the exact network of depth-first search, of any configuration, which the plot also
            shows.

    Returns:
        The files by name.

    Raises:
        ValueError: If a result is damaged or of another configuration.
    """
    found, seeds = read_all(jobs), sorted({job.config.seed for job in jobs})
    files = {
        "sizes.svg": plot(budget, found, [run for path in exact if (run := results.read(path, None)) is not None]),
        "report.html": table_page(budget, found, seeds),
    }
    for kind in ("table", "costs"):
        files[f"{kind}.md"] = to_bytes(markdown(kind, budget, found, seeds))
        files[f"{kind}.tex"] = to_bytes(latex(kind, budget, found, seeds))
    files["summary.md"] = to_bytes(plain("table", budget, found, seeds))
    files["sizes.md"] = to_bytes(plain("sizes", budget, found, seeds))
    files["departures.md"] = to_bytes(departures(budget, found))
    return files
