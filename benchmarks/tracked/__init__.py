"""The benchmarks for asv, which imports every file of this folder at every commit."""

import os
import sys
from pathlib import Path

# the folder `benchmarks` is the current one; the package is the commit's, which precedes it
sys.path.append(str(Path(__file__).resolve().parents[2]))
os.environ["SPCABENCH_OFFLINE"] = "1"
