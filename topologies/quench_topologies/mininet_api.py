# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The parts of Mininet that are used here, without the side effects of importing it."""

import logging
import select

import mininet.cli
from mininet.cli import CLI
from mininet.link import Link
from mininet.log import StreamHandlerNoNewline, output
from mininet.net import Mininet
from mininet.node import Host, Switch

__all__ = ["CLI", "Host", "Link", "Mininet", "Switch", "output"]

# Importing Mininet makes every logger of the process one of Mininet's.
logging.setLoggerClass(logging.Logger)
# Mininet has a handler of its own, so every message would come twice.
logging.getLogger("mininet").propagate = False
# Its own swallows the exception of a signal that comes while a line is written, and the signal is lost.
StreamHandlerNoNewline.emit = logging.StreamHandler.emit
StreamHandlerNoNewline.terminator = ""
# Otherwise Mininet raises limits of the whole machine (sysctl) before it builds its first network.
Mininet.inited = True


def _has_something_to_say(poller: select.poll) -> bool:
    return any(mask & (select.POLLIN | select.POLLHUP) for _, mask in poller.poll(0))


# Its own ignores the end of a shell, for which its command line then waits at full speed.
mininet.cli.isReadable = _has_something_to_say
