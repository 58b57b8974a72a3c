# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Files from outside: anything but a regular file is refused, at once."""

import errno
import os
import re
import socket
from pathlib import Path

import pytest
from quench_common.files import read_file, read_json


def test_a_file_up_to_its_limit_is_read_file(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"12345")
    assert read_file(path, 5) == b"12345"
    with pytest.raises(OSError, match="is longer than 4 bytes") as caught:
        read_file(path, 4)
    assert (caught.value.errno, caught.value.filename) == (errno.EFBIG, str(path))
    link = tmp_path / "link"
    link.symlink_to(path)
    assert read_file(link, 5) == b"12345"


def fifo(path: Path) -> None:
    os.mkfifo(path)


def unix_socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind(str(path))


def device(path: Path) -> None:
    path.symlink_to("/dev/zero")


@pytest.mark.parametrize("make", [fifo, unix_socket, device])
def test_anything_but_a_regular_file_is_refused_without_waiting(tmp_path, make):
    path = tmp_path / "thing"
    make(path)
    with pytest.raises(OSError, match="is no regular file") as caught:
        read_file(path, 10)
    assert caught.value.filename == str(path)


def test_a_file_that_becomes_a_pipe_before_it_is_opened_is_refused(tmp_path, monkeypatch):
    path, swapped = tmp_path / "file", tmp_path / "fifo"
    path.touch()
    os.mkfifo(swapped)
    really_open = os.open

    def late(name: str, flags: int) -> int:
        swapped.replace(path)
        return really_open(name, flags)

    monkeypatch.setattr(os, "open", late)
    with pytest.raises(OSError, match="is no regular file"):
        read_file(path, 10)


def test_a_folder_an_absent_file_and_a_name_with_a_zero_byte_are_refused(tmp_path):
    for path, number in ((tmp_path, errno.EISDIR), (tmp_path / "absent", errno.ENOENT), (Path("a\0b"), errno.EINVAL)):
        with pytest.raises(OSError, match=re.escape(repr(str(path)))) as caught:
            read_file(path, 10)
        assert (caught.value.errno, caught.value.filename) == (number, str(path))


@pytest.mark.parametrize(
    ("text", "reason"), [("[" * 100_000, "nested too deeply"), ("{", "Expecting"), ("\xff\xfe\xff", "decode")]
)
def test_a_text_that_is_not_json_is_a_value_error(tmp_path, text, reason):
    path = tmp_path / "file"
    path.write_text(text, encoding="latin-1")
    with pytest.raises(ValueError, match=reason):
        read_json(path, 1 << 20)
