# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Files from outside: anything but a regular file is refused, at once. Ours: each is written whole or not at all."""

import errno
import os
import re
import signal
import socket
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from quench_switch.outside.files import read_file, read_json, write_files

TIMEOUT_S = 60


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


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def python(script: str, *arguments: object, before: tuple[str, ...] = (), **streams: object) -> tuple[int, str, str]:
    """A process that ends without output of its own but what the script prints; its status, stdout and stderr."""
    words = [*before, sys.executable, "-c", script, *map(str, arguments)]
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **streams}
    done = subprocess.run(words, check=False, text=True, timeout=TIMEOUT_S, **options)
    return done.returncode, done.stdout, done.stderr


def test_content_is_written_whole_as_text_bytes_or_pieces(tmp_path):
    names = [tmp_path / name for name in "abc"]
    write_files((names[0], "n\u00f8"), (names[1], b"\xff"), (names[2], iter([b"1", b"2", b"3"])))
    assert [path.read_bytes() for path in names] == [b"n\xc3\xb8", b"\xff", b"123"]
    assert sorted(tmp_path.iterdir()) == names
    write_files()


@pytest.mark.parametrize("umask", [0o022, 0o077])
def test_a_new_file_has_the_mode_of_any_other_and_an_old_one_keeps_its_own(tmp_path, umask):
    old, new, script, usual = (tmp_path / name for name in ("old", "new", "script", "usual"))
    old.touch()
    old.chmod(0o640)
    if os.geteuid() == 0:
        os.chown(old, 1234, 4321)
    before = os.umask(umask)
    try:
        usual.touch()
        write_files((old, b"1"), (new, b"2"))
        write_files((script, b"3"), mode=0o755)
    finally:
        os.umask(before)
    assert (mode_of(old), mode_of(new), mode_of(script)) == (0o640, mode_of(usual), 0o755)
    if os.geteuid() == 0:
        assert (old.stat().st_uid, old.stat().st_gid) == (1234, 4321)


def test_behind_a_link_the_file_is_written_and_the_link_stays(tmp_path):
    (tmp_path / "folder").mkdir()
    link, second, dangling = (tmp_path / name for name in ("link", "second", "dangling"))
    file, new = tmp_path / "folder" / "file", tmp_path / "folder" / "new"
    file.write_text("old")
    link.symlink_to("folder/file")
    second.symlink_to(link)
    dangling.symlink_to("folder/new")
    write_files((second, "1"), (dangling, "2"))
    assert (file.read_text(), new.read_text()) == ("1", "2")
    assert (link.is_symlink(), second.is_symlink(), dangling.is_symlink()) == (True, True, True)
    assert sorted((tmp_path / "folder").iterdir()) == [file, new]
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    with pytest.raises(OSError, match="symbolic links") as caught:
        write_files((loop, ""))
    assert (caught.value.errno, caught.value.filename) == (errno.ELOOP, str(loop))


def test_a_device_and_a_pipe_are_written_directly(tmp_path):
    pipe, read = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()), daemon=True)
    reader.start()
    write_files((pipe, b"content"), (Path("/dev/null"), b"gone"))
    reader.join(TIMEOUT_S)
    assert read == [b"content"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)


TO_STDOUT = """
from pathlib import Path
from quench_switch.outside.files import write_files
write_files((Path("/dev/stdout"), "x"))
"""


def test_a_descriptor_is_written_directly_whatever_is_behind_it(tmp_path):
    assert python(TO_STDOUT) == (0, "x", "")
    file = tmp_path / "file"
    with file.open("w") as opened:
        assert python(TO_STDOUT, stdout=opened)[0] == 0
        assert os.path.samestat(file.stat(), os.fstat(opened.fileno()))
    assert (file.read_text(), sorted(tmp_path.iterdir())) == ("x", [file])
    with Path("/dev/full").open("w") as full:
        status, _, said = python(TO_STDOUT, stdout=full)
    assert (status, said.splitlines()[-1]) == (1, "OSError: [Errno 28] No space left on device: '/dev/stdout'")


def test_an_error_names_the_file_and_leaves_all_others_as_they_were(tmp_path):
    (tmp_path / "old").write_text("old")
    (tmp_path / "folder").mkdir()
    for bad, number in (
        (tmp_path / "folder", errno.EISDIR),
        (tmp_path / "absent" / "x", errno.ENOENT),
        (tmp_path / "old" / "x", errno.ENOTDIR),
        (tmp_path / ("x" * 300), errno.ENAMETOOLONG),
        (Path("/dev/full"), errno.ENOSPC),
    ):
        for files in ([(tmp_path / "old", "new"), (bad, "x")], [(bad, "x"), (tmp_path / "old", "new")]):
            with pytest.raises(OSError, match=re.escape(os.strerror(number))) as caught:
                write_files(*files)
            assert (caught.value.errno, caught.value.filename) == (number, str(bad))
    assert (tmp_path / "old").read_text() == "old"
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["folder", "old"]


