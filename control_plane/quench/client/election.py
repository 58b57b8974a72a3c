# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The election id that a controller bids (P4Runtime specification, "Client Arbitration and Controller Replication").

A switch remembers the highest id that a primary ever had, and the next primary must bid as much or more. So a standby
that takes over has to bid above its own id, and the controller that comes back must still be able to outbid it.
Therefore the upper half of the 128 bits is a term, which each standby that takes over raises by one. The lower half is
the controller's own priority, which never changes. Within a term the higher priority wins.
"""

from finsy import GRPCStatusCode

_HALF = 64
_MAX_HALF = 2**_HALF - 1


def priority_of(election_id: int) -> int:
    """The controller's own part of an id."""
    return int(election_id & _MAX_HALF)


def visitors_bid(_: int, status: GRPCStatusCode, highest: int) -> int | None:
    """The next id of a client that stays for one request: never above another that is there.

    Where the primary has left, its own id does: it can come back with that.
    """
    return highest if status == GRPCStatusCode.NOT_FOUND else None


def next_bid(priority: int, status: GRPCStatusCode, highest: int) -> int | None:
    """The id to bid after an answer with this ``status`` and the ``highest`` id; None: no new bid.

    OK is the primary's answer, ALREADY_EXISTS a backup's; with NOT_FOUND there is no primary.
    """
    term, other = highest >> _HALF, priority_of(highest)
    if status == GRPCStatusCode.NOT_FOUND:
        if priority < other:
            if term == _MAX_HALF:
                return highest
            term += 1
        return term << _HALF | priority
    if status == GRPCStatusCode.ALREADY_EXISTS and priority > other:
        return term << _HALF | priority
    return None
