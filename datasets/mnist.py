"""MNIST handwritten digits: the first 5000 images of the training set, 784 pixels.

LeCun, Cortes, Burges, "The MNIST database of handwritten digits"; the authors state no licence. The
file is in the standard idx format, sha256 440fcabf73cc....

Stand-in if the file is not available: scikit-learn's digits, 1797 images of 64 pixels.
"""

import gzip

import numpy as np

from spcabench.errors import InputError, using_file
from spcabench.problem.problem import Problem
from spcabench.readers import sources

FILE = "mnist/train-images-idx3-ubyte.gz"
SHA256 = "440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609"
URL = "https://ossci-datasets.s3.amazonaws.com/mnist/train-images-idx3-ubyte.gz"
FILES = [sources.File(FILE, SHA256, URL, 9_912_422)]


def load(rows=5000, center=True):
    """Return A (rows, 784), the first images of the file with centred pixels, not divided by m.

    Grey values range from 0 to 255.

    center : subtract the mean of each pixel. He et al. (2010) do not state whether they did so.
    """
    if not 2 <= rows <= 60000:
        raise InputError(f"rows: {rows}; it must be from 2 to 60000")
    file = sources.find(FILE, SHA256, URL)
    if file is None:
        return _stand_in()
    with using_file(file), gzip.open(file) as stream:
        header = np.frombuffer(stream.read(16), dtype=">u4")
        X = np.frombuffer(stream.read(rows * 784), dtype=np.uint8)
    if header.tolist() != [2051, 60000, 28, 28]:
        raise InputError(
            f"{file}: header {header.tolist()}; expected 60000 images of 28 x 28 in idx format"
        )
    return Problem.from_data(
        X.reshape(rows, 784),
        f"mnist, training images 1 to {rows}",
        center=center,
        divisor="1",
        features=[f"pixel {i // 28},{i % 28}" for i in range(784)],
        provenance=dict(
            source="LeCun, Cortes, Burges",
            file=FILE,
            sha256=SHA256,
            preprocessing=f"pixels {'' if center else 'not '}centred",
            stand_in=False,
        ),
    )


def _stand_in():
    from sklearn.datasets import load_digits

    return Problem.from_data(
        load_digits().data,
        "mnist (stand-in: scikit-learn's digits 1797 x 64)",
        divisor="1",
        provenance=dict(
            source="scikit-learn's digits, in place of MNIST",
            preprocessing="pixels centred",
            stand_in=True,
        ),
    )
