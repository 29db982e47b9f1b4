"""Looking at an execution: the trace page, the same as text in a terminal, and a local page to try graphs on."""
