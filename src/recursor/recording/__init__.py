"""Recording: plain recursion in, rows out."""
