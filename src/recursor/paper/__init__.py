"""The paper's experiments: configurations, published figures, the jobs that train them, and the tables of results."""
