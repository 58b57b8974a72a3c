# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The difference between head and tail marking, on a slow queue that fills up."""

from support.base import CE, ECT0, FROZEN_WQ, QUEUE_PORT, QuenchTest, ecn_of, number_of

BEHIND = 4
THRESHOLD = 3


class HeadAndTail(QuenchTest):
    """The first packet leaves with a queue behind it and came when there was none; for the last it is the other way.

    With weight 1 the average is the queue that the last departure left, and from THRESHOLD on every packet is marked.
    """

    def runTest(self) -> None:
        for mark_at, marked in (("head", "first"), ("tail", "last")):
            with self.subTest(mark_at=mark_at):
                self.set_profile(
                    scheme="curve", wq=1, mark_at=mark_at, wait=False, points=[{"depth": THRESHOLD, "p1": 1.0}]
                )
                self.switch.ports.slow(QUEUE_PORT)
                # The port is busy with this one when the first of those that count comes.
                self.send(self.packet(ECT0, 100))
                self.assertEqual(len(self.collect(1)), 1)
                for number in range(1 + BEHIND):
                    self.send(self.packet(ECT0, number))
                (first,) = self.collect(1)
                self.send(self.packet(ECT0, 1 + BEHIND))
                rest = self.collect(BEHIND + 1)
                self.switch.ports.release(QUEUE_PORT)
                self.assertEqual([number_of(frame) for frame in (first, *rest)], list(range(BEHIND + 2)))
                self.assertEqual(ecn_of(first) == CE, marked == "first")
                self.assertEqual(ecn_of(rest[-1]) == CE, marked == "last")


class SpareEmpty(QuenchTest):
    """With ``spare_empty`` a packet is selected on arrival only if the last departure left packets in the queue.

    At this average every packet is marked without the setting.
    """

    def runTest(self) -> None:
        self.fill(30, scheme="taildrop")
        always = {"scheme": "curve", "wq": FROZEN_WQ, "wait": False, "points": [{"depth": 10, "p1": 1.0}]}
        for mark_at, spare_empty, marked in (
            ("tail", False, [True] * (BEHIND + 3)),
            ("tail", True, [False] * (BEHIND + 2) + [True]),
            ("head", True, [True] * (BEHIND + 3)),
        ):
            with self.subTest(mark_at=mark_at, spare_empty=spare_empty):
                self.set_profile(**always, mark_at=mark_at, spare_empty=spare_empty)
                # Ingress of Tofino gets to know by the next departure that the queue is empty.
                before = self.seen()
                self.send(self.packet(ECT0))
                self.assertEqual(len(self.collect(1)), 1)
                self.settle(before + 1)
                self.switch.ports.slow(QUEUE_PORT)
                self.send(self.packet(ECT0, 0))
                came = self.collect(1)
                # All of these come before the first of them leaves.
                for number in range(1, BEHIND + 2):
                    self.send(self.packet(ECT0, number))
                came += self.collect(1)
                self.send(self.packet(ECT0, BEHIND + 2))
                came += self.collect(BEHIND + 1)
                self.switch.ports.release(QUEUE_PORT)
                self.assertEqual([number_of(frame) for frame in came], list(range(BEHIND + 3)))
                self.assertEqual([ecn_of(frame) == CE for frame in came], marked)


class NoLockUp(QuenchTest):
    """An average above all thresholds falls while its queue is idle, even if every packet is dropped on arrival.

    No packet reaches egress. Without a decay in ingress no packet would ever leave again.
    """

    def runTest(self) -> None:
        self.fill(30, scheme="taildrop")
        # At 10 Mb/s and weight 0.02 the average halves in 27 ms of idle time. After half a second it is 0.
        always_dropped = {"scheme": "red", "minth": 5, "maxth": 10, "gentle": False, "mean_packet_bytes": 1000}
        self.set_profile(**always_dropped, wq=6e-8)
        before = self.counter("port_dropped_forced")
        self.send(self.packet(ECT0))
        self.wait_until(lambda: self.counter("port_dropped_forced") == before + 1)
        self.set_profile(**always_dropped, wq=0.02)
        self.program.forget_idle_queues(self)
        self.switch.sleep(self.program.forgets_s)
        self.send(self.packet(ECT0, 4711))
        (frame,) = self.collect(1)
        self.assertEqual(number_of(frame), 4711)
