# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Source quenches about RoCEv2: their bytes from controller and switch, their domain, and packets that cause none."""

import zlib
from collections.abc import Iterator
from ipaddress import IPv6Address, ip_network
from typing import Any

import finsy as fy
from quench.client import entries
from quench.config.isq import IsqConfig
from quench.isq import Ineligible, NotEligibleError
from scapy.contrib.roce import BTH, CNPPadding
from scapy.layers.inet import ICMP, IP, TCP, UDP, IPOption_RR
from scapy.layers.inet6 import ICMPv6EchoRequest, IPv6, IPv6ExtHdrDestOpt, IPv6ExtHdrFragment, PadN, in6_chksum
from scapy.layers.l2 import Ether
from scapy.packet import Packet, Raw
from support.base import (
    CE,
    DESTINATION,
    DESTINATION6,
    ECT0,
    HOST_MAC,
    NOT_ECT,
    QUEUE_PORT,
    QUIET_S,
    ROUTER_MAC,
    SOURCE,
    SOURCE6,
    SOURCE_PORT,
    QuenchTest,
    ecn_of,
    real_time,
)
from support.isq import ROUTER, ROUTER6, IsqTest

DOMAIN = (ip_network("10.0.0.0/8"), ip_network("2001:db8::/32"))
PLAIN, FAST = IsqConfig(format="cnp", domain=DOMAIN), IsqConfig(format="fast-cnp", domain=DOMAIN)
ICMP_FORM = IsqConfig(domain=DOMAIN)
QP = 0xABCDEF
LINK = Ether(src=HOST_MAC[1], dst=ROUTER_MAC[1])
WRITE_MIDDLE = 0x07
ALWAYS: dict[str, Any] = {"scheme": "curve", "points": [{"depth": 0, "p1": 1.0, "isq": True}]}


def roce(
    v6: bool, opcode: int = WRITE_MIDDLE, *, ecn: int = ECT0, size: int = 1000, link: str = ROUTER_MAC[1], **fields: Any
) -> Packet:
    """A packet of RoCEv2 from the source."""
    ip: Packet
    if v6:
        ip = IPv6(**{"src": SOURCE6, "dst": DESTINATION6, "tc": 26 << 2 | ecn, "fl": 0x12345, **fields})
    else:
        ip = IP(**{"src": SOURCE, "dst": DESTINATION, "tos": 26 << 2 | ecn, "id": 4711, **fields})
    bth = BTH(opcode=opcode, migreq=1, padcount=2, pkey=0x8123, dqpn=QP, ackreq=1, psn=77)
    return Ether(src=HOST_MAC[1], dst=link) / ip / UDP(sport=49321, dport=4791, chksum=0) / bth / Raw(bytes(size))


def icrc(packet: bytes) -> bytes:
    """The ICRC of an IP packet without it: by the offsets of what it masks."""
    masked = bytearray(packet)
    is_ipv6 = packet[0] >> 4 == 6
    udp = 40 if is_ipv6 else 20
    if is_ipv6:
        masked[0:4], masked[7] = b"\x6f\xff\xff\xff", 0xFF
        udp += 24 if packet[6] == 60 else 0
    else:
        masked[1] = masked[8] = 0xFF
        masked[10:12] = b"\xff\xff"
    masked[udp + 6 : udp + 8] = b"\xff\xff"
    masked[udp + 12] = 0xFF
    return zlib.crc32(b"\xff" * 8 + masked).to_bytes(4, "little")


class _Roce(IsqTest):
    def setUp(self) -> None:
        super().setUp()
        self.set_address()

    def use(self, isq: IsqConfig) -> None:
        """Give the switch a domain, and the controller."""
        self.control(isq)
        present = [entry for table in entries.DOMAINS for entry in self.switch.read(fy.P4TableEntry(table))]
        self.switch.write(-entry for entry in present)
        self.switch.write(+entry for entry in entries.isq_domain(isq, IPv6Address(ROUTER6)))
        self.switch.write(~entry for entry in entries.isq_outside(isq))


