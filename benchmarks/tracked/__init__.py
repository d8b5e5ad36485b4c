"""What asv measures. It imports every file of this folder at every commit, and nothing else."""

import os
import sys
from pathlib import Path

# the folder `benchmarks` is that of today; the package is the commit's, which comes before it
sys.path.append(str(Path(__file__).resolve().parents[2]))
os.environ["SPCABENCH_OFFLINE"] = "1"