@pytest.mark.parametrize("source", [None, "source"])
def test_a_fault_of_what_makes_the_content_keeps_its_name_and_always_has_one(tmp_path, source):
    def pieces() -> Iterator[bytes]:
        yield b"1"
        raise OSError(errno.EIO, "bad disk", source)

    (tmp_path / "old").write_text("old")
    with pytest.raises(OSError, match="bad disk") as caught:
        write_files((tmp_path / "old", pieces()))
    assert caught.value.filename == (source or str(tmp_path / "old"))
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("old", "old")]


@pytest.mark.netns
def test_a_file_that_may_not_be_written_to_is_not_replaced(tmp_path):
    script = (
        "import sys; from pathlib import Path; from quench_switch.outside.files import write_files\n"
        "write_files((Path(sys.argv[1]), 'new'))"
    )
    file = tmp_path / "file"
    file.write_text("old")
    file.chmod(0o444)
    # Root without the right to write to everything.
    status, _, said = python(script, file, before=("setpriv", "--bounding-set", "-dac_override"))
    assert (status, said.splitlines()[-1]) == (1, f"PermissionError: [Errno 13] Permission denied: '{file}'")
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("file", "old")]


SIGNALLED = """
import os, resource, signal, sys
from pathlib import Path
from quench_switch.outside.files import write_files

number = int(sys.argv[2])
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
# Some of them may be ignored, as what nohup starts ignores SIGHUP.
signal.signal(number, signal.SIG_DFL if sys.argv[3] == "default" else signal.default_int_handler)

def pieces():
    yield b"1"
    os.kill(os.getpid(), number)
    yield b"2"

try:
    write_files((Path(sys.argv[1]), pieces()))
except KeyboardInterrupt:
    print("interrupted")
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT])
def test_a_signal_ends_the_process_as_ever_and_leaves_the_old_file(tmp_path, number):
    (tmp_path / "old").write_text("old")
    assert python(SIGNALLED, tmp_path / "old", int(number), "default") == (-number, "", "")
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("old", "old")]


def test_a_signal_with_a_handler_is_its_handlers(tmp_path):
    (tmp_path / "old").write_text("old")
    assert python(SIGNALLED, tmp_path / "old", int(signal.SIGINT), "handled") == (0, "interrupted\n", "")
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("old", "old")]


def test_the_signals_are_as_before_when_it_is_over(tmp_path):
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
    before = [signal.getsignal(number) for number in numbers]
    write_files((tmp_path / "file", ""))
    with pytest.raises(FileNotFoundError):
        write_files((tmp_path / "absent" / "file", ""))
    assert [signal.getsignal(number) for number in numbers] == before


def test_a_thread_writes_too(tmp_path):
    thread = threading.Thread(target=lambda: write_files((tmp_path / "file", "x")))
    thread.start()
    thread.join(TIMEOUT_S)
    assert (tmp_path / "file").read_text() == "x"


FULL = """
import pathlib, subprocess, sys
from quench_switch.outside.files import write_files

place = pathlib.Path(sys.argv[1])
subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1M", "none", place], check=True)
files = [place / name for name in ("small", "large")]
for file in files:
    file.write_text("old")
filling = place / "filling"
with filling.open("wb", buffering=0) as fill:
    try:
        while True:
            fill.write(bytes(4096))
    except OSError as error:
        print(error.strerror)
    fill.truncate(fill.tell() - 16384)
for contents in (("1" * 4096, "2" * 65536), ("1" * 65536, "2" * 4096), ("1" * 8192, "2" * 8193), ("1", "2" * 12288)):
    try:
        write_files(*zip(files, contents))
    except OSError as error:
        print(error.strerror, error.filename)
    print([file.read_text()[:3] for file in files], sorted(path.name for path in place.iterdir()))
"""


@pytest.mark.netns
def test_a_full_disk_changes_none_of_several_files(tmp_path):
    """There is room for 16 KiB; the old files take 4 KiB each until they are replaced."""
    status, out, said = python(FULL, tmp_path, before=("unshare", "--mount"))
    assert (status, said) == (0, "")
    full, all_names = "No space left on device", "['filling', 'large', 'small']"
    assert out.splitlines() == [
        full,
        f"{full} {tmp_path / 'large'}",
        f"['old', 'old'] {all_names}",
        f"{full} {tmp_path / 'small'}",
        f"['old', 'old'] {all_names}",
        f"{full} {tmp_path / 'large'}",
        f"['old', 'old'] {all_names}",
        f"['1', '222'] {all_names}",
    ]


def test_a_private_file_is_private_while_it_is_written(tmp_path: Path) -> None:
    """A process that opens the file beside it keeps the descriptor, whatever its mode is later."""
    path, modes = tmp_path / "secret", []

    def content():
        modes.extend(each.stat().st_mode & 0o777 for each in tmp_path.iterdir())
        yield b"secret"

    path.write_text("old")
    path.chmod(0o600)
    made = os.open
    seen = []

    def opened(name, flags, mode=0o777, **more):
        descriptor = made(name, flags, mode, **more)
        seen.append(os.fstat(descriptor).st_mode & 0o077)
        return descriptor

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "open", opened)
        write_files((path, content()))
        write_files((tmp_path / "new", b"secret"), mode=0o600)
    assert set(seen) == {0}
    assert modes == [0o600, 0o600]
