"""Downloads are verified; the doctor and the list of data."""

import gzip
import hashlib
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest

from spcabench import api
from spcabench.cli import doctor
from spcabench.errors import InputError
from spcabench.readers import gene_expression, sources

CONTENT = bytes(range(256)) * 4000
SHA256 = hashlib.sha256(CONTENT).hexdigest()


class Server(BaseHTTPRequestHandler):
    """Serve `content`, and hang up after `limit` bytes."""

    content, limit = CONTENT, None

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Length", str(len(self.content)))
        self.end_headers()
        self.wfile.write(self.content[: self.limit])

    def log_message(self, *args):
        pass


@pytest.fixture
def served(data_folder, monkeypatch):
    """Return a server class and the file that it serves, with an empty cache."""
    monkeypatch.delenv("SPCABENCH_OFFLINE")
    handler = type("Handler", (Server,), {})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}/a"
        yield handler, sources.File("set/a.bin", SHA256, url, len(CONTENT))
        server.shutdown()


@pytest.mark.parametrize("content", [b"other", CONTENT * 3], ids=["wrong", "long"])
def test_a_wrong_checksum_is_an_error_that_keeps_the_old_file(served, content):
    handler, file = served
    old = sources._target(file.path)
    old.parent.mkdir()
    old.write_bytes(b"old")
    handler.content = content
    with pytest.raises(InputError, match="wrong checksum"):
        sources.fetch(file)
    assert [p.name for p in old.parent.iterdir()] == [old.name] and old.read_bytes() == b"old"
    with pytest.raises(InputError, match="wrong checksum"):
        sources.find("set/another.bin", SHA256, file.url)


def test_nothing_is_downloaded_that_cannot_be_checked(served):
    _, file = served
    for unchecked in (sources.File(file.path, None, file.url), sources.File(file.path, SHA256)):
        with pytest.raises(InputError, match="SPCABENCH_DATA"):
            sources.fetch(unchecked)


def test_the_command_fetches_and_lists(served, spcabench, monkeypatch):
    handler, file = served
    monkeypatch.setattr(doctor, "_files", lambda: iter([("set", file)]))
    assert "missing" in spcabench("data").stdout
    assert "downloaded to" in spcabench("data", "set").stdout
    assert sources.fetch(file).read_bytes() == CONTENT
    assert sources.find(file.path, SHA256) == sources.cached(file.path, SHA256)
    assert sources.cached(file.path, "0" * 64) is None
    assert "already downloaded" in spcabench("data", "set/a.bin").stdout
    assert doctor._state(file) == "here"
    sources._target(file.path).unlink()
    handler.limit = 1000
    assert "repeat the command" in spcabench("data", "set").stderr


def test_every_real_dataset_lists_its_files():
    for _, file in doctor._files():
        assert file.licence and doctor._advice(file)
        assert file.url is None or file.url.startswith("https://")
        assert file.size or not file.sha256  # a download needs a limit


@pytest.mark.parametrize("log2", [False, True])
def test_the_genes_with_the_largest_variances_remain_in_their_order(log2):
    X = np.exp2(np.random.default_rng(0).uniform(4.0, 16.0, (9, 6)) * np.linspace(0.4, 1.0, 6))
    given = ("a", "of a paper", ("a.csv", "0"), (X, [*"abcdef"], [*"xyz"] * 3))
    problem = gene_expression.problem(*given, 3, True, False, log2)
    values = np.log2(np.clip(X, 100, 16_000)) if log2 else X
    largest = np.sort(np.argsort(values.var(axis=0))[-3:])
    assert problem.features == tuple("abcdef"[j] for j in largest)
    np.testing.assert_allclose(
        problem.given_as("covariance").matrix.S, np.cov(values[:, largest].T, ddof=0)
    )
    assert not problem.stand_in and gene_expression.stand_in("a", "of a paper").stand_in


def test_a_truncated_corpus_and_a_wrong_local_file_are_named(data_folder, spcabench):
    for folder in ("enron", "alon"):
        (data_folder / folder).mkdir()
    packed = gzip.compress(b"3\n4\n9999\n" + b"1 1 1\n" * 9999)
    (data_folder / "enron" / "docword.enron.txt.gz").write_bytes(packed[: len(packed) // 2])
    (data_folder / "alon" / "alon.RData").write_bytes(b"other")
    with pytest.raises(InputError, match=r"docword\.enron\.txt\.gz: damaged file"):
        api.load_or_stand_in("bag_of_words", corpus="enron")
    with pytest.raises(InputError, match=r"alon\.RData: wrong checksum"):
        api.load_or_stand_in("alon")
    assert "wrong checksum: alon" in spcabench("doctor").stdout


def test_the_doctor_finds_this_installation_sound():
    checks = dict((what, good) for good, what, _ in doctor._findings())
    assert checks["self-check"] and checks["BLAS"] and checks["data"]
