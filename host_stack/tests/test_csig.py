# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: 2026 The Quench Authors
"""CSIG between two hosts: tags in front of IP, their return in ACKs, and what is known of the path then."""

from __future__ import annotations

import hashlib
import random
import socket
import threading
from dataclasses import replace

import pytest
from hostlab.csig import (
    BANDWIDTH,
    BEST,
    DELAY,
    OFFER,
    Tag,
    answers_of,
    enable,
    one_packet_at_a_time,
    returned,
    rewrite,
    tag_of,
    wait_for,
)
from hostlab.hosts import LEFT, RIGHT, NewNamespace, Pair, counters, quench_host, status
from hostlab.mecn import handshake
from hostlab.netns import Namespace, connect
from hostlab.packets import SYN, checksums_ok, split_tag
from hostlab.transfer import Transfer

FORMS = ["compact", "wide"]
MTU_FRAME_BYTES = 1514


@pytest.mark.parametrize(("form", "passive"), [("compact", False), ("wide", True)])
def test_data_has_tags_and_acks_return_them(pair: Pair, form: str, passive: bool) -> None:
    enable(pair, form)
    transfer = pair.transfer(passive=passive)
    wait_for(pair.sender, "csig_reported", 100)
    assert all(s.options.endswith(OFFER) for s in handshake(pair))
    data = [s for s in pair.wire.sent if s.payload_bytes]
    tags = [tag for s in data if (tag := tag_of(s, form))]
    # The first packet asks alone, then all do, for the delay and for the bandwidth in turn, with the best number.
    assert [bool(s.tag) for s in data[:5]] == [True, False, False, False, False]
    assert all(s.tag for s in data[-100:])
    assert [t.about for t in tags[:6]] == [DELAY, BANDWIDTH] * 3
    assert all(t == Tag(t.about, BEST[form, t.about]) for t in tags)
    answers = [tag for s in pair.wire.answered if (tag := returned(s, form))]
    assert {t.about for t in answers} == {DELAY, BANDWIDTH}
    assert set(answers) <= set(tags)
    # Nothing but data has a tag, and every packet has its place within the MTU.
    assert not any(s.tag for s in pair.wire.sent + pair.wire.answered if not s.payload_bytes)
    assert max(len(s.frame) for s in data) == MTU_FRAME_BYTES
    assert all(checksums_ok(split_tag(s.frame)[1]) for s in pair.wire.sent + pair.wire.answered)
    count = counters(pair.receiver)
    assert "csig_unknown" not in count
    assert transfer.received_bytes


@pytest.mark.parametrize("form", FORMS)
def test_what_a_switch_writes_comes_back(pair: Pair, form: str) -> None:
    """A bandwidth of 3 from the bottleneck 5, and a delay of 17."""
    worst = {BANDWIDTH: 3, DELAY: 17}
    pair.wire.always = rewrite(form, lambda tag: replace(tag, number=worst[tag.about], locator=5))
    enable(pair, form)
    pair.transfer()
    wait_for(pair.sender, "csig_reported", 20)
    assert status(pair.sender)["csig"] == {
        "delay": {"number": 17, "locator": 5},
        "bandwidth": {"number": 3, "locator": 5},
    }
    answers = {tag for s in pair.wire.answered if (tag := returned(s, form))}
    assert answers == {Tag(DELAY, 17, 5), Tag(BANDWIDTH, 3, 5)}
    assert status(pair.receiver)["csig"] == {"delay": None, "bandwidth": None}
    text = quench_host(pair.sender, "status").stdout
    assert "csig    delay 17, by 5" in text
    assert "csig    bandwidth 3, by 5" in text


@pytest.mark.parametrize("passive", [False, True])
def test_a_peer_without_csig_gets_no_tags(pair: Pair, passive: bool) -> None:
    enable(pair, "compact", receiver=False)
    pair.transfer(passive=passive)
    syn, syn_ack = handshake(pair)
    assert (OFFER in syn.options, OFFER in syn_ack.options) == (not passive, False)
    segments = pair.wire.sent + pair.wire.answered
    assert not any(s.tag for s in segments)
    assert not any(OFFER[2:] in s.options for s in segments if not s.flags & SYN)
    assert not any(name.startswith("csig") for name in counters(pair.sender))


def test_both_directions_have_tags_and_return_them(pair: Pair) -> None:
    """The data of one direction returns the tags of the other, and stays within the MTU."""
    enable(pair, "wide")
    transfer = pair.transfer()
    wait_for(pair.sender, "csig_reported", 10)
    transfer.talk_back(100_000)
    wait_for(pair.receiver, "csig_reported", 5)
    both = [s for s in pair.wire.answered if s.payload_bytes and s.tag and returned(s, "wide")]
    assert both
    frames = [s.frame for s in pair.wire.sent + pair.wire.answered]
    assert max(map(len, frames)) == MTU_FRAME_BYTES
    assert all(checksums_ok(split_tag(f)[1]) for f in frames)


