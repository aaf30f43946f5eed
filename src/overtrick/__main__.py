"""`python -m overtrick` is `overtrick`."""

import gc
import sys


def main() -> None:
    """Run the command line; Ctrl-C while it is still being imported ends it without a traceback."""
    # Imports make hundreds of thousands of objects that stay; scanning them takes a tenth of the time to start.
    gc.set_threshold(50_000, 20, 20)
    try:
        from overtrick.cli import main as run

        run()
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
