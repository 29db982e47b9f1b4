"""Recording: runs a plain recursive function and records its rows."""
