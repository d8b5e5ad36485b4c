"""What a process loads from which strangers' workers are forked, and which knows no plan.

Python's fork server (`multiprocessing`) imports this module once for a command. A worker that is
forked there has the libraries and the kernels of problems, but its memory shows no coming run.
"""

from spcabench import kernels
from spcabench.running import worker  # noqa: F401

kernels.load("spcabench.problem")
