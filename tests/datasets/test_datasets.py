"""Real data: published facts about them, and what replaces them if they are not available."""

import numpy as np
import pytest

from spcabench import api, registry
from spcabench.comparison import suite
from spcabench.errors import InputError
from spcabench.readers import corpus, sources
from tests.problems import some

# data set -> samples, variables, and the sizes of its classes
REAL = {
    "singh": (102, 12600, [50, 52]),
    "alon": (62, 2000, [22, 40]),
    "golub": (72, 7129, [25, 47]),
    "mll": (72, 12582, [20, 24, 28]),
    "cbcl": (2429, 361, None),
    "lrs": (531, 93, None),
}
STAND_INS = {"singh": (569, 30), "alon": (569, 30), "cbcl": (2429, 361), "lrs": (531, 93)}


def test_pitprops_is_the_published_correlation_matrix():
    problem = api.load("pitprops")
    S = problem.matrix.S
    w = np.linalg.eigvalsh(S)[::-1]
    assert len(problem.features) == problem.n == 13
    assert np.array_equal(S, S.T) and np.array_equal(S.diagonal(), np.ones(13))
    assert np.abs(S - np.eye(13)).max() < 1.0 and w[-1] > 0
    assert w[:2] == pytest.approx([4.219, 2.378], abs=5e-4)  # Jeffers (1967), Table 3


@pytest.mark.parametrize("name", REAL)
def test_the_real_file_where_it_is_at_hand(real_data, name):
    real_data(name)
    m, n, classes = REAL[name]
    problem = api.load_or_stand_in(name)
    assert not problem.stand_in and (problem.m, problem.n) == (m, n)
    assert np.abs(problem.data.X.mean(axis=0)).max() < 1e-8
    if classes:
        assert sorted(problem.labels.count(c) for c in set(problem.labels)) == classes
    if classes and name != "singh":
        few, variances = api.load_or_stand_in(name, genes=50), problem.covariance.diagonal()
        largest = np.sort(np.argsort(-variances)[:50])
        assert few.features == tuple(np.array(problem.features)[largest])
        assert few.covariance.diagonal() == pytest.approx(variances[largest])


SMALL = {"simulated_corpus": dict(m=300, n=200), "generated_text": dict(m=300, n=200)}


@pytest.mark.parametrize("name", registry.names("dataset"))
def test_every_dataset_can_be_had_without_a_network(data_folder, monkeypatch, name):
    monkeypatch.setattr(corpus, "PACKAGES", ("joblib",))  # all of them are half a minute's parsing
    problem = api.load_or_stand_in(name, **SMALL.get(name, {}))
    assert problem.n >= 1 and problem.provenance["source"]
    assert problem.stand_in == ("stand-in" in problem.name)
    if name in STAND_INS:
        assert problem.stand_in and (problem.m, problem.n) == STAND_INS[name]
        assert np.linalg.matrix_rank(problem.data.dense()[:90]) > 3  # figures use 3 eigenvectors
        with pytest.raises(InputError, match="files are not available"):
            api.load(name)


@pytest.mark.parametrize("values", ["counts", "tfidf", "presence"])
@pytest.mark.parametrize("center", [True, False])
def test_a_corpus_is_its_counts_as_a_whole_or_by_the_words_of_largest_variance(
    values, center, data_folder
):
    rng = np.random.default_rng(0)
    counts = rng.integers(1, 9, (30, 8)) * (rng.random((30, 8)) < np.linspace(0.2, 0.9, 8))
    (data_folder / "nips").mkdir()
    (data_folder / "nips" / "vocab.nips.txt").write_text("\n".join("abcdefgh") + "\n")
    entries = [f"{i + 1} {j + 1} {counts[i, j]}" for i, j in zip(*counts.nonzero(), strict=True)]
    head = ["30", "8", str(len(entries))]
    (data_folder / "nips" / "docword.nips.txt").write_text("\n".join(head + entries) + "\n")
    idf = np.log(30.0 / (counts > 0).sum(axis=0)) if values == "tfidf" else np.ones(8)
    A = np.where(counts > 0, 1.0, 0.0) if values == "presence" else counts * idf
    A = A - A.mean(axis=0) if center else A
    how = dict(corpus="nips", values=values, center=center)
    whole, few = (api.load("bag_of_words", **how, **more) for more in ({}, {"words": 3}))
    assert whole.data.dense() == pytest.approx(A) and "".join(whole.features) == "abcdefgh"
    top = np.sort(np.argsort(-(counts * idf).var(axis=0))[:3])
    assert "".join(few.features) == "".join(np.array([*"abcdefgh"])[top])
    assert pytest.approx(A[:, top].T @ A[:, top] / 30.0) == few.matrix.S


@pytest.mark.parametrize("words", [None, 5])
def test_without_files_a_corpus_consists_of_docstrings_or_of_zipfs_law(
    words, data_folder, monkeypatch
):
    monkeypatch.setattr(corpus, "PACKAGES", ("joblib",))
    how = dict(corpus="kos", values="tfidf", words=words)
    problem = api.load_or_stand_in("bag_of_words", **how)
    counts, vocabulary = corpus.docstrings()
    A = counts.toarray()
    A = A * np.log(len(A) / (A > 0).sum(axis=0))
    top = np.sort(np.argsort(-A.var(axis=0), kind="stable")[:words])
    assert problem.stand_in and problem.features == tuple(np.array(vocabulary)[top])
    variances = problem.covariance.diagonal() / (1 if words else len(A))
    assert variances == pytest.approx(A.var(axis=0)[top])
    drawn = registry.module("dataset", "bag_of_words")._synthetic(100, 50, 700)
    assert drawn.nnz == pytest.approx(700, rel=0.05) and np.diff(drawn.indptr)[0] == 60


