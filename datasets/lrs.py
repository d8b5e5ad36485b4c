"""Low resolution spectrometer (IRAS): 531 infrared spectra x 93 bands, 44 blue and 49 red.

UCI machine learning repository (Bache and Lichman 2013; CC BY 4.0), from the Infra-Red Astronomy
Satellite. In the source, each spectrum is scaled to mean 5000. The file is Weka's conversion,
gzipped, sha256 cda663622811....

Stand-in if the file is not available: synthetic spectra of the same shape, thermal continua with a
silicate feature.
"""

import gzip

import numpy as np

from spcabench.errors import InputError, using_file
from spcabench.problem.problem import Problem
from spcabench.readers import sources

FILE = "lrs/spectrometer.arff.gz"
SHA256 = "cda663622811a0901d003550c8820e72af5dede7b5c5e8ab7c5a99cac3b20ead"
PLAIN = "lrs/spectrometer.arff"  # the uncompressed file, as published
PLAIN_SHA256 = "7db9be0242058fd1d9783cb66d040f0833551316cdeb93b4b7188a6b4618a243"
URL = "https://raw.githubusercontent.com/Hyarcher/Weka/56dbbc858b2d9465c34326bfda537778cdd26cfe/spectrometer.arff"
FILES = [
    sources.File(FILE, SHA256, None, 244_149, "CC BY 4.0"),
    sources.File(PLAIN, PLAIN_SHA256, URL, 519_290, "CC BY 4.0"),
]
SPECTRA, BLUE, RED = 531, 44, 49
COLUMNS, FIRST, FACTOR = 103, 10, 5  # number of columns; column of the first flux; of the factor


def load(center=True, scale=False, factors=False):
    """Return A = X / sqrt(m), with X centred by band, so Sigma (93, 93) is the fluxes' covariance.

    center, scale : other possible preprocessing; the paper does not specify any.
    factors : multiply each spectrum by its scale factor, which gives physical fluxes.
    """
    file = sources.find(FILE, SHA256) or sources.find(PLAIN, PLAIN_SHA256, URL)
    X, factor, classes = _synthetic() if file is None else _read(file)
    if factors:
        X = X * (factor / np.median(factor))[:, None]
    words = [
        "" if center else ", not centred",
        ", scaled" if scale else "",
        ", scale factors" if factors else "",
    ]
    return Problem.from_data(
        X,
        f"lrs (stand-in: synthetic spectra {SPECTRA} x {BLUE + RED})"
        if file is None
        else "lrs" + "".join(words),
        center=center,
        scale=scale,
        divisor="m",
        features=[f"blue {i + 1}" for i in range(BLUE)] + [f"red {i + 1}" for i in range(RED)],
        labels=classes,
        provenance=dict(
            source="generated, in place of UCI's LRS"
            if file is None
            else "UCI, low resolution spectrometer",
            **({} if file is None else dict(file=FILE, sha256=SHA256)),
            preprocessing=f"bands {'centred' if center else 'not centred'}, "
            f"{'' if scale else 'not '}scaled",
            stand_in=file is None,
        ),
    )


def _read(file):
    """Return the fluxes (531, 93), the scale factors (531,) and the class labels of the spectra."""
    opened = gzip.open if file.suffix == ".gz" else open
    with using_file(file), opened(file, "rt", encoding="ascii") as stream:
        lines = [line.strip() for line in stream]
    start = next((i + 1 for i, line in enumerate(lines) if line.lower() == "@data"), len(lines))
    rows = [line.split(",") for line in lines[start:] if line and not line.startswith("%")]
    wrong = [row for row in rows if len(row) != COLUMNS]
    if wrong or len(rows) != SPECTRA:
        raise InputError(
            f"{file}: {len(rows)} spectra, {len(wrong)} not of {COLUMNS} columns; expected "
            f"{SPECTRA}"
        )
    try:
        X = np.array([row[FIRST:] for row in rows], dtype=float)
        factor = np.array([row[FACTOR] for row in rows], dtype=float)
    except ValueError as error:
        raise InputError(f"{file}: a flux is not a number ({error})") from None
    return X, factor, [row[1] for row in rows]


def _synthetic():
    """Return noisy Planck curves of random temperatures with a broad feature at 9.7 um.

    The feature can be an emission or an absorption.
    """
    rng = np.random.default_rng(0)
    wave = np.concatenate([np.linspace(7.7, 13.5, BLUE), np.linspace(11.0, 22.6, RED)])  # um
    T = rng.lognormal(np.log(500.0), 0.7, SPECTRA)[:, None]
    X = 1.0 / (wave**5 * np.expm1(14388.0 / (wave * T)))
    X *= 1.0 + rng.normal(0.2, 0.5, SPECTRA)[:, None] * np.exp(-(((wave - 9.7) / 1.2) ** 2) / 2.0)
    X *= 5000.0 / X.mean(axis=1, keepdims=True)
    X += 200.0 * rng.standard_normal(X.shape)
    return X, rng.lognormal(0.0, 1.0, SPECTRA), ["synthetic"] * SPECTRA
