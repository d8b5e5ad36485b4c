"""Errors that are the user's to mend, apart from bugs."""


class InputError(ValueError):
    """A wrong argument, file or setting: its message names it, what was wrong, and what is allowed.

    The command line prints it as one line and exits with code 2; any other exception is a bug, and
    shows its traceback.
    """
