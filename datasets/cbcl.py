"""CBCL faces: 2429 greyscale images of 19 x 19 pixels.

MIT Center for Biological and Computational Learning, CBCL face database 1, training faces (Sung
1996); for research only. The raw grey values are read from NMFLibrary's file, sha256
bf183d48b74f..., which contains negatives (256 - g) / 256 of the grey values g. The
contrast-normalised values are read from NMFcUDA's file, sha256 b2c4a9c3933f...: each face is scaled
to mean and standard deviation 0.25, then clipped to [0, 1] (Lee and Seung 1999).

Stand-in if a file is not available: 2429 greyscale patches of 19 x 19 pixels from scikit-learn's
two photographs.
"""

import numpy as np

from spcabench.errors import InputError
from spcabench.problem.problem import Problem
from spcabench.readers import sources

SIDE, FACES = 19, 2429
FILE = "cbcl/CBCL_Face.mat"
SHA256 = "bf183d48b74fc6c7434eeb5123b7c7461e78c606c1a37d4116152f8868dc5254"
URL = (
    "https://raw.githubusercontent.com/hiroyuki-kasai/NMFLibrary/"
    "ed44132dfe1b5495df685006b42259f0bd16bea3/data/CBCL_Face.mat"
)
CONTRAST_FILE = "cbcl/CBCL_stretched.mat"
CONTRAST_SHA256 = "b2c4a9c3933f1dbc20889efb65e4aaa7a339ec91a13f93ead909c94b23993fa0"
CONTRAST_URL = "https://raw.githubusercontent.com/amjadseyedi/NMFcUDA/6e0d0bb4612790df2b06cd8cc327c85fc446c245/CBCL.mat"
FILES = [
    sources.File(FILE, SHA256, URL, 1_460_029, "for research only"),
    sources.File(CONTRAST_FILE, CONTRAST_SHA256, CONTRAST_URL, 877_056, "for research only"),
]


def load(contrast=False, center=True, scale=False):
    """Return A = X / sqrt(m), with X centred by pixel.

    Sigma (361, 361) is the covariance of the grey values, which range from 0 to 255.

    contrast : load the contrast-normalised faces.
    center, scale : other possible preprocessing; the paper does not specify any.
    """
    name, sha256, url = (
        (CONTRAST_FILE, CONTRAST_SHA256, CONTRAST_URL) if contrast else (FILE, SHA256, URL)
    )
    file = sources.find(name, sha256, url)
    X = _patches() if file is None else _read(file, contrast)
    words = ["contrast-normalised" if contrast else "raw", *([] if center else ["not centred"])]
    words += ["scaled"] if scale else []
    return Problem.from_data(
        X,
        f"cbcl (stand-in: patches of photographs {FACES} x {SIDE**2})"
        if file is None
        else f"cbcl, {', '.join(words)}",
        center=center,
        scale=scale,
        divisor="m",
        features=[f"pixel {i // SIDE},{i % SIDE}" for i in range(SIDE**2)],
        provenance=dict(
            source="scikit-learn's sample photographs, in place of CBCL"
            if file is None
            else "MIT CBCL",
            **({} if file is None else dict(file=name, sha256=sha256)),
            preprocessing=f"pixels {'centred' if center else 'not centred'}, "
            f"{'' if scale else 'not '}scaled",
            stand_in=file is None,
        ),
    )


def _read(file, contrast):
    """Return the grey values (2429, 361), with the pixels of each face in row-major order.

    In the file, each column is a face, with its pixels in column-major order.
    """
    from scipy.io import loadmat

    key = "X" if contrast else "M"
    try:
        M = loadmat(file, variable_names=[key])[key].astype(float)
    except Exception as error:  # the reader raises many types of exceptions for a damaged file
        raise InputError(
            f"{file}: not a MATLAB file with a numeric matrix {key} ({error})"
        ) from None
    if M.shape != (SIDE**2, FACES):
        raise InputError(
            f"{file}: {key} is {M.shape}; expected {FACES} faces as columns of {SIDE**2} pixels"
        )
    faces = M if contrast else 256.0 - 256.0 * M
    return faces.T.reshape(FACES, SIDE, SIDE).swapaxes(1, 2).reshape(FACES, -1)


def _patches():
    from sklearn.datasets import load_sample_images

    rng = np.random.default_rng(0)
    grey = [image.mean(axis=2) for image in load_sample_images().images]
    picked = [grey[i] for i in rng.integers(len(grey), size=FACES)]
    corners = [[rng.integers(side - SIDE) for side in image.shape] for image in picked]
    return np.array(
        [
            image[i : i + SIDE, j : j + SIDE].ravel()
            for image, (i, j) in zip(picked, corners, strict=True)
        ]
    )