@real_time
class CnpBytes(_Roce):
    """The CNPs of controller and switch, against those that Scapy builds: marked or dropped, at head or tail."""

    def runTest(self) -> None:
        for isq in (PLAIN, FAST):
            self.use(isq)
            for mark_at in ("head", "tail"):
                for drop, advice in ((False, "30%"), (True, "32767us")):
                    points = [{"depth": 0, "p1": 1.0, "isq": True, "advice": advice, "drop": drop}]
                    settings = {**ALWAYS, "points": points, "mark_at": mark_at}
                    self.set_profile(**settings)
                    by_controller = {name: self.by_controller(packet) for name, packet in self.offending().items()}
                    self.set_profile(**settings, isq_in_dataplane=True)
                    for name, packet in self.offending().items():
                        with self.subTest(format=isq.format, mark_at=mark_at, drop=drop, packet=name):
                            bits = 0xFFFF if drop else 30
                            expected = self.expected(packet, fast=isq is FAST and IPv6 in packet, advice=bits)
                            self.assertEqual(by_controller[name].hex(), expected.hex())
                            self.assertEqual(self.by_switch(packet).hex(), expected.hex())
                    self.assertEqual(self.copies(), [])
                    self.nothing_leaves(SOURCE_PORT)
                    self.switch.flush()

    def offending(self) -> dict[str, Packet]:
        return {
            "IPv4": roce(v6=False),
            "IPv6": roce(v6=True),
            "IPv4 options": roce(v6=False, options=[IPOption_RR(routers=["0.0.0.0"] * 9)]),
            "short": roce(v6=False, size=0),
            "short IPv6": roce(v6=True, size=0),
            "read response": roce(v6=True, opcode=0x0E),
        }

    def expected(self, packet: Packet, fast: bool, advice: int) -> bytes:
        bth = BTH(opcode=0x81, pkey=0x8123, becn=1, dqpn=QP, psn=advice)
        udp = UDP(sport=49321, dport=4791, len=40, chksum=0)
        reserved = bytes(16)
        if IPv6 in packet:
            ip: Packet = IPv6(src=ROUTER6, dst=SOURCE6, tc=48 << 2, hlim=254, nh=60 if fast else 17)
            original = IPv6Address(DESTINATION6).packed
            if fast:
                option = Raw(b"\x1e\x10" + original)
                ip /= IPv6ExtHdrDestOpt(nh=17, len=2, options=[PadN(optdata=bytes(2))], autopad=0) / option
            ip.plen = 64 if fast else 40
        else:
            ip = IP(src=ROUTER, dst=SOURCE, tos=48 << 2, ttl=254, id=0, flags="DF", len=60, proto=17)
            original = IPv6Address(f"::ffff:{DESTINATION}").packed
        rest = bytes(udp) + bytes(bth)[:12] + (reserved if fast else original)
        whole = bytes(ip / Raw(rest)) if IPv6 not in packet else bytes(ip) + rest
        link = bytes(Ether(src=ROUTER_MAC[1], dst=HOST_MAC[1], type=0x86DD if IPv6 in packet else 0x0800))
        return link + whole + icrc(whole)


