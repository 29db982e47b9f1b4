"""All files of the report: tables in Markdown and LaTeX, the plot, and a page."""

from collections.abc import Sequence

from recursor.paper.jobs import Job
from recursor.paper.page import table_page
from recursor.paper.tables import departures, joined, latex, markdown, plain, plot, read_all


def report(budget: str, jobs: Sequence[Job]) -> dict[str, bytes]:
    """All files of the report, by name, from the results that are there."""
    found, seeds = read_all(jobs), sorted({job.config.seed for job in jobs})
    files = {"sizes.svg": plot(budget, found), "report.html": table_page(budget, found, seeds)}
    for kind in ("table", "costs"):
        files[f"{kind}.md"] = joined(markdown(kind, budget, found, seeds))
        files[f"{kind}.tex"] = joined(latex(kind, budget, found, seeds))
    files["summary.md"] = joined(plain("table", budget, found, seeds))
    files["sizes.md"] = joined(plain("sizes", budget, found, seeds))
    files["departures.md"] = joined(departures(budget, found))
    return files
