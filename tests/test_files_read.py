"""Reading a file never waits and always ends, whatever stands in its place; no write takes that place."""

import os

import pytest

from foreword import files

PIPES = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes in folders here")


@PIPES
def test_a_pipe_in_a_files_place_is_read_as_empty_and_waited_for_by_nobody(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    assert files.read(str(tmp_path / "pipe")) == b""
    writer = os.open(tmp_path / "pipe", os.O_RDWR | os.O_NONBLOCK)
    assert files.read(str(tmp_path / "pipe"), 10) == b""
    os.write(writer, b"of a writer")
    assert files.read(str(tmp_path / "pipe")) == b""
    assert os.read(writer, 100) == b"of a writer"
    os.close(writer)


@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="no such device here")
@pytest.mark.parametrize("limit", [None, 10])
def test_an_endless_file_is_read_as_empty(tmp_path, limit):
    """A link to /dev/zero, in a repository that was cloned, was read until memory ended."""
    os.symlink("/dev/zero", tmp_path / "link")
    assert files.read(str(tmp_path / "link"), limit) == b""
    assert files.read("/dev/zero", limit) == b""


@pytest.mark.skipif(os.name == "nt", reason="links need a privilege on Windows")
def test_a_link_to_a_file_is_read_as_that_file(tmp_path):
    (tmp_path / "file").write_bytes(b"text")
    os.symlink("file", tmp_path / "link")
    assert files.read(str(tmp_path / "link")) == b"text"
    assert files.read(str(tmp_path / "link"), 2) == b"te"


@pytest.mark.skipif(not os.path.isdir("/dev/fd"), reason="open files cannot be listed here")
def test_of_a_folder_or_a_pipe_nothing_stays_open(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    before = os.listdir("/dev/fd")
    for _ in range(3):
        with pytest.raises(OSError, match="directory"):
            files.read(str(tmp_path))
        files.read(str(tmp_path / "pipe"))
    assert len(os.listdir("/dev/fd")) == len(before)


@PIPES
def test_a_pipe_or_a_device_is_not_replaced_by_a_file(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    os.symlink(os.devnull, tmp_path / "device")  # a write does not follow it: the device is safe
    for name in ("pipe", "device"):
        with pytest.raises(OSError, match="no regular file"):
            files.write(str(tmp_path / name), b"text")
        assert not os.path.isfile(tmp_path / name)
    assert os.path.islink(tmp_path / "device")
    assert not [name for name in os.listdir(tmp_path) if name.endswith(".tmp")]


def test_a_folder_that_is_read_as_a_file_is_named_in_the_error(tmp_path):
    with pytest.raises(IsADirectoryError) as told:
        files.read(str(tmp_path))
    assert told.value.filename == str(tmp_path)
