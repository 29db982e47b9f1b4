"""The command line.

What takes long to import is imported when the program is ready to be stopped: Ctrl-C gives no traceback, however early.
"""

import contextlib
import io
import sys

from recursor.system.interrupts import exit_at_once, status


def main() -> None:
    """Runs the command that the arguments of the process name."""
    print_everything()
    with exit_at_once():
        from recursor.commands import line
    try:
        line.run(sys.argv[1:])
    except KeyboardInterrupt as interrupt:
        sys.exit(status(interrupt))


def print_everything() -> None:
    """Lets every character be printed: one that the terminal or file does not know is written as its number."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            with contextlib.suppress(ValueError, OSError):  # it is closed
                stream.reconfigure(errors="backslashreplace")


if __name__ == "__main__":
    main()
