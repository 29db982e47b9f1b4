"""Access to the operating system and XLA: files, locks, signals, memory, compiled programs."""
