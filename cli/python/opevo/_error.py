# SPDX-License-Identifier: GPL-3.0-or-later
"""The package's exceptions."""


class Error(Exception):
    """What went wrong and what to do, in one sentence: the program's own words where it refused."""


class Failed(Exception):
    """Raised by a function under `Tuner.run` to say that its configuration failed.

    `outcome` is the class of the failure: rejected, build-error, launch-error, wrong, timeout or
    crashed. The message is kept in the store.

    >>> raise opevo.Failed("build-error", "too much shared memory")
    """

    def __init__(self, outcome: str = "crashed", message: str = "") -> None:
        super().__init__(outcome, message)
        self.outcome = outcome
        self.message = message
