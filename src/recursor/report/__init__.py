"""Reports of training runs: charts, tables and the page around them."""
