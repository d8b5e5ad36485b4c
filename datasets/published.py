"""Covariance and correlation matrices with published results of certified sparse PCA.

They are used by Berk, Bertsimas (2019), Bertsimas, Cory-Wright, Pauphilet (2022), Li, Xie (2024),
and Cory-Wright, Pauphilet (2022). Most of them are computed from tables of the UCI repository, so
its terms (CC BY 4.0) apply. The files come unchanged from the authors' repositories:

- INFORMSJoC/2022.0372 (MIT licence), text tables: Li and Xie;
- ryancorywright/MultipleComponentsSoftware and ScalableSPCA.jl (MIT), HDF5: Cory-Wright et al.;
- tianlaics/FSPCA (no licence stated), MATLAB: the lymphoma covariance of d'Aspremont et al.;
- wine is scikit-learn's table, with its measurements standardised as in ScalableSPCA.jl.

Three matrices from the same papers are missing: colon (500 variables), reddit (2000) and micromass
(1300). Their files were too large to read, so their checksums are unknown.

Stand-in if a file is not available: a generated covariance with the same number of variables.
"""

from dataclasses import dataclass

import numpy as np

from spcabench.errors import InputError, nearest, using_file
from spcabench.machine import require
from spcabench.problem.problem import Problem
from spcabench.readers import sources

GITHUB = "https://raw.githubusercontent.com/"
LI = GITHUB + "INFORMSJoC/2022.0372/ef33d6833db6aea663b270eb98d39055df09ea09/data/"
CORY = (
    GITHUB
    + "ryancorywright/MultipleComponentsSoftware/734066b9fe46b13e0c190c74fc90943f17e48cf4/data/"
)
SCALABLE = GITHUB + "ryancorywright/ScalableSPCA.jl/8e80cf30c54d3feed316baab9eb7482cb1efde96/data/"
TIAN = GITHUB + "tianlaics/FSPCA/9214ad83dc1ee1307084088fdbbeeb6608228c5c/code/Real-world%20Data/"
CITED = {
    LI: "Li, Xie, INFORMS Journal on Computing (2024)",
    CORY: "Cory-Wright, Pauphilet, arXiv 2209.14790 (2022)",
    SCALABLE: "Bertsimas, Cory-Wright, Pauphilet, JMLR 23 (2022)",
    TIAN: "Tian et al. (2020), after d'Aspremont, Bach, El Ghaoui, JMLR 9 (2008)",
    "": "UCI wine, as in Bertsimas, Cory-Wright, Pauphilet, JMLR 23 (2022)",
}


@dataclass(frozen=True)
class Table:
    """A published matrix (n, n): the file, its repository, checksum and size in bytes, and n.

    key : name of the matrix in the file.
    correlation : whether the matrix is a correlation matrix.
    """

    file: str
    home: str
    sha256: str
    size: int
    n: int
    key: str = ""
    correlation: bool = False


# file, repository, bytes, SHA-256
STORED = """
pitprops_txt LI 1093 ef8d4309c18cf25afbf975f03b4f5c4390f519c29219709d4729b4c7a078a6d2
housing_txt LI 3737 c312b9838396fbc7a4f8fb89901dda6d72b8248fccddd87b10a668170dd00b57
keggdirected_txt LI 8367 085244890e10cfde6f56c5d17135c3d207af228c5bcacefffcd513252262f917
pol_txt LI 14081 97b84eb9dd83c9dd23d2b3e2391339ad490f99ea4ff277bc76e1a3f56ac2a564
wdbc_txt LI 20110 486d436bf7dfe310bcfa5c26e29d857f40179d3f06f5a7a38a6bf9941158e676
dermatology_txt LI 23142 2bc17ce378fe35f15ab0c25b23d614c1e5eaedc28a21403ce760799d05a45e95
spambase_txt LI 71479 027fadb6a664656063bdb98a701fb58b3240f4568f986cfd4b8ff7913aaaa622
digits_txt LI 73825 613cf74977c6473b3b348617b1e78038cb300b579b7d9c9dc22d6336050fe3e5
buzz_txt LI 125873 5c5b1d6b7e9f0b2567450212fe43c62d1deb120e7677ca2abe8ea65490cc2a3c
Eisen1_txt LI 129777 749c65a287de7d601f9fced033c021c94fc8b2a63f2cf3ae15660ab98b68adef
song_txt LI 160807 b27af18b1566cacf4a156e637102fa3191186dbd7ed090365d4bdf4a839026ed
Eisen2_txt LI 284509 bac9c44b301504d6ba4726dc8c5b58d93ff2bcfa9d030a3995a33d2b91d80772
gas_txt LI 373751 5254b84eec2b372edbf54cd721803cf151623b94b54d4f12a22673546b907d0c
arrhythmia.jld CORY 1207736 4bc45ffcacc11af19afb018bbfc23852bb3c221a804343fce27b0c406dd25210
communities.jld CORY 169736 b55a24bb1188496142536c17ac8c7c81dd8e4484e885b5d09b6a36ff7a4de231
gait.jld CORY 823664 21fe57b5406b0059d30500c8cc331a7bee31acf966331fa9c06aea3c0486140f
gastro.jld CORY 1741712 3f78e0a56e269731c730bc81aa269edabaf1f9439281c482fea1249291d2e694
geography.jld CORY 80504 b5d28077f66908b960ec5454be13b2f242baecdcaeef649ad5593c68d5497484
ionosphere.jld CORY 13720 1e51b91c52e982b40da99ad7b366db17e3e51ea2cd90decfd0ae0b6cb217c939
lung.jld CORY 27792 a17eeb3786c046de3c5e00f4ec65f557931e040504ec26810990fb114296823b
voice.jld CORY 773264 595374c03e3c764ddba217495e556f63e85e4928c7591db35c64bbc3574fb5b2
miniBoone.jld SCALABLE 46520 107aa8cda2c4b1b583c00efacec59d52336b1fda505cc5946554c0ff633f8717
LymphomaCov.mat TIAN 1920767 870bd83be438fc8d444e1bfe6c94363786e8f7eaba2cda995b7a8b0d0c6cd9c3
"""
# name, file, n, kind, key inside the file
MATRICES = """
pitprops pitprops_txt 13 correlation
housing housing_txt 13 covariance
keggdirected keggdirected_txt 20 covariance
pol pol_txt 26 covariance
wdbc wdbc_txt 30 covariance
dermatology dermatology_txt 34 covariance
spambase spambase_txt 57 covariance
digits digits_txt 64 covariance
buzz buzz_txt 77 covariance
eisen1 Eisen1_txt 79 covariance
song song_txt 90 covariance
eisen2 Eisen2_txt 118 covariance
gas gas_txt 128 covariance
wine - 13 correlation
arrhythmia arrhythmia.jld 274 correlation normArrhythmia
arrhythmia-raw arrhythmia.jld 274 covariance arrhythmia
communities communities.jld 101 correlation normCommunities
communities-raw communities.jld 101 covariance communities
gait gait.jld 320 correlation normgait
gastro gastro.jld 466 correlation normgastro
geography geography.jld 68 correlation normGeographic
geography-raw geography.jld 68 covariance geographic
ionosphere ionosphere.jld 34 correlation normionosphere
lung lung.jld 54 correlation normlung
voice voice.jld 310 correlation normvoice
miniboone miniBoone.jld 50 correlation normMiniBooNE
miniboone-raw miniBoone.jld 50 covariance miniBooNE
lymphoma LymphomaCov.mat 500 covariance covlymph
"""
HOMES = {"LI": LI, "CORY": CORY, "SCALABLE": SCALABLE, "TIAN": TIAN}


