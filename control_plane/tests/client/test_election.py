# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0

from finsy import GRPCStatusCode
from hypothesis import given
from hypothesis import strategies as st
from quench.client.election import next_bid, priority_of

PRIORITIES = st.integers(1, 2**63 - 1)


class Arbiter:
    """A switch that arbitrates as the specification says, for clients that answer at once."""

    def __init__(self) -> None:
        self.bids: dict[int, int] = {}
        self.highest = 0
        self.messages = 0

    @property
    def primary(self) -> int | None:
        return next((priority for priority, bid in self.bids.items() if bid == self.highest), None)

    def come(self, priority: int) -> None:
        self.bid(priority, priority)

    def go(self, priority: int) -> None:
        was_primary = self.primary == priority
        del self.bids[priority]
        if was_primary:
            self.tell_all()

    def bid(self, priority: int, election_id: int) -> None:
        self.messages += 1
        assert self.messages < 10_000, "they bid for ever"
        assert election_id not in self.bids.values() or self.bids.get(priority) == election_id
        before = self.primary
        self.bids[priority] = election_id
        self.highest = max(self.highest, election_id)
        if before != self.primary:
            self.tell_all()
        else:
            self.tell(priority)

    def tell_all(self) -> None:
        for priority in list(self.bids):
            self.tell(priority)

    def tell(self, priority: int) -> None:
        status = GRPCStatusCode.NOT_FOUND if self.primary is None else GRPCStatusCode.ALREADY_EXISTS
        if self.primary == priority:
            status = GRPCStatusCode.OK
        bid = next_bid(priority, status, self.highest)
        if bid is not None and bid != self.bids[priority]:
            assert priority_of(bid) == priority
            self.bid(priority, bid)


@given(st.lists(st.sampled_from([5, 10, 20, 1 << 16]), max_size=60))
def test_the_highest_that_is_there_works(changes: list[int]) -> None:
    """Controllers come and go in any order. The one with the highest priority is primary, at once."""
    arbiter = Arbiter()
    for priority in changes:
        if priority in arbiter.bids:
            arbiter.go(priority)
        else:
            arbiter.come(priority)
        assert arbiter.primary == max(arbiter.bids, default=None)


@given(PRIORITIES, st.integers(0, 2**128 - 1), st.sampled_from(list(GRPCStatusCode)))
def test_any_answer_gives_a_bid_that_can_be_sent(priority: int, highest: int, status: GRPCStatusCode) -> None:
    bid = next_bid(priority, status, highest)
    assert bid is None or 0 <= bid < 2**128
    if bid is not None and status == GRPCStatusCode.NOT_FOUND:
        assert bid >= highest
