"""The certificate of a network for inputs of every size: what was listed, what is assumed, and the smallest margin."""

import hashlib

from recursor.verification.report import Report


def certificate(report: Report, weights: bytes) -> str:
    """Returns the certificate, or a sentence that says why there is none.

    Args:
        report: Of a verification for all sizes.
        weights: The bytes of the file of weights.
    """
    if report.obstacles:
        return f"no certificate for every size: {'; '.join(report.obstacles)}"
    found = report.all_sizes
    assert found is not None
    _, rows, pairs, triples, present = found.kinds[-1]
    listed = ", ".join(f"{count} {name}" for name, count in found.allowed.items())
    apart = "" if report.separation is None else f", the separation of the pointers {report.separation:.3g}"
    return f"""CERTIFICATE of {report.algorithm} for every size
  weights: SHA-256 {hashlib.sha256(weights).hexdigest()}
  In every row of every input the network does what the algorithm does, if two things hold of the algorithm:
  1. The rows of inputs of more than {found.largest} nodes are made as those of smaller ones. They are of the same {rows} \
kinds. Two of their nodes are one of the same {pairs} kinds of pairs, and a node with two landmarks is one of the same \
{triples} kinds of triples. The {present} kinds of nodes that are always there, in the row or for a node, are there, too. \
Above {found.saturated} nodes nothing of this changed.
  2. In equal situations the algorithm does the same. There was no exception in {report.rows} rows.
  All that this allows at any size was listed. All of it was met, and the network was right there: {listed}.
  The smallest margin is {report.margin:.3g}{apart}."""