@real_time
class Icmpv6Bytes(_Roce):
    """ICMPv6 by controller and by switch is the same: it has a right checksum, and its quote tells the flow."""

    def runTest(self) -> None:
        self.use(ICMP_FORM)
        for mark_at in ("head", "tail"):
            for drop, advice, bits in ((False, "30%", 30), (True, "32767us", 0xFFFF)):
                points = [{"depth": 0, "p1": 1.0, "isq": True, "isq_level": 9, "advice": advice, "drop": drop}]
                settings = {**ALWAYS, "points": points, "mark_at": mark_at}
                for size in (1000, 0):
                    with self.subTest(mark_at=mark_at, drop=drop, size=size):
                        packet = roce(v6=True, size=size)
                        self.set_profile(**settings)
                        by_controller = self.by_controller(packet)
                        self.set_profile(**settings, isq_in_dataplane=True)
                        by_switch = self.by_switch(packet)
                        self.assertEqual(by_switch.hex(), by_controller.hex())
                        self.check(by_switch, packet, bytes((128 * (not drop) + 9, 0)) + bits.to_bytes(2, "big"))
        self.nothing_leaves(SOURCE_PORT)

    def check(self, message: bytes, packet: Packet, word: bytes) -> None:
        ip = Ether(message)[IPv6]
        found = (ip.src, ip.dst, ip.tc, ip.fl, ip.hlim, ip.nh, ip.plen)
        self.assertEqual(found, (ROUTER6, SOURCE6, 48 << 2, 0, 254, 58, 68))
        icmp = message[54:]
        self.assertEqual((icmp[:2], icmp[4:8]), (b"\x64\0", word))
        self.assertEqual(len(icmp), 68)
        self.assertEqual(in6_chksum(58, ip, icmp), 0)
        quote = IPv6(icmp[8:])
        self.assertEqual((quote.src, quote.dst, quote.plen), (SOURCE6, DESTINATION6, len(packet[UDP])))
        self.assertEqual(icmp[8 + 40 :], bytes(packet)[14 + 40 :][:20])


class NoIcmpv6(_Roce):
    """Without a domain, and about other packets than data of RoCEv2, there is nothing about IPv6."""

    def runTest(self) -> None:
        for isq, packet, copies in (
            (IsqConfig(), roce(v6=True), 0),
            (ICMP_FORM, self.packet(ECT0, v6=True), 0),
            (ICMP_FORM, roce(v6=True, opcode=0x11), 0),
            (ICMP_FORM, roce(v6=True), 1),
        ):
            self.use(isq)
            self.set_profile(**ALWAYS)
            with self.subTest(domain=bool(isq.domain), packet=packet.summary()):
                self.send(packet)
                self.assertEqual(len(self.collect(1, port=QUEUE_PORT)), 1)
                self.assertEqual(len(self.copies()), copies)


class IcrcOfTheTests(QuenchTest):
    """``icrc`` against Scapy's, for what Scapy knows: CNPs without options."""

    def runTest(self) -> None:
        for ip in (IP(src="10.0.17.1", dst="10.0.18.1", tos=0xC2), IPv6(src=ROUTER6, dst=SOURCE6, tc=7, fl=9)):
            whole = bytes(ip / UDP(sport=5, dport=4791, chksum=0) / BTH(opcode=0x81, becn=1, dqpn=QP) / CNPPadding())
            self.assertEqual(icrc(whole[:-4]).hex(), whole[-4:].hex())


class OpcodesWithData(_Roce):
    """Each opcode, by IPv4 and IPv6: switch and controller agree on which packets a CNP may be about."""

    def runTest(self) -> None:
        self.use(FAST)
        self.set_profile(**ALWAYS)
        data = {base | low for base in (0x00, 0x20, 0x40, 0xA0) for low in (*range(12), 13, 14, 15, 16, 22, 23)}
        for v6 in (False, True):
            for opcode in range(256):
                with self.subTest(v6=v6, opcode=opcode):
                    packet = bytes(roce(v6, opcode, size=20))
                    copied = self.counter("port_cloned")
                    self.send(packet)
                    (came,) = self.collect(1, port=QUEUE_PORT)
                    self.assertEqual(ecn_of(came), CE)
                    self.assertEqual(self.counter("port_cloned") - copied, int(opcode in data))
                    self.assertEqual(self.may(packet), opcode in data)

    def may(self, frame: bytes) -> bool:
        try:
            self.quencher.origin.source_quench(frame, marked=True, level=0)
        except NotEligibleError:
            return False
        return True


