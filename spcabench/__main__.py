"""The entry point of the command line, for ``spcabench`` and ``python -m spcabench``."""

import signal


def main() -> None:
    """Load the commands and run the application."""
    # while the commands are loaded, Ctrl-C kills the process without a traceback
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from spcabench.cli import application

    application.main()


if __name__ == "__main__":
    main()