@pytest.mark.parametrize("of", ["gaussian", "random_sparse"])
def test_rows_that_are_drawn_again_are_rows_of_the_data(of):
    settings = dict(m=50, n=8)
    drawn = api.load_or_stand_in("bootstrap", of=of, given=settings, seed=3)
    original = api.load(of, **settings)
    rows = original.data.X.toarray() if original.data.sparse else original.data.dense()
    samples = drawn.data.dense() * np.sqrt(50)
    # distances between rows do not depend on the centre
    old, new = (np.linalg.norm(R[:, None] - R[None], axis=2) for R in (rows, samples))
    assert (np.abs(new.ravel()[:, None] - old.ravel()).min(axis=1) < 1e-9).all()
    assert (new[~np.eye(50, dtype=bool)] < 1e-9).any()  # some row was drawn twice
    few = api.load_or_stand_in("bootstrap", of=of, given=settings, seed=3, variables=3)
    largest = np.sort(drawn.covariance.diagonal())[-3:]
    assert np.sort(few.covariance.diagonal()) == pytest.approx(largest)
    assert few.form == ("covariance" if of == "random_sparse" else "data")


def test_of_a_covariance_normal_rows_are_drawn():
    S = api.load("pitprops").matrix.S
    original, drawn = api.load("pitprops"), api.load("bootstrap", of="pitprops", samples=20000)
    order = [drawn.features.index(name) for name in original.features]
    assert order != sorted(order)  # an answer cannot be stored by the places of its variables
    assert np.abs(drawn.covariance[np.array(order)].B - S).max() < 0.06


@pytest.mark.parametrize("of", ["gaussian", "random_sparse", "pitprops"])
def test_random_factors_change_the_scale_of_each_variable_alone(of):
    given = {} if of == "pitprops" else dict(m=50, n=8)
    plain, scaled = (
        api.load_or_stand_in("bootstrap", of=of, given=given, spread=spread, seed=3)
        for spread in (0.0, 0.5)
    )
    S, T = (problem.given_as("covariance").matrix.S for problem in (plain, scaled))
    factors = np.sqrt(T.diagonal() / S.diagonal())
    assert np.allclose(T, S * np.outer(factors, factors))
    assert len({*factors}) == len(S) and 0.1 < np.log(factors).std() < 1.5


@pytest.mark.parametrize("name", ["pit props", "leukemia", "spectra"])
def test_a_problem_that_is_drawn_again_keeps_its_form_and_size(name):
    (item,) = [item for item in suite.ITEMS if item.name == name]
    drawn, original = (
        api.load_or_stand_in(i.dataset, **i.parameters) for i in (suite.fresh_of(item, 5, 0), item)
    )
    assert (drawn.form, drawn.n, drawn.m) == (original.form, original.n, original.m)


PUBLISHED = registry.module("dataset", "published")


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("name", some(9, [*PUBLISHED.TABLES]))
def test_a_published_matrix_is_what_its_papers_say_or_is_replaced(name, missing, monkeypatch):
    table = PUBLISHED.TABLES[name]
    if missing:
        monkeypatch.setattr(sources, "find", lambda *args: None)
    problem = api.load_or_stand_in("published", name=name)
    if problem.stand_in and not missing:
        pytest.skip(f"{table.file} is not at hand: `spcabench data` says where to get it")
    S = problem.matrix.S
    assert problem.stand_in == ("stand-in" in problem.name) == bool(missing and table.file)
    assert problem.n == table.n and np.array_equal(S, S.T)
    assert np.allclose(S.diagonal(), 1.0) == table.correlation
    np.linalg.cholesky(S + 1e-7 * np.abs(S).max() * np.eye(table.n))  # fails if S is indefinite


def test_faces_are_grey_values_and_stand_upright_also_with_their_contrast_normalised(real_data):
    module = real_data("cbcl")
    X = api.load_or_stand_in("cbcl", center=False).data.X * np.sqrt(module.FACES)
    assert np.allclose(X, np.round(X), atol=1e-6)
    assert (X.min(), X.max()) == pytest.approx((0.0, 255.0), abs=1e-6)
    face = X.mean(axis=0).reshape(module.SIDE, module.SIDE)
    across, down = (
        np.corrcoef(face.ravel(), flipped.ravel())[0, 1] for flipped in (face[:, ::-1], face[::-1])
    )
    assert across > max(down, 0.8)  # symmetric left to right
    assert face[4:7].mean() < face[9:12].mean()  # eyes are darker than cheeks
    real_data("cbcl", "CONTRAST_FILE", "CONTRAST_SHA256")  # of Lee and Seung
    stretched = api.load_or_stand_in("cbcl", contrast=True, center=False).data.X
    g = (X - X.mean(axis=1, keepdims=True)) / X.std(axis=1, keepdims=True)
    expected = 255 * np.clip(0.25 + 0.25 * g, 0, 1)
    assert np.abs(stretched * np.sqrt(module.FACES) - expected).max() < 1.5  # grey levels


def test_every_spectrum_has_mean_5000_until_its_factor_is_applied(real_data):
    real_data("lrs")
    X = api.load_or_stand_in("lrs", center=False).data.X * np.sqrt(531)
    assert X.mean(axis=1) == pytest.approx(np.full(531, 5000.0), rel=1e-4)
    physical = api.load_or_stand_in("lrs", center=False, factors=True).data.X
    assert np.std(physical.mean(axis=1)) > np.std(X.mean(axis=1))


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