class NoCnp(_Roce):
    """Packets about which none may be sent. They are marked all the same, and the controller would refuse, too."""

    def runTest(self) -> None:
        self.use(FAST)
        self.set_profile(**ALWAYS)
        for packet, reason in self.exempt():
            with self.subTest(packet=packet.summary()):
                refused = self.counter("port_isq_refused") + self.counter("port_isq_ipv6")
                self.send(packet)
                (came,) = self.collect(1, port=QUEUE_PORT)
                self.assertEqual(ecn_of(came), CE)
                self.assertEqual(self.copies(), [])
                self.assertEqual(self.counter("port_isq_refused") + self.counter("port_isq_ipv6") - refused, 1)
                with self.assertRaises(NotEligibleError) as refusal:
                    self.quencher.origin.source_quench(bytes(packet), marked=True, level=0)
                self.assertIs(refusal.exception.reason, reason)

    def exempt(self) -> Iterator[tuple[Packet, Ineligible]]:
        for source in ("::", "::1", "ff02::1", "fe80::1"):
            yield roce(v6=True, src=source), Ineligible.OUTSIDE_DOMAIN
        yield roce(v6=True, src="2001:db9::1"), Ineligible.OUTSIDE_DOMAIN
        yield roce(v6=False, src="11.0.0.1"), Ineligible.OUTSIDE_DOMAIN
        yield roce(v6=True, link="01:00:5e:00:00:01"), Ineligible.LINK_BROADCAST
        yield roce(v6=False, link="ff:ff:ff:ff:ff:ff"), Ineligible.LINK_BROADCAST
        yield self.packet(ECT0, v6=True), Ineligible.NOT_IPV4
        yield roce(v6=True, nh=59), Ineligible.NOT_IPV4
        yield (
            Ether(src=HOST_MAC[1], dst=ROUTER_MAC[1]) / IP(src="11.0.0.1", dst=DESTINATION, tos=ECT0) / TCP(),
            (Ineligible.OUTSIDE_DOMAIN),
        )


class SourcesOfIpv6(_Roce):
    """With all of IPv6 as the domain: sources that are not one host of the network, and none but data of RoCEv2."""

    def runTest(self) -> None:
        self.use(IsqConfig(format="fast-cnp", domain=(ip_network("::/0"),)))
        self.set_profile(**ALWAYS)
        sources = {"::": False, "::1": False, "::2": True, "ff02::1": False, "fe80::1": False, "febf::1": False}
        sources |= {"fec0::1": True, "fe7f::1": True, "feff::1": True, "2001:db8::1": True}
        for source, expected in sources.items():
            with self.subTest(source=source):
                packet = roce(v6=True, src=source)
                self.send(packet)
                self.assertEqual(len(self.collect(1, port=QUEUE_PORT)), 1)
                copies = self.copies()
                self.assertEqual(len(copies), int(expected))
                self.assertEqual(self.may(packet), expected)

    def may(self, packet: Packet) -> bool:
        try:
            self.quencher.origin.source_quench(bytes(packet), marked=True, level=0)
        except NotEligibleError as error:
            self.assertIs(error.reason, Ineligible.SOURCE_NOT_A_HOST)
            return False
        return True


class OtherPacketsOfTheDomain(_Roce):
    """TCP gets ICMP as ever, in the domain alone. Fragments are not RoCEv2; a first one has an ICMP source quench."""

    def runTest(self) -> None:
        self.use(PLAIN)
        self.set_profile(**ALWAYS)
        for packet in (self.packet(ECT0, 5), roce(v6=False, flags="MF")):
            isq = Ether(self.by_controller(packet))
            self.assertEqual(isq[ICMP].type, 4)
            self.collect(1)
        self.set_profile(**ALWAYS, isq_in_dataplane=True)
        self.assertEqual(Ether(self.by_switch(self.packet(ECT0, 5)))[ICMP].type, 4)


class SenderSupport(_Roce):
    """A sender that is known to understand a Fast CNP gets it in place of a mark; others get both."""

    def runTest(self) -> None:
        known = IsqConfig(format="fast-cnp", domain=DOMAIN, sender_support="known")
        for isq, v6, expected in ((FAST, True, CE), (known, True, ECT0), (known, False, CE), (PLAIN, True, CE)):
            self.use(isq)
            for mark_at in ("head", "tail"):
                with self.subTest(isq=isq.format, v6=v6, mark_at=mark_at):
                    self.set_profile(**ALWAYS, mark_at=mark_at)
                    before = self.counter("port_marked")
                    self.by_controller(roce(v6))
                    (came,) = self.collect(1)
                    self.assertEqual(ecn_of(came), expected)
                    self.assertEqual(self.counter("port_marked") - before, int(expected == CE))


