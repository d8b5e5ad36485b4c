"""Colour patches of natural images: 8 x 8 x 3 pixels at random offsets.

The patches come from STL-10 (Coates, Ng, Lee 2011; images from ImageNet, research only) if its
binary file train_X.bin or unlabeled_X.bin is in the folder natural_images or can be downloaded.

Stand-ins: equal numbers of patches from CIFAR-10 and CBSD68 or, if they are not available, from
scikit-learn's two photographs. CIFAR-10 (Krizhevsky 2009; no licence stated): images 0 to 3999 of
the training set, in convnetjs's PNG files, sha256 0614720d6929... and following. CBSD68 (Martin et
al. 2001, the Berkeley segmentation data set; non-commercial research and education): 68
photographs, sha256 513c5a8fe21d....
"""

import tarfile

import numpy as np

from spcabench.errors import InputError, using_file
from spcabench.problem.problem import Problem
from spcabench.readers import sources

SIDE = 8
STL10 = ("natural_images/train_X.bin", "natural_images/unlabeled_X.bin")
CIFAR = {
    "0614720d69293a033786d5fe2924c4e9a9b48874f19ca4627c4662a864ee9f2d": "cifar10_batch_0.png",
    "2927e26ea68602e34a7424826b76b7336ce36b8f6bcc2e9fce0c05568ff6b4c1": "cifar10_batch_1.png",
    "0b2759e307bb405bb1a6531f8a0f557eaec46d7546050612fdb836f0fa60eae0": "cifar10_batch_2.png",
    "a4530ff15c83886058a97c352f53f38be07d191de8f410e998e91786b5900a26": "cifar10_batch_3.png",
}
CIFAR_URL = "https://raw.githubusercontent.com/karpathy/convnetjs/39afa8cd5e4cfb5771dc8a1f51bc56aa080f0b51/demo/cifar10/"
CBSD68 = "natural_images/cbsd68_original_jpg.tar"
CBSD68_SHA256 = "513c5a8fe21d2062ec61f7d21da77c233cc967a27fe5925e37be84ecd41b96a7"
FILES = [
    *(sources.File(file, licence="research only") for file in STL10),
    *(
        sources.File(f"natural_images/{file}", sha256, CIFAR_URL + file, size)
        for (sha256, file), size in zip(
            CIFAR.items(), (2_318_456, 2_326_379, 2_312_906, 2_328_590), strict=True
        )
    ),
    sources.File(CBSD68, CBSD68_SHA256, None, 5_212_160, "non-commercial research and education"),
]


def load(patches=100_000, seed=0, contrast=False):
    """Return A (patches, 192), centred by pixel: the paper's R, transposed.

    Pixel values range from 0 to 255. A is not divided by m.

    The variables are ordered like the entries of a patch (8, 8, 3) in row-major order: row, column,
    channel (red, green, blue).

    contrast : first subtract the mean of each patch and divide by its standard deviation plus 10
        (Coates, Ng 2012).
    """
    if isinstance(patches, bool) or not isinstance(patches, int) or patches < 2:
        raise InputError(f"patches: {patches!r}; it must be a whole number from 2")
    source, pools = _images()
    rng = np.random.default_rng(seed)
    shares = np.array_split(np.arange(patches), len(pools))
    X = np.vstack(
        [_patches(pool, len(share), rng) for pool, share in zip(pools, shares, strict=True)]
    )
    if contrast:
        X = X.astype(float)
        X -= X.mean(axis=1, keepdims=True)
        X /= X.std(axis=1, keepdims=True) + 10.0
    stand_in = source != "STL-10"
    name = f"natural_images ({f'stand-in: {source}, ' if stand_in else ''}{patches} patches)"
    return Problem.from_data(
        X,
        name + (", contrast-normalised" if contrast else ""),
        divisor="1",
        features=[
            f"{channel} {i},{j}" for i in range(SIDE) for j in range(SIDE) for channel in "RGB"
        ],
        provenance=dict(
            source=f"{source}, in place of STL-10" if stand_in else source,
            preprocessing=f"{'patches contrast-normalised, ' if contrast else ''}pixels centred, "
            "not scaled",
            stand_in=stand_in,
        ),
    )


def _images():
    """Return the name of the source, and lists of images (height, width, 3).

    Equal numbers of patches are taken from each list.
    """
    for file in STL10:
        path = sources.find(file, None)
        if path is not None:
            return "STL-10", [_read_stl10(path)]
    cifar = [
        sources.find(f"natural_images/{file}", sha256, CIFAR_URL + file)
        for sha256, file in CIFAR.items()
    ]
    photographs = sources.find(CBSD68, CBSD68_SHA256)
    pools = {}
    if all(cifar):
        pools["CIFAR-10"] = [image for path in cifar for image in _read_cifar(path)]
    if photographs is not None:
        pools["CBSD68"] = _read_photographs(photographs)
    if pools:
        return " and ".join(pools), list(pools.values())
    from sklearn.datasets import load_sample_images

    return "scikit-learn's two photographs", [load_sample_images().images]


def _patches(images, count, rng):
    """Return patches (count, 192) at random offsets in random images."""
    chosen = rng.integers(len(images), size=count)
    sizes = np.array([image.shape[:2] for image in images])[chosen]
    corners = (rng.random((count, 2)) * (sizes - SIDE + 1)).astype(int)
    X = np.empty((count, SIDE, SIDE, 3), dtype=np.uint8)
    for patch, c, (i, j) in zip(X, chosen, corners, strict=True):
        patch[:] = images[c][i : i + SIDE, j : j + SIDE]
    return X.reshape(count, -1)


def _read_stl10(path):
    """Return the images (count, 96, 96, 3), memory-mapped instead of read.

    The file stores an image channel by channel, and each channel column by column.
    """
    size = path.stat().st_size
    if size == 0 or size % (3 * 96 * 96):
        raise InputError(f"{path}: {size} bytes; expected STL-10 images of 3 x 96 x 96 bytes each")
    return np.memmap(path, np.uint8, "r").reshape(-1, 3, 96, 96).transpose(0, 3, 2, 1)


def _read_cifar(path):
    """Return images (1000, 32, 32, 3); each row of the PNG file is one image."""
    pixels = _pixels(path, path)
    if pixels.shape != (1000, 1024, 3):
        raise InputError(f"{path}: {pixels.shape}; expected 1000 rows of 1024 pixels")
    return pixels.reshape(-1, 32, 32, 3)


def _read_photographs(path):
    """Return the photographs of a tar file, which is not unpacked."""
    try:
        with using_file(path), tarfile.open(path) as archive:
            members = sorted(
                (m for m in archive if m.isfile() and m.name.endswith(".jpg")), key=lambda m: m.name
            )
            return [_pixels(archive.extractfile(m), f"{path}, {m.name}") for m in members]
    except tarfile.TarError as error:
        raise InputError(f"{path}: damaged archive ({error})") from None


def _pixels(stream, file):
    from PIL import Image

    try:
        with Image.open(stream) as image:
            return np.asarray(image.convert("RGB"))
    except OSError as error:
        raise InputError(f"{file}: not a readable picture ({error})") from None