def test_ipv6(pair: Pair) -> None:
    for end, device, address in ((pair.sender, "h0", "fd00::1"), (pair.receiver, "h1", "fd00::2")):
        end.run("sysctl", "-qw", f"net.ipv6.conf.{device}.disable_ipv6=0")
        end.run("ip", "address", "add", f"{address}/64", "dev", device, "nodad")
    enable(pair, "compact")
    transfer = Transfer(pair.sender, pair.receiver, "fd00::2", 4999)
    wait_for(pair.sender, "csig_reported", 20)
    transfer.close()
    tagged = [s for s in pair.wire.sent if s.tag]
    assert all(split_tag(s.frame)[1][12:14] == b"\x86\xdd" for s in tagged)
    assert all(checksums_ok(split_tag(s.frame)[1]) for s in tagged)
    assert counters(pair.receiver)["csig_negotiated"] == 1


def exchange(left: Namespace, right: Namespace, sent: bytes) -> tuple[bytes, bytes]:
    """Send the bytes from left to right and back, over one connection. Returns the digests of what arrived.

    Small packets come first, which nothing joins to long ones.
    """
    digests: dict[str, bytes] = {}

    def receive(name: str, sock: socket.socket) -> None:
        digest, left_bytes = hashlib.sha256(), len(sent)
        while left_bytes and (data := sock.recv(1 << 18)):
            digest.update(data)
            left_bytes -= len(data)
        digests[name] = digest.digest()

    with right.inside():
        listener = socket.create_server((RIGHT, 4999))
    with left.inside():
        near = socket.create_connection((RIGHT, 4999), timeout=20)
    with listener, near, listener.accept()[0] as far:
        far.settimeout(20)
        for _ in range(10):
            for source, sink in ((near, far), (far, near)):
                source.sendall(b"x")
                assert sink.recv(1) == b"x"
        threads = [threading.Thread(target=receive, args=end) for end in (("near", near), ("far", far))]
        threads += [threading.Thread(target=sock.sendall, args=(sent,)) for sock in (near, far)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    return digests["near"], digests["far"]


@pytest.mark.parametrize("offloads", ["off", "on"])
def test_the_payload_stays_intact(new_namespace: NewNamespace, offloads: str) -> None:
    """Both directions have tags. With offloads the device computes checksums, and long packets have no tag."""
    left, right = new_namespace(), new_namespace()
    connect(left, "h0", right, "h1")
    for ns, device, address in ((left, "h0", LEFT), (right, "h1", RIGHT)):
        ns.run("ip", "address", "add", f"{address}/24", "dev", device)
        if offloads == "on":
            ns.run("ethtool", "-K", device, "rx", "on", "tx", "on", "sg", "on", "tso", "on", "gso", "on", "gro", "on")
        else:
            one_packet_at_a_time(ns, device)
        quench_host(ns, "enable", "--algo", "ecn", "--dev", device, "--csig", "wide")
    sent = random.Random(1).randbytes(8_000_000)
    digest = hashlib.sha256(sent).digest()
    assert exchange(left, right, sent) == (digest, digest)
    for ns in (left, right):
        names, values = (line.split() for line in ns.run("grep", "^Tcp:", "/proc/net/snmp").stdout.splitlines())
        errors = dict(zip(names, values, strict=True))
        assert (errors["InErrs"], errors["InCsumErrors"]) == ("0", "0")
        count = counters(ns)
        assert count["csig_received"]
        assert count["csig_reported"]
        assert ("csig_super_packets" in count) == (offloads == "on")


def test_other_connections_are_left_alone(pair: Pair, new_namespace: NewNamespace) -> None:
    """These are of other namespaces, and of this one over another device."""
    left, right = new_namespace(), new_namespace()
    enable(pair, "compact")
    pair.transfer()
    connect(left, "h0", right, "h1")
    for ns, device, address in ((left, "h0", LEFT), (right, "h1", RIGHT)):
        ns.run("ip", "address", "add", f"{address}/24", "dev", device)
    connect(pair.sender, "d0", left, "d1")
    pair.sender.run("ip", "address", "add", "10.8.0.1/24", "dev", "d0")
    left.run("ip", "address", "add", "10.8.0.2/24", "dev", "d1")
    for ends, device, address in (((left, right), "h1", RIGHT), ((pair.sender, left), "d1", "10.8.0.2")):
        with ends[1].inside(), socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3)) as tap:
            tap.bind((device, 0))
            tap.settimeout(0.2)
            transfer = Transfer(*ends, address, 4998)
            frames = [tap.recv(65536) for _ in range(200)]
            transfer.close()
        tcp = [f for f in frames if f[12:14] == b"\x08\x00"]
        assert len(tcp) > 100
        assert not any(OFFER[2:] in f[:74] for f in tcp)
    assert counters(pair.sender)["csig_negotiated"] == 1


def test_a_program_reads_the_answers_of_its_own_connection(pair: Pair) -> None:
    pair.wire.always = rewrite("wide", lambda tag: replace(tag, number=100 + tag.about, locator=0xFFFF))
    enable(pair, "wide")
    first = pair.transfer()
    wait_for(pair.sender, "csig_reported", 20)
    assert answers_of(first.socket) == (100 + DELAY, 100 + BANDWIDTH)
    pair.wire.always = rewrite("wide", lambda tag: replace(tag, number=0xFFFFF))
    first.pause()
    second = pair.transfer()
    wait_for(pair.sender, "csig_negotiated", 2)
    wait_for(pair.sender, "csig_reported", counters(pair.sender)["csig_reported"] + 50)
    assert answers_of(second.socket) == (0xFFFFF, 0xFFFFF)
    assert status(pair.sender)["csig"]["delay"]["number"] == 0xFFFFF
