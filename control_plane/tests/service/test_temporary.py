# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Temporary folders of processes that were killed are removed, and nothing else is."""

import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from quench.temporary import OWNER_FILE, sweep, temporary_folder

HOLDER = """
import sys
from pathlib import Path
from quench.temporary import temporary_folder
with temporary_folder("test", Path(sys.argv[1])) as folder:
    (folder / "content").mkdir()
    print(folder, flush=True)
    sys.stdin.read()
"""


def start_holder(place: Path) -> tuple["subprocess.Popen[str]", Path]:
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, place], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert holder.stdout is not None
    return holder, Path(holder.stdout.readline().strip())


def test_a_killed_process_leaves_its_folder_to_the_next_one(tmp_path: Path) -> None:
    killed, orphan = start_holder(tmp_path)
    living, held = start_holder(tmp_path)
    with killed, living:
        killed.kill()
        killed.wait()
        assert orphan.is_dir()
        assert orphan.stat().st_mode & 0o777 == 0o700
        assert sweep(tmp_path) == [orphan.name]
        assert list(tmp_path.iterdir()) == [held]
        living.communicate("")
    assert list(tmp_path.iterdir()) == []


def test_making_a_folder_sweeps(tmp_path: Path) -> None:
    holder, orphan = start_holder(tmp_path)
    with holder:
        holder.kill()
    with temporary_folder("net", tmp_path) as folder:
        assert list(tmp_path.iterdir()) == [folder]
        assert not orphan.exists()


def test_folders_of_others_stay(tmp_path: Path) -> None:
    """Folders without an owner, of another user or open to others, and the targets of links."""
    outside = tmp_path / "outside"
    place = tmp_path / "place"
    for folder in (outside, place / "quench-net-plain", place / "quench-net-open", place / "other-net-x"):
        folder.mkdir(parents=True, mode=0o700)
        if folder.name != "quench-net-plain":
            (folder / OWNER_FILE).touch()
    (place / "quench-net-open").chmod(0o755)
    (place / "quench-net-link").symlink_to(outside)
    (place / "quench-net-file").touch()
    before = sorted(place.iterdir())
    assert sweep(place) == []
    assert sorted(place.iterdir()) == before
    assert (outside / OWNER_FILE).exists()

    shutil.chown(place / "quench-net-open", 65534)
    (place / "quench-net-open").chmod(0o700)
    assert sweep(place) == []


def test_a_link_inside_an_orphan_is_removed_and_not_followed(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "kept").touch()
    orphan = tmp_path / "quench-net-orphan"
    orphan.mkdir(mode=0o700)
    (orphan / OWNER_FILE).touch()
    (orphan / "link").symlink_to(outside)
    assert sweep(tmp_path) == [orphan.name]
    assert (outside / "kept").exists()


def test_sweeping_never_takes_a_folder_that_is_being_made(tmp_path: Path) -> None:
    def make_many(number: int) -> None:
        for _ in range(100):
            with temporary_folder(f"t{number}", tmp_path) as folder:
                sweep(tmp_path)
                (folder / "content").touch()

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(make_many, range(8)))
    assert list(tmp_path.iterdir()) == []
