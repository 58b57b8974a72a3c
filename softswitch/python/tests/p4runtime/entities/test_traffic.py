# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Entries that P4Runtime wrote change packets, and packets change the counters that it reads."""

import time

import pytest
from finsy.proto import p4r

ETHERNET = bytes.fromhex("020000000001020000000002")
IPV4 = bytes.fromhex("4500001400000000401100000a0000010a000002")
PLAIN = ETHERNET + b"\x12\x34" + bytes(46)
ROUTED = ETHERNET + b"\x08\x00" + IPV4 + bytes(26)
CPU = b"\x01\xfe"
I2E_CLONE, REPLICA = 1, 5
"""``instance_type`` of simple_switch, which the program reports as the reason."""


@pytest.fixture
def stream(client, config):
    stream = client.become_primary()
    client.set_config(config)
    return stream


@pytest.fixture
def send(stream):
    """Sends a packet through the pipeline."""

    def send(frame):
        metadata = [p4r.PacketMetadata(metadata_id=1, value=b"\0")]
        stream.send(p4r.StreamMessageRequest(packet=p4r.PacketOut(payload=frame, metadata=metadata)))

    return send


def reason(packet):
    (value,) = [item.value for item in packet.metadata if item.metadata_id == 2]
    return value[0]


def wait_until(condition):
    deadline = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def to_cpu(names, match, **fields):
    key = match.exact(b"\x02\0\0\0\0\1")
    return names.entry("exact_table", key, action=names.action("forward_metered", CPU), **fields)


def test_an_entry_forwards_and_its_counter_counts(client, stream, send, names, match):
    client.insert(table_entry=to_cpu(names, match))
    for _ in range(3):
        send(PLAIN)
        assert stream.receive("packet").payload == PLAIN
    (entry,) = client.read(table_entry=p4r.TableEntry(table_id=names.id("exact_table"), counter_data=p4r.CounterData()))
    assert entry.counter_data.packet_count == 3
    index = p4r.Index(index=2)
    (counter,) = client.read(counter_entry=p4r.CounterEntry(counter_id=names.id("port_counter"), index=index))
    assert counter.data.packet_count == 3
    assert counter.data.byte_count >= 3 * len(PLAIN)
    register = p4r.RegisterEntry(register_id=names.id("averages"), index=p4r.Index(index=0))
    (cell,) = client.read(register_entry=register)
    assert int.from_bytes(cell.data.bitstring, "big") == counter.data.byte_count // 3


def test_the_default_entry_drops_until_it_is_changed(client, stream, send, names):
    send(PLAIN)
    assert stream.is_silent()
    default = names.entry("exact_table", is_default_action=True, action=names.action("forward_metered", CPU))
    client.modify(table_entry=default)
    send(PLAIN)
    assert stream.receive("packet").payload == PLAIN


def test_multicast_makes_one_packet_for_each_replica(client, stream, send, names, match):
    group = p4r.MulticastGroupEntry(multicast_group_id=9)
    for instance in (1, 2, 3):
        group.replicas.add(port=CPU, instance=instance)
    client.insert(packet_replication_engine_entry=p4r.PacketReplicationEngineEntry(multicast_group_entry=group))
    route = names.entry("lpm_table", match.lpm(b"\x0a\0\0\0", 8), action=names.action("multicast", b"\x09"))
    client.insert(table_entry=route)
    send(ROUTED)
    for _ in range(3):
        packet = stream.receive("packet")
        assert (packet.payload, reason(packet)) == (ROUTED, REPLICA)
    assert stream.is_silent()


