"""Benchmarks for asv, which imports every file of this folder at every commit."""

import os
import sys
from pathlib import Path

# `benchmarks` is imported from the current checkout, which comes after the commit's package
sys.path.append(str(Path(__file__).resolve().parents[2]))
os.environ["SPCABENCH_OFFLINE"] = "1"
