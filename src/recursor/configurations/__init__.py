"""Named configurations: the paper's experiments in their budgets, and exact networks."""