class OncePerPathIpv6(_Roce):
    """The DSCP says downstream that a source quench was sent, in IPv6 as in IPv4."""

    def runTest(self) -> None:
        self.use(FAST)
        self.set_profile(**ALWAYS, once_per_path=True)
        self.by_controller(roce(v6=True, tc=ECT0))
        (came,) = self.collect(1)
        self.assertEqual(Ether(came)[IPv6].tc, 3 << 2 | CE)
        before = self.counter("port_isq_once_per_path")
        self.send(roce(v6=True, tc=3 << 2 | ECT0))
        self.collect(1)
        self.assertEqual(self.copies(), [])
        self.assertEqual(self.counter("port_isq_once_per_path") - before, 1)


class Border(_Roce):
    """Source quenches from outside of the domain go no further: ICMP's, CNPs, and what may be a Fast CNP. Others do."""

    def runTest(self) -> None:
        for inside in (False, True):
            source, source6 = ("10.9.9.9", "2001:db8:9::9") if inside else ("11.9.9.9", "2001:db9::9")
            signals, others = list(self.signals(source, source6)), list(self.others(source, source6))
            for isq in (IsqConfig(), FAST, IsqConfig(domain=DOMAIN)):
                self.use(isq)
                for packet in (*signals, *others):
                    with self.subTest(inside=inside, domain=bool(isq.domain), packet=packet.summary()):
                        before = self.counter("port_dropped_isq", SOURCE_PORT)
                        self.send(packet)
                        passes = inside or not isq.domain or packet in others
                        self.assertEqual(len(self.collect(1, timeout_s=20 if passes else QUIET_S)), int(passes))
                        self.assertEqual(self.counter("port_dropped_isq", SOURCE_PORT) - before, int(not passes))

    def signals(self, source: str, source6: str) -> Iterator[Packet]:
        yield roce(v6=False, opcode=0x81, src=source, ecn=NOT_ECT)
        yield roce(v6=True, opcode=0x81, src=source6, ecn=NOT_ECT)
        yield LINK / IP(src=source, dst=DESTINATION) / ICMP(type=4) / Raw(bytes(28))
        yield LINK / IPv6(src=source6, dst=DESTINATION6, nh=58) / Raw(b"\x64" + bytes(67))
        # A CNP whose UDP header has no length.
        no_length = roce(v6=False, opcode=0x81, src=source, ecn=NOT_ECT)
        no_length[UDP].len = 0
        yield no_length
        # A CNP in two fragments of IPv4.
        yield LINK / IP(src=source, dst=DESTINATION, flags="MF") / UDP(sport=9, dport=4791, len=40) / Raw(bytes(16))
        option, rest = b"\x1e\x10" + bytes(16), bytes(40)
        for padded in (
            b"\x02\x01\x02\0\0" + option,
            b"\x02" + option + bytes(4),
            b"\x02\x01\0" + option + bytes(2),
            b"\x02\0\0\0\0" + option,
            b"\x03\x01\x0a" + bytes(10) + option,
            b"\x03\x01\x02\0\0\x1e\x18" + bytes(24),
        ):
            yield LINK / IPv6(src=source6, dst=DESTINATION6, nh=60) / Raw(b"\x11" + padded + rest)
        cnp = bytes(roce(v6=True, opcode=0x81, size=20))[14 + 40 :]
        for chain, headers in (
            (60, b"\x11\0\x01\x04" + bytes(4)),
            (0, b"\x11\0\x01\x04" + bytes(4)),
            (43, b"\x11\0" + bytes(6)),
            (44, b"\x11\0" + bytes(6)),
            (60, b"\x3a\0\x01\x04" + bytes(4) + b"\x64"),
            (60, b"\x3a\1\x01\x0c" + bytes(12) + b"\x64"),
            (44, b"\x3a\0\0\1" + bytes(4) + b"\x64"),
            (0, b"\x3c\0\x01\x04" + bytes(4) + b"\x11\0\x01\x04" + bytes(4)),
        ):
            yield LINK / IPv6(src=source6, dst=DESTINATION6, nh=chain) / Raw(headers + cnp)

    def others(self, source: str, source6: str) -> Iterator[Packet]:
        yield roce(v6=False, src=source, ecn=NOT_ECT)
        yield roce(v6=True, src=source6, ecn=NOT_ECT)
        yield LINK / IP(src=source, dst=DESTINATION) / ICMP(type=8) / Raw(bytes(28))
        echo = ICMPv6EchoRequest(data=bytes(28))
        yield LINK / IPv6(src=source6, dst=DESTINATION6) / echo
        # The first fragment of a ping, a later one, and a router alert (MLD has it) in front of one.
        yield LINK / IPv6(src=source6, dst=DESTINATION6) / IPv6ExtHdrFragment(nh=58, m=1, id=7) / echo
        later = IPv6ExtHdrFragment(nh=58, offset=4, id=7) / Raw(b"\x64" * 40)
        yield LINK / IPv6(src=source6, dst=DESTINATION6) / later
        yield LINK / IPv6(src=source6, dst=DESTINATION6, nh=0) / Raw(b"\x3a\0\5\2\0\0\1\0" + bytes(echo))
        yield LINK / IP(src=source, dst=DESTINATION, frag=3) / UDP(dport=4791) / Raw(bytes(28))
        # Behind destination options: nothing, or TCP.
        for following in (59, 6):
            content = bytes([following]) + b"\0\x1e\x04" + bytes(24)
            yield LINK / IPv6(src=source6, dst=DESTINATION6, nh=60) / Raw(content)


