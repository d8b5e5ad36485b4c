"""A process of a third-party file on a system that can neither confine nor separate it."""

from spcabench.running.worker_process import Cell


class Unconfined(Cell):
    """A cell without walls. The process that is forked for it imports this module."""

    def enter(self, mapped):
        self.settle()
