# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Commands find the one network that runs, and trust no folder that somebody else could have made."""

import os
import socket
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from threading import Thread

import pytest
from quench.cli.app import app
from quench.errors import ControllerError
from quench.networks import DESCRIPTION_FILE, MOST_FOLDERS, SOCKET_FILE, describe, only_network, running_networks
from quench.temporary import temporary_folder
from typer.testing import CliRunner


class Networks:
    """Folders as networks make them, with sockets that take connections."""

    def __init__(self, place: Path, stack: ExitStack) -> None:
        self.place = place
        self._stack = stack

    def add(self, name: str) -> Path:
        folder = self._stack.enter_context(temporary_folder("net", self.place))
        listener = self._stack.enter_context(socket.socket(socket.AF_UNIX))
        listener.bind(str(folder / SOCKET_FILE))
        listener.listen()
        Thread(target=_close_connections, args=(listener,), daemon=True).start()
        describe(folder, name)
        return folder


def _close_connections(listener: socket.socket) -> None:
    with suppress(OSError):
        while True:
            listener.accept()[0].close()


@pytest.fixture
def networks(monkeypatch: pytest.MonkeyPatch) -> Iterator[Networks]:
    # A short path: that of a socket has 107 bytes at most.
    with tempfile.TemporaryDirectory(prefix="q") as place, ExitStack() as stack:
        # The machine may have others.
        monkeypatch.setattr("quench.networks.PLACES", ())
        monkeypatch.setattr(tempfile, "tempdir", place)
        monkeypatch.delenv("QUENCH_SOCKET", raising=False)
        yield Networks(Path(place), stack)


def found() -> list[str]:
    return [each.name for each in running_networks()]


def test_networks_are_listed_in_the_order_in_which_they_came_up(networks: Networks) -> None:
    folders = [networks.add("n1"), networks.add("demo g3")]
    assert [(each.name, each.pid, each.socket.parent) for each in running_networks()] == [
        ("n1", os.getpid(), folders[0]),
        ("demo g3", os.getpid(), folders[1]),
    ]
    with pytest.raises(ControllerError, match=r"^2 networks run: choose one by --socket or QUENCH_SOCKET: [^\n]+$"):
        only_network()


def of_somebody_else(folder: Path) -> None:
    os.chown(folder, 65534, 65534)


def with_anothers_socket(folder: Path) -> None:
    os.chown(folder / SOCKET_FILE, 65534, 65534)


def open_to_others(folder: Path) -> None:
    folder.chmod(0o711)


def with_a_dead_controller(folder: Path) -> None:
    (folder / SOCKET_FILE).unlink()
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(folder / SOCKET_FILE))


def with_a_file_for_a_socket(folder: Path) -> None:
    (folder / SOCKET_FILE).unlink()
    (folder / SOCKET_FILE).touch()


def with_a_link_for_a_socket(folder: Path) -> None:
    (folder / SOCKET_FILE).rename(folder / "other")
    (folder / SOCKET_FILE).symlink_to(folder / "other")


def with_words(text: bytes) -> Callable[[Path], None]:
    def write(folder: Path) -> None:
        (folder / DESCRIPTION_FILE).write_bytes(text)

    return write


def with_a_pipe_for_words(folder: Path) -> None:
    (folder / DESCRIPTION_FILE).unlink()
    os.mkfifo(folder / DESCRIPTION_FILE)


@pytest.mark.parametrize(
    "spoil",
    [
        pytest.param(of_somebody_else, marks=pytest.mark.netns),
        pytest.param(with_anothers_socket, marks=pytest.mark.netns),
        open_to_others,
        with_a_dead_controller,
        with_a_file_for_a_socket,
        with_a_link_for_a_socket,
        with_words(b"{}"),
        with_words(b'{"name": "\\u001b[2J", "pid": 1, "since_s": 0}'),
        with_words(b'{"name": "n1", "pid": 1, "since_s": NaN}'),
        with_words(b" " * 5000 + b'{"name": "n1", "pid": 1, "since_s": 1}'),
        with_a_pipe_for_words,
    ],
)
def test_a_folder_that_is_no_running_network_of_ours_is_passed_over(
    networks: Networks, spoil: Callable[[Path], None]
) -> None:
    folder = networks.add("n1")
    assert found() == ["n1"]
    spoil(folder)
    assert found() == []
    os.chown(folder, os.geteuid(), os.getegid())


def test_folders_that_are_not_trusted_hide_no_network(networks: Networks) -> None:
    networks.add("n1")
    for number in range(MOST_FOLDERS):
        (networks.place / f"quench-net-{number:04}").mkdir(mode=0o755)
    assert found() == ["n1"]


def test_a_folder_that_goes_away_meanwhile_hides_no_network(
    networks: Networks, monkeypatch: pytest.MonkeyPatch
) -> None:
    networks.add("n1")
    gone = networks.place / "quench-net-gone"
    gone.mkdir(mode=0o700)
    scandir = os.scandir

    @contextmanager
    def scanned(place: Path) -> Iterator[list[os.DirEntry[str]]]:
        with scandir(place) as entries:
            listed = list(entries)
        gone.rmdir()
        yield listed

    with monkeypatch.context() as patched:
        patched.setattr("quench.networks.os.scandir", scanned)
        assert found() == ["n1"]


def test_a_place_where_others_may_replace_folders_is_passed_over(networks: Networks) -> None:
    networks.add("n1")
    networks.place.chmod(0o777)
    assert found() == []
    networks.place.chmod(0o1777)
    assert found() == ["n1"]


def test_a_command_says_which_network_it_has_found(networks: Networks) -> None:
    socket_path = networks.add("n1") / SOCKET_FILE
    alone = CliRunner().invoke(app, ["stats"])
    assert alone.stderr == f"quench: the network n1 of process {os.getpid()}: {socket_path}\n"
    assert str(alone.exception).startswith(f"{socket_path}: ")
    networks.add("g3")
    for command in (["stats"], ["thresholds", "show"], ["thresholds", "watch", "s1"], ["isq", "show"], ["live"]):
        several = CliRunner().invoke(app, command)
        assert "2 networks run: choose one by --socket or QUENCH_SOCKET: n1 at " in str(several.exception)
    none = str(networks.place / "none.sock")
    given = CliRunner().invoke(app, ["stats", "--socket", none])
    assert given.stderr == ""
    assert str(given.exception).startswith(f"{none}: no controller answers")
