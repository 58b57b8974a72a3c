# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The switch of finsy's demo networks, for ``mn --custom``: finsy expects this file in a container's image.

Debian's Python runs it, with Mininet and nothing else. A switch's ports are numbered from 1, its P4Runtime listens on
port 50001 and up, its device is 1, and what its log has is in ``NAME.log`` of the folder in which ``mn`` runs.
"""

import socket
import time
from typing import Any

from mininet.node import Switch

FIRST_PORT = 50001
START_S = 20.0
POLL_S = 0.05


class GrpcSwitch(Switch):
    """``simple_switch_grpc`` of the PATH, with what finsy's configuration of the switch says."""

    made = 0

    def __init__(self, name: str, config: dict[str, Any], **options: Any) -> None:
        super().__init__(name, **options)
        self.grpc_port = FIRST_PORT + GrpcSwitch.made
        GrpcSwitch.made += 1
        self.settings = config

    def start(self, _controllers: object) -> None:
        """Start the switch, and wait until it listens. Raises RuntimeError."""
        words = ["simple_switch_grpc", "--no-p4", "--device-id", "1"]
        for port, interface in self.intfs.items():
            if interface.name != "lo":
                words += ["-i", f"{port}@{interface.name}"]
        words += [
            "--",
            "--grpc-server-addr",
            f"127.0.0.1:{self.grpc_port}",
            "--cpu-port",
            str(self.settings["cpu_port"]),
        ]
        certificates = {"cacert": "grpc_cacert", "cert": "grpc_cert", "key": "grpc_private_key"}
        given = {name: self.settings[key] for name, key in certificates.items() if self.settings.get(key)}
        if given:
            words += ["--grpc-server-ssl"]
            words += [word for name, path in given.items() for word in (f"--grpc-server-{name}", path)]
            words += ["--grpc-server-with-client-auth"] if "cacert" in given else []
        self.cmd(f"{' '.join(words)} > {self.name}.log 2>&1 &")
        for command in self.settings.get("commands", ()):
            self.cmd(command)
        deadline_s = time.monotonic() + START_S
        while not self._listens():
            if time.monotonic() > deadline_s:
                raise RuntimeError(f"{self.name} does not listen on port {self.grpc_port}: see {self.name}.log")
            time.sleep(POLL_S)

    def stop(self, deleteIntfs: bool = True) -> None:  # noqa: N803
        """End the switch."""
        self.cmd("kill %1")
        self.cmd("wait")
        super().stop(deleteIntfs)

    def _listens(self) -> bool:
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.grpc_port)) == 0


switches = {"bmv2": GrpcSwitch, "stratum": GrpcSwitch}
