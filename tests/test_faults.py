"""A command that is disturbed and repeated ends with the rows of an undisturbed one."""

import pytest

from tests import faults

pytestmark = pytest.mark.xdist_group("faults")  # one process makes the copy, and takes these tests


@pytest.fixture(scope="module")
def workspace(tmp_path_factory):
    """The copy on a small disk, if there can be one, with what an undisturbed figure gives."""
    folder = tmp_path_factory.mktemp("faults")
    with faults.disk(folder) as made:
        copy = faults.Workspace(folder)
        copy.small_disk = made
        copy.seconds = copy.run("figure")
        copy.expected = copy.rows()
        assert len(copy.expected[1]) == 8
        yield copy


@pytest.mark.parametrize("fault", faults.FAULTS)
def test_the_same_command_goes_on(workspace, fault):
    if fault == "disk full" and not workspace.small_disk:
        pytest.skip("only root can mount a small disk to fill")
    workspace.clear()
    faults.disturb(workspace, "figure", fault, 0.6 * workspace.seconds, limit=20_000)
    assert workspace.rows() == workspace.expected


@pytest.mark.parametrize("damage", ["truncated", "one byte", "empty"])
def test_a_damaged_file_of_rows_is_named_and_made_again(workspace, damage):
    file = workspace.folder / "results" / "quick" / "rows" / faults.NAME / "grqi.parquet"
    content = file.read_bytes()
    changed = bytearray(content)
    changed[len(content) // 5] ^= 0xFF
    kinds = {"truncated": content[: len(content) // 2], "one byte": bytes(changed), "empty": b""}
    file.write_bytes(kinds[damage])
    process = workspace.start("figure")
    printed, said = process.communicate(timeout=faults.LONGEST)
    assert process.returncode == 0 and "figure.svg" in printed
    assert said.count(str(file)) == 1 and "made again" in said and "Traceback" not in said
    assert workspace.rows() == workspace.expected