class ShortDatagrams(_Roce):
    """A datagram to RoCEv2's port without a whole BTH is any datagram: it goes on whole, and its padding is no CNP."""

    def runTest(self) -> None:
        self.use(FAST)
        self.set_profile(**ALWAYS)
        for bth_bytes in (0, 1, 4, 11, 12):
            for ip in (
                IP(src=SOURCE, dst=DESTINATION, tos=ECT0),
                IP(src=SOURCE, dst=DESTINATION, tos=ECT0, options=[IPOption_RR(routers=["0.0.0.0"] * 9)]),
                IPv6(src=SOURCE6, dst=DESTINATION6, tc=ECT0),
                IP(src=SOURCE, dst=DESTINATION, tos=ECT0, flags="MF"),
                IP(src=SOURCE, dst=DESTINATION, tos=ECT0, frag=5),
            ):
                with self.subTest(bth_bytes=bth_bytes, packet=ip.summary()):
                    datagram = UDP(sport=7, dport=4791, chksum=0) / Raw(b"\x07" * bth_bytes)
                    packet = bytes(LINK / ip / datagram).ljust(60, b"\x81")
                    self.send(packet)
                    (came,) = self.collect(1)
                    self.assertEqual(came[14 + len(bytes(ip)) :], packet[14 + len(bytes(ip)) :])
                    is_roce = bth_bytes == 12 and not (IP in ip and (ip.flags == "MF" or ip.frag))
                    has_icmp = IP in ip and not ip.frag and not is_roce
                    copies = self.copies(int(is_roce or has_icmp))
                    self.assertEqual(len(copies), int(is_roce or has_icmp))
                    for copy in copies:
                        isq = self.quencher.origin.source_quench(copy.frame, marked=True, level=0)
                        self.assertEqual(Ether(isq).haslayer(ICMP), int(has_icmp))


class ToldOnceByTwoSwitches(_Roce):
    """Where a switch upstream has told a sender that is known to understand a Fast CNP, there is no mark either."""

    def runTest(self) -> None:
        self.use(IsqConfig(format="fast-cnp", domain=DOMAIN, sender_support="known"))
        for mark_at in ("head", "tail"):
            self.set_profile(**ALWAYS, mark_at=mark_at, once_per_path=True)
            self.send(roce(v6=True, tc=3 << 2 | ECT0))
            (came,) = self.collect(1)
            self.assertEqual((ecn_of(came), self.copies()), (ECT0, []))