def test_a_clone_session_truncates(client, stream, send, names, match):
    session = p4r.CloneSessionEntry(session_id=7, packet_length_bytes=34)
    session.replicas.add(port=CPU, instance=1)
    client.insert(packet_replication_engine_entry=p4r.PacketReplicationEngineEntry(clone_session_entry=session))
    rule = names.entry(
        "ternary_table",
        match.optional(b"\x11", 2),
        match.range(b"\x20", b"\x50", 3),
        match.exact(CPU, 4),
        action=names.action("copy_to_cpu"),
        priority=1,
    )
    client.insert(table_entry=rule)
    send(ROUTED)
    packet = stream.receive("packet")
    assert reason(packet) == I2E_CLONE
    # The clone starts as the packet did: with the packet_out header that the pipeline took off.
    # Truncation is of the packet as it leaves, its packet_in header of 2 bytes included.
    assert packet.payload == (b"\0\0" + ROUTED)[:32]
    assert stream.is_silent()


def test_a_value_set_extends_the_parser(client, stream, send, names, match):
    route = names.entry("lpm_table", match.lpm(b"\x0a\0\0\2", 32), action=names.action("forward", CPU))
    client.insert(table_entry=route)
    custom = ETHERNET + b"\x88\xb5" + IPV4
    send(custom)
    assert stream.is_silent()
    members = [p4r.ValueSetMember(match=[match.exact(b"\x88\xb5")])]
    client.modify(value_set_entry=p4r.ValueSetEntry(value_set_id=names.id("ip_types"), members=members))
    send(custom)
    assert stream.receive("packet").payload == custom


def arrived_at(stream):
    """The number of packet-ins, once no more come."""
    time.sleep(0.3)
    arrived = 0
    while not stream.is_silent(0.05):
        arrived += 1
    return arrived


def test_a_oneshot_set_spreads_packets_by_weight(client, stream, send, names, match):
    entry = names.entry("selected_table", match.exact(b"\x12\x34"))
    for port, weight in ((CPU, 1), (b"\3", 1)):
        entry.action.action_profile_action_set.action_profile_actions.add(
            action=names.action("forward", port), weight=weight
        )
    client.insert(table_entry=entry)
    for source in range(64):
        send(PLAIN[:11] + bytes([source]) + PLAIN[12:])
    assert 16 <= arrived_at(stream) <= 48


def test_a_meter_counts_its_colours(client, stream, send, names, match):
    """``MeterCounterData``: counted from the entry's first packet on, set to 0 only."""
    rates = p4r.MeterConfig(cir=1, cburst=2, pir=1, pburst=3)
    client.insert(table_entry=to_cpu(names, match, meter_config=rates))
    key = p4r.TableEntry(table_id=names.id("exact_table"), meter_counter_data=p4r.MeterCounterData())
    default = p4r.TableEntry(table_id=names.id("exact_table"), is_default_action=True)

    def packets():
        (entry,) = client.read(table_entry=key)
        counts = entry.meter_counter_data
        assert counts.HasField("green")
        (meter,) = client.read(
            direct_meter_entry=p4r.DirectMeterEntry(table_entry=key, counter_data=p4r.MeterCounterData())
        )
        assert meter.counter_data == counts
        return [color.packet_count for color in (counts.green, counts.yellow, counts.red)]

    assert packets() == [0, 0, 0]
    for _ in range(5):
        send(PLAIN)
        stream.receive("packet")
    green, yellow, red = packets()
    assert min(green - 1, yellow, red) >= 1
    assert green + yellow + red == 5
    client.modify(table_entry=to_cpu(names, match))
    assert sum(packets()) == 5
    client.modify(table_entry=to_cpu(names, match, meter_counter_data=p4r.MeterCounterData()))
    assert packets() == [0, 0, 0]
    # The default entry has a meter of its own.
    client.delete(table_entry=to_cpu(names, match))
    client.modify(direct_meter_entry=p4r.DirectMeterEntry(table_entry=default, config=rates))
    for _ in range(5):
        send(PLAIN)
    wanted = p4r.DirectMeterEntry(table_entry=default, counter_data=p4r.MeterCounterData())

    def read():
        (meter,) = client.read(direct_meter_entry=wanted)
        counts = meter.counter_data
        return meter.config, [color.packet_count for color in (counts.green, counts.yellow, counts.red)]

    wait_until(lambda: sum(read()[1]) == 5)
    assert read()[0] == rates
    client.modify(direct_meter_entry=wanted)
    assert read() == (p4r.MeterConfig(), [0, 0, 0])


