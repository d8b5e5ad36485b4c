"""Image patches, their Gabor fits, and files that are refused."""

import numpy as np
import pytest

from spcabench import api, registry
from spcabench.errors import InputError
from spcabench.figures import _gabor

images = registry.module("dataset", "natural_images")


def test_patches_repeat_by_seed_and_say_what_they_are():
    a, b, c = (api.load_or_stand_in("natural_images", patches=50, seed=s) for s in (0, 0, 1))
    assert np.array_equal(a.data.X, b.data.X) and not np.array_equal(a.data.X, c.data.X)
    assert (a.m, a.n) == (50, 192) and len(set(a.features)) == 192
    assert a.stand_in == ("stand-in" in a.name) == (a.provenance["source"] != "STL-10")
    assert np.abs(a.data.X.mean(axis=0)).max() < 1e-9


def test_contrast_normalised_patches_do_not_change_with_brightness(monkeypatch):
    shades = np.random.default_rng(0).integers(0, 60, (2, 9, 9, 3)).astype(np.uint8)
    patches_of = []
    for brighter in (0, 100):
        monkeypatch.setattr(
            images, "_images", lambda shift=brighter: ("test", [shades + np.uint8(shift)])
        )
        patches_of.append(api.load_or_stand_in("natural_images", patches=40, contrast=True).data.X)
    assert np.allclose(*patches_of)


def test_stl10_is_read_channel_by_channel_and_column_by_column(data_folder):
    picture = np.random.default_rng(0).integers(0, 256, (2, 96, 96, 3), dtype=np.uint8)
    (data_folder / "natural_images").mkdir()
    file = data_folder / images.STL10[0]
    picture.transpose(0, 3, 2, 1).tofile(file)
    assert np.array_equal(images._read_stl10(file), picture)
    assert not api.load_or_stand_in("natural_images", patches=5).stand_in
    file.write_bytes(b"short")
    with pytest.raises(InputError, match=r"train_X\.bin: 5 bytes"):
        api.load_or_stand_in("natural_images", patches=5)


def test_patches_come_from_the_images_and_every_offset_occurs():
    image = np.arange(9 * 10 * 3, dtype=np.uint8).reshape(9, 10, 3)
    X = images._patches([image], 300, np.random.default_rng(0))
    possible = {image[i : i + 8, j : j + 8].tobytes() for i in range(2) for j in range(3)}
    assert {x.tobytes() for x in X} == possible


def _tiles(count):
    rng = np.random.default_rng(3)
    ends = [(1, 6), (1, 6), (0, np.pi), *np.log([(1 / 14, 0.4), (0.3, 0.8), (0.7, 3.0)])]
    P = np.column_stack([rng.uniform(*end, count) for end in ends])
    phase, colour = rng.uniform(0, 2 * np.pi, (count, 1)), rng.standard_normal((count, 1, 3))
    Q = _gabor._waves(P, 8)
    wave = np.cos(phase) * Q[:, 0] + np.sin(phase) * Q[:, 1]
    return (wave[:, :, None] * colour).reshape(count, 8, 8, 3)


def test_a_gabor_function_is_found_again_whatever_its_colour_and_contrast():
    tiles = _tiles(20)
    r2 = _gabor.explained(tiles)
    assert r2.min() > 0.98 and r2.max() < 1 + 1e-9
    assert np.allclose(_gabor.explained(7.0 + 3.0 * tiles), r2, atol=1e-9)


def test_noise_and_constants_are_no_gabor_functions():
    noise = np.random.default_rng(0).standard_normal((20, 8, 8, 3))
    assert _gabor.explained(noise).max() < 0.3
    assert _gabor.explained(np.ones((2, 8, 8, 3))).max() < 1e-9
