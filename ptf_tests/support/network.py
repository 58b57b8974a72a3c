# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""A network namespace with a veth pair for each port of the switch."""

import os
import subprocess
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any, Self

PORTS = (1, 2, 3)


def _ip(*arguments: str) -> None:
    subprocess.run(["ip", *arguments], check=True, capture_output=True, text=True)


class Namespace:
    """Made on entry, removed with all its interfaces on exit."""

    def __init__(self) -> None:
        self.name = f"qptf-{os.getpid()}"

    def switch_interface(self, port: int) -> str:
        """The switch's end of the veth pair."""
        return f"s{port}"

    def tester_interface(self, port: int) -> str:
        """PTF's end of the veth pair."""
        return f"t{port}"

    def __enter__(self) -> Self:
        _ip("netns", "add", self.name)
        try:
            self._execute("sysctl", "-qw", "net.ipv6.conf.all.disable_ipv6=1", "net.ipv6.conf.default.disable_ipv6=1")
            _ip("-n", self.name, "link", "set", "lo", "up")
            for port in PORTS:
                ends = self.switch_interface(port), self.tester_interface(port)
                _ip("-n", self.name, "link", "add", ends[0], "type", "veth", "peer", "name", ends[1])
                for end in ends:
                    _ip("-n", self.name, "link", "set", end, "up", "mtu", "9000")
                    self._execute("ethtool", "-K", end, "rx", "off", "tx", "off")
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        subprocess.run(["ip", "netns", "delete", self.name], check=False, capture_output=True)

    def _execute(self, *command: str) -> None:
        subprocess.run(self.command(command), check=True, capture_output=True, text=True)

    def command(self, command: Sequence[str]) -> list[str]:
        """The command line that runs a command inside."""
        return ["ip", "netns", "exec", self.name, *command]

    def run(self, command: Sequence[str], env: Mapping[str, str]) -> int:
        """Run a command inside to its end, and return its status."""
        return subprocess.run(self.command(command), check=False, env=env).returncode

    def start(self, command: Sequence[str], **options: Any) -> "subprocess.Popen[bytes]":
        """Start a command inside, in the background."""
        return subprocess.Popen(self.command(command), **options)