def test_an_indexed_meter_counts_its_colours(client, stream, send, names):
    meter = p4r.MeterEntry(meter_id=names.id("port_meter"), index=p4r.Index(index=2))
    meter.counter_data.SetInParent()
    send(PLAIN)

    def counts():
        (read,) = client.read(meter_entry=meter)
        return read.counter_data.green

    wait_until(lambda: counts().packet_count == 1)
    assert counts().byte_count >= len(PLAIN)
    client.modify(meter_entry=meter)
    assert counts() == p4r.CounterData()
    (plain,) = client.read(meter_entry=p4r.MeterEntry(meter_id=meter.meter_id, index=meter.index))
    assert not plain.HasField("counter_data")


def test_a_random_set_draws_for_each_packet(client, stream, send, names, match):
    """The frames are all the same, so a hash would select one port for all of them."""
    entry = names.entry("selected_table", match.exact(b"\x12\x34"))
    chosen = entry.action.action_profile_action_set
    chosen.action_selection_mode = p4r.ActionProfileActionSet.RANDOM
    for port in (CPU, b"\3"):
        chosen.action_profile_actions.add(action=names.action("forward", port), weight=1)
    client.insert(table_entry=entry)
    for _ in range(64):
        send(PLAIN)
    assert 12 <= arrived_at(stream) <= 52


def test_a_meter_colours_what_exceeds_it(client, stream, send, names, match):
    rates = p4r.MeterConfig(cir=1, cburst=2, pir=1, pburst=2)
    client.insert(table_entry=to_cpu(names, match, meter_config=rates))
    for _ in range(4):
        send(PLAIN)
        stream.receive("packet")
    (meter,) = client.read(
        direct_meter_entry=p4r.DirectMeterEntry(table_entry=p4r.TableEntry(table_id=names.id("exact_table")))
    )
    assert meter.config == rates


def test_digests_are_streamed_once_until_they_are_acknowledged(client, stream, send, names):
    digest_id = names.id("learned_t")
    entry = p4r.DigestEntry(digest_id=digest_id)
    entry.config.max_list_size = 1
    entry.config.ack_timeout_ns = 60_000_000_000
    client.insert(digest_entry=entry)
    send(PLAIN)
    digest = stream.receive("digest")
    assert digest.digest_id == digest_id
    (learned,) = digest.data
    assert [member.bitstring for member in learned.struct.members] == [b"\x02\0\0\0\0\2", CPU]
    assert digest.timestamp > 1_600_000_000_000_000_000
    send(PLAIN)
    assert stream.is_silent()
    ack = p4r.DigestListAck(digest_id=digest_id, list_id=digest.list_id)
    stream.send(p4r.StreamMessageRequest(digest_ack=ack))
    time.sleep(0.1)
    send(PLAIN)
    assert stream.receive("digest").list_id > digest.list_id


def test_a_hit_puts_the_idle_timeout_off(client, stream, send, names, match):
    entry = names.entry(
        "idle_table", match.exact(b"\x02\0\0\0\0\2"), action=names.action("NoAction"), idle_timeout_ns=600_000_000
    )
    client.insert(table_entry=entry)
    started = time.monotonic()
    for _ in range(5):
        time.sleep(0.2)
        send(PLAIN)
    stream.receive("idle_timeout_notification")
    assert time.monotonic() - started > 1.0


def test_time_since_the_last_hit(client, stream, send, names, match):
    entry = names.entry("idle_table", match.exact(b"\x02\0\0\0\0\2"), action=names.action("NoAction"))
    client.insert(table_entry=entry)
    request = p4r.TableEntry(table_id=names.id("idle_table"), time_since_last_hit=p4r.TableEntry.IdleTimeout())
    time.sleep(0.3)
    send(PLAIN)

    def elapsed_ns():
        (read,) = client.read(table_entry=request)
        return read.time_since_last_hit.elapsed_ns

    wait_until(lambda: elapsed_ns() < 250_000_000)
