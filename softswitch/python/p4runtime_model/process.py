# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""A real ``quench switch`` process without interfaces."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from types import TracebackType
from typing import Final

DEVICE_ID: Final = 1
CPU_PORT: Final = 510
START_S: Final = 30.0
STOP_S: Final = 15.0


class SwitchProcess:
    """Started at once, stopped at the end of a ``with``."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        ready = folder / f"ready-{os.getpid()}-{time.monotonic_ns()}"
        self.log = folder / "switch.log"
        self.log.unlink(missing_ok=True)
        command = [sys.executable, "-m", "quench_switch.cli.switch", "--no-p4", "--device-id", str(DEVICE_ID)]
        command += ["--cpu-port", str(CPU_PORT), "--grpc-server-addr", "127.0.0.1:0", "--ready-file", str(ready)]
        command += ["--log-file", str(self.log), "-L", "error"]
        self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL)
        deadline = time.monotonic() + START_S
        while not ready.exists():
            if self._process.poll() is not None or time.monotonic() > deadline:
                self.stop()
                raise RuntimeError(f"the switch does not start: see {self.log}")
            time.sleep(0.02)
        self.address = ready.read_text().strip()
        ready.unlink()

    def __enter__(self) -> SwitchProcess:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    @property
    def exit_code(self) -> int | None:
        """The exit code; None while the process runs."""
        return self._process.poll()

    def logged_error(self) -> str | None:
        """The first error of the server's own that its log holds; gRPC logs every message that is none."""
        with self.log.open(errors="replace") as lines:
            return next((line.strip() for line in lines if " ERROR quench_switch" in line), None)

    def rss_bytes(self) -> int:
        """Memory that the process occupies now."""
        for line in Path(f"/proc/{self._process.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) * 1024
        return 0

    def cpu_s(self) -> float:
        """Processor time that the process has used."""
        fields = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def stop(self) -> int:
        """End the process; its exit status."""
        if self._process.poll() is None:
            self._process.terminate()
            try:
                self._process.wait(STOP_S)
            except subprocess.TimeoutExpired:
                self._process.kill()
        return self._process.wait()
