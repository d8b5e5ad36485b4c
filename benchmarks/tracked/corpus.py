"""Time of the passes over a large corpus, relative to decompressing the file."""

import gzip
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter

PER_DOCUMENT = 230  # distinct words per document


def write_corpus(path, triplets, terms=100_000):
    """Write a gzipped docword file with Zipf's word frequencies."""
    import numpy as np

    rng = np.random.default_rng(0)
    documents = triplets // PER_DOCUMENT
    weight = 1.0 / np.arange(1, terms + 1) ** 0.9
    edges = np.cumsum(weight / weight.sum())
    with gzip.open(path, "wt", compresslevel=6) as stream:
        stream.write(f"{documents}\n{terms}\n{documents * PER_DOCUMENT}\n")
        for first in range(0, documents, 2000):
            block = range(first, min(first + 2000, documents))
            lines = []
            for d in block:
                drawn = np.unique(np.searchsorted(edges, rng.random(2 * PER_DOCUMENT)))
                spare = np.setdiff1d(np.arange(3 * PER_DOCUMENT), drawn)
                w = np.sort(np.concatenate([drawn, spare])[:PER_DOCUMENT]) + 1
                c = rng.geometric(0.6, PER_DOCUMENT)
                lines.append(
                    "".join(
                        f"{d + 1} {a} {b}\n" for a, b in zip(w.tolist(), c.tolist(), strict=True)
                    )
                )
            stream.write("".join(lines))


class Corpus:
    """A corpus of half a million triplets, or twenty million if this file is run as a program."""

    timeout = 1200
    triplets = 500_000

    def setup_cache(self):
        """Time gzip, the pass for variances, and the pass for a covariance of 1000 words."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "docword.txt.gz")
            write_corpus(path, self.triplets)
            return measure(path)

    def track_variances(self, numbers):
        """Return the time of the first pass as a multiple of gzip's time."""
        return numbers["variances"] / numbers["gzip"]

    def track_covariance(self, numbers):
        """Return the time of the second pass as a multiple of gzip's time."""
        return numbers["covariance"] / numbers["gzip"]

    def track_memory(self, numbers):
        """Return the peak memory of the process in MB."""
        return numbers["peak_mb"]

    track_variances.unit = track_covariance.unit = "ratio"
    track_memory.unit = "MB"
    track_variances.version = track_covariance.version = track_memory.version = "1"


def measure(path):
    """Return the times and the peak memory of one run, excluding compilation."""
    import numpy as np

    from spcabench.readers.corpus import covariance, stream_moments  # early commits lack it

    small = path.with_name("small.txt.gz")
    write_corpus(small, 2300, terms=1000)
    covariance(small, np.arange(3), stream_moments(small))
    times = {"gzip": [], "variances": [], "covariance": []}
    for _ in range(3):
        start = perf_counter()
        subprocess.run(["gzip", "-dc", path], stdout=subprocess.DEVNULL, check=True)
        times["gzip"].append(perf_counter() - start)
        start = perf_counter()
        moments = stream_moments(path)
        times["variances"].append(perf_counter() - start)
    top = np.argsort(-moments.variances)[:1000]
    start = perf_counter()
    covariance(path, top, moments)
    times["covariance"].append(perf_counter() - start)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {name: min(values) for name, values in times.items()} | {"peak_mb": peak}


if __name__ == "__main__":
    Corpus.triplets = 20_000_000
    print(measure(Path(sys.argv[1])) if len(sys.argv) > 1 else Corpus().setup_cache())