def _tables():
    """Yield the name and the Table of each matrix."""
    stored = {file: about for file, *about in map(str.split, STORED.strip().splitlines())}
    for name, file, n, kind, *key in map(str.split, MATRICES.strip().splitlines()):
        home, size, sha256 = stored.get(file, ("", 0, ""))  # wine comes with scikit-learn
        about = file.strip("-"), HOMES.get(home, ""), sha256, int(size), int(n), "".join(key)
        yield name, Table(*about, kind == "correlation")


TABLES = dict(_tables())
LICENCE = {LI: "MIT", CORY: "MIT", SCALABLE: "MIT", TIAN: "none stated", "": "CC BY 4.0"}
FILES = [
    sources.File("published/" + t.file, t.sha256, t.home + t.file, t.size, LICENCE[t.home])
    for t in {table.file: table for table in TABLES.values() if table.file}.values()
]


def load(name="pitprops"):
    """Return Sigma (n, n) as published, but with NaN entries (of constant variables) set to 0.

    name : "pitprops", "eisen1", "arrhythmia", "arrhythmia-raw", ... (the keys of TABLES). If both
        the correlation and the covariance are available, "-raw" denotes the covariance.
    """
    if name not in TABLES:
        raise InputError(nearest("name", name, TABLES))
    table = TABLES[name]
    Sigma = _wine() if name == "wine" else _found(table)
    if Sigma is None:
        return _stand_in(name, table)
    replaced = int(np.isnan(Sigma).sum())
    kind = "correlation" if table.correlation else "covariance"
    about = dict(
        source=CITED[table.home],
        preprocessing=f"{kind} as published" + f", {replaced} NaN set to 0" * (replaced > 0),
        licence=LICENCE[table.home],
        stand_in=False,
    )
    if table.file:
        about |= dict(file="published/" + table.file, sha256=table.sha256)
    return Problem.from_covariance(
        np.nan_to_num(Sigma), f"published, {name} {table.n}", provenance=about
    )


def _found(table):
    """Return Sigma (n, n) from its file, or None if the file is not available."""
    file = sources.find("published/" + table.file, table.sha256, table.home + table.file)
    if file is None:
        return None
    with using_file(file):
        if file.name.endswith("_txt"):
            return np.loadtxt(file, delimiter=",", skiprows=1)[:, 1:]
        if file.suffix == ".mat":
            from scipy.io import loadmat

            return np.asarray(loadmat(file)[table.key], dtype=float)
        return _hdf5(file, table.key)


def _hdf5(file, key):
    h5py = require("h5py")
    with h5py.File(file) as stored:
        return stored[key][()].T  # Julia stores columns first


def _wine():
    from sklearn.datasets import load_wine

    return np.corrcoef(load_wine().data.T)


def _stand_in(name, table):
    """Return a generated matrix of the same kind and order as the original.

    It is a covariance matrix with a decaying spectrum or, if the original is a correlation matrix,
    the corresponding correlation matrix.
    """
    rng = np.random.default_rng(table.n)
    X = rng.standard_normal((2 * table.n, table.n)) * np.arange(1.0, table.n + 1.0) ** -0.5
    S = np.cov(X @ np.linalg.qr(rng.standard_normal((table.n, table.n)))[0].T, rowvar=False)
    if table.correlation:
        d = np.sqrt(S.diagonal())
        S = S / np.outer(d, d)
    return Problem.from_covariance(
        (S + S.T) / 2.0,
        f"published, {name} (stand-in: generated covariance {table.n})",
        provenance=dict(
            source=f"generated, in place of {CITED[table.home]}",
            preprocessing="none",
            stand_in=True,
        ),
    )
