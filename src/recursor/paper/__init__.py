"""The paper's experiments: configurations, published figures, training jobs, and tables of results."""
