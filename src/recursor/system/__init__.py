"""What the operating system and XLA provide: files, locks, memory, compiled programs."""
