"""Start the command line: `python -m recollect` and the `recollect` command. Not here: anything it does."""

from __future__ import annotations

import sys

from recollect import config
from recollect.interfaces import cli


def main() -> int:
    """Run the command line of this process; return its exit status."""
    config.limit_numpy_threads()
    sys.excepthook = cli.excepthook
    return cli.main()


if __name__ == "__main__":
    sys.exit(main())
