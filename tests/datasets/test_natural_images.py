"""Image patches, and files that are refused."""

import numpy as np
import pytest

from spcabench import api, registry
from spcabench.errors import InputError

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
