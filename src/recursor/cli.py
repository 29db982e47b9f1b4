"""The entry point of the command line.

Slow imports are done inside `main`, after the handler of Ctrl-C is set, so that Ctrl-C is never lost, and prints no
traceback.
"""

import contextlib
import io
import sys

from recursor.system.interrupts import listen, status


def main() -> None:
    """Runs the command that the arguments of the process name."""
    listen()
    print_everything()
    try:
        from recursor.commands import line

        line.run(sys.argv[1:])
    except KeyboardInterrupt as interrupt:
        sys.exit(status(interrupt))


def print_everything() -> None:
    """Makes every character printable: one that the encoding of the output lacks is printed as an escape sequence."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            with contextlib.suppress(ValueError, OSError):  # the stream is closed
                stream.reconfigure(errors="backslashreplace")


if __name__ == "__main__":
    main()
