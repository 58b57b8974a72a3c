# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""``simple_switch_grpc`` and ``simple_switch``: BMv2's options, and ``quench switch``.

BMv2 has options of its own, and after ``--`` those of the target; here both are taken on both sides.
"""

from __future__ import annotations

import argparse
import socket
import sys
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Final

from .arguments import Version, ignore, name_ignored, parser, warn

DEFAULT_THRIFT_PORT: Final = 9090
JSON_VERSION: Final = "2.24"
"""The newest version of BMv2's JSON that the switch loads."""
_NO_EFFECT: Final = (
    "--debugger-addr",
    "--dump-packet-data",
    "--log-file-max-files",
    "--log-file-max-size",
    "--max-l1-entries",
    "--max-l2-entries",
    "--max-mc-groups",
    "--max-port-count",
    "--nanolog",
)
_NO_EFFECT_FLAGS: Final = ("--debugger",)
_HARMLESS_FLAGS: Final = {
    "both": ("--log-flush",),
    "simple_switch": ("--enable-swap",),
    "simple_switch_grpc": ("--disable-swap",),
}
"""``--log-flush``: a log line is never held back. Only P4Runtime replaces programs, and it always may."""
_REFUSED: Final = ("--dp-grpc-server-addr", "--load-modules", "--packet-in", "--restore-state", "--use-files")
"""Without them the switch would be another one: their users would wait for packets, entries or externs in vain."""
_PASSED: Final = {
    "both": ("--device-id", "--drop-port", "--log-file", "--notifications-addr", "--priority-queues", "--seed"),
    "simple_switch_grpc": (
        "--cpu-port",
        "--grpc-server-addr",
        "--grpc-server-cacert",
        "--grpc-server-cert",
        "--grpc-server-key",
    ),
}
_PASSED_FLAGS: Final = {
    "both": ("--log-console", "--no-p4"),
    "simple_switch_grpc": ("--grpc-server-ssl", "--grpc-server-with-client-auth"),
}


def _of(program: str, names: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    return names["both"] + names.get(program, ())


def _parser(program: str) -> argparse.ArgumentParser:
    options = parser(program, "Run a P4 program on Linux interfaces, as BMv2 does, with Quench's switch.")
    options.add_argument("--interface", "-i", action="append", default=[], metavar="PORT@IFACE")
    options.add_argument("--pcap", nargs="?", const=".", metavar="DIR")
    options.add_argument("--thrift-port", type=int, metavar="PORT")
    options.add_argument("--thrift-allow-users", metavar="USERS", help="as of quench switch --thrift-allow-users")
    options.add_argument(
        "--allow-interface", action="append", default=[], metavar="GLOB", help="as of quench switch --allow-interface"
    )
    options.add_argument("--log-level", "-L", choices=("trace", "debug", "info", "warn", "error", "off"))
    for name in _of(program, _PASSED):
        options.add_argument(name, metavar="VALUE", help=f"as of quench switch {name}")
    for name in (*_of(program, _PASSED_FLAGS), *_of(program, _HARMLESS_FLAGS)):
        options.add_argument(name, action="store_true", help=f"as of quench switch {name}")
    for name in _REFUSED:
        options.add_argument(name, dest="refused", action=_Refused, help="is refused")
    ignore(options, _NO_EFFECT, value=True)
    ignore(options, _NO_EFFECT_FLAGS, value=False)
    options.add_argument("--version", "-v", action=Version, text="of Quench {}")
    options.add_argument("--json-version", action="version", version=JSON_VERSION)
    options.add_argument("config", nargs="?", metavar="PROGRAM.json")
    return options


class _Refused(argparse.Action):
    """An option that ends the command."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        _namespace: argparse.Namespace,
        _values: object,
        option_string: str | None = None,
    ) -> None:
        """Say so."""
        parser.error(f"{option_string} is not supported by Quench's switch")


def _words(arguments: Sequence[str]) -> list[str]:
    """The arguments in one list, with ``--pcap`` and its folder as one word.

    The folder may be left out; a file, which no folder is, is then the program.
    """
    words: list[str] = []
    given = [word for word in arguments if word != "--"]
    for place, word in enumerate(given):
        if place and given[place - 1] == "--pcap" and not word.startswith("-") and not Path(word).is_file():
            words[-1] = f"--pcap={word}"
        elif word == "--pcap":
            words.append("--pcap=.")
        else:
            words.append(word)
    return words


def switch_arguments(program: str, arguments: Sequence[str]) -> tuple[list[str], list[str]]:
    """The arguments of ``quench switch``, and the options without effect."""
    options = _parser(program)
    given = options.parse_args(_words(arguments))
    words = [word for interface in given.interface for word in ("--interface", interface)]
    if given.pcap is not None:
        if not Path(given.pcap).is_dir():
            options.error(f"--pcap {given.pcap}: there is no such folder")
        words.append(f"--pcap={given.pcap}")
    if given.log_level is not None:
        words += ["--log-level", given.log_level]
    values = vars(given)
    for name in _of(program, _PASSED):
        value = values[name.removeprefix("--").replace("-", "_")]
        if value is not None:
            words += [name, value]
    words += [name for name in _of(program, _PASSED_FLAGS) if values[name.removeprefix("--").replace("-", "_")]]
    if program == "simple_switch":
        # It has no P4Runtime that a client would look for.
        words += ["--grpc-server-addr", "127.0.0.1:0"]
    thrift = _thrift(program, given.thrift_port)
    if thrift:
        if given.thrift_allow_users is not None:
            thrift += ["--thrift-allow-users", given.thrift_allow_users]
        thrift += [word for pattern in given.allow_interface for word in ("--allow-interface", pattern)]
    words += thrift
    if given.config is not None:
        if given.no_p4:
            sys.stdout.write("Warning: ignoring input config as '--no-p4' was used\n")
        else:
            words += ["--", given.config]
    elif not given.no_p4:
        options.error("specify an input JSON configuration file")
    return words, given.ignored


def _thrift(program: str, port: int | None) -> list[str]:
    """The Thrift port: BMv2's default if none is given, which several switches cannot have."""
    if port is None and program == "simple_switch_grpc" and not _is_free(DEFAULT_THRIFT_PORT):
        warn(program, f"no Thrift: port {DEFAULT_THRIFT_PORT} is in use; --thrift-port gives another one")
        return []
    return ["--thrift-addr", f"127.0.0.1:{DEFAULT_THRIFT_PORT if port is None else port}"]


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def run(program: str) -> None:
    """Run the command; it ends the process."""
    # Test runners end switches by this name: pkill simple_switch.
    Path("/proc/self/comm").write_text(program)
    words, ignored = switch_arguments(program, sys.argv[1:])
    name_ignored(program, ignored)
    from quench_switch.cli.app import run as run_program
    from quench_switch.cli.switch import app

    run_program(partial(app, words, prog_name=program), program)
