"""The paper's published accuracies."""

PUBLISHED: dict[str, tuple[str, str]] = {
    "01-per-node-hints": ("99.79 ± 0.20", "53.92 ± 14.06"),
    "02-graph-stack": ("98.00 ± 0.60", "73.00 ± 6.31"),
    "03-no-stack": ("65.33 ± 4.69", "72.88 ± 7.47"),
    "04-graph-stack-hidden": ("100.00", "82.19 ± 1.07"),
    "05-hidden-no-stack": ("100.00", "78.65 ± 5.44"),
    "06-no-collection": ("50.54 ± 3.90", "25.08 ± 0.97"),
    "07-no-forcing": ("71.73 ± 2.14", "43.88 ± 15.73"),
    "08-plain-value": ("97.54 ± 0.83", "67.42 ± 3.67"),
    "09-attention": ("92.27 ± 5.04", "49.40 ± 2.28"),
    "10-node-stack": ("100.00", "100.00"),
    "11-node-stack-hidden": ("100.00", "99.79 ± 0.29"),
}
"""Node accuracy in percent at 32 and at 96 nodes: mean and standard deviation over three seeds, by experiment."""
