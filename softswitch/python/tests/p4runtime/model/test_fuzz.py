# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Random requests: each gets an answer with a code that blames the request, and the switch goes on."""

import grpc
import pytest
from finsy import GRPCStatusCode as Code
from finsy.proto import U128, p4d, p4r
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

SETTINGS = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
REFUSALS = {
    Code.OK,
    Code.INVALID_ARGUMENT,
    Code.NOT_FOUND,
    Code.ALREADY_EXISTS,
    Code.OUT_OF_RANGE,
    Code.PERMISSION_DENIED,
    Code.RESOURCE_EXHAUSTED,
    Code.FAILED_PRECONDITION,
    Code.UNIMPLEMENTED,
}

raw = st.binary(max_size=20)
int32 = st.one_of(st.integers(-2, 3), st.sampled_from([-(2**31), 2**31 - 1, 511, 512]))
int64 = st.one_of(st.integers(-2, 9), st.sampled_from([-(2**63), 2**63 - 1]))
uint32 = st.one_of(st.integers(0, 9), st.sampled_from([2**32 - 1, 65535, 65536]))


def ids(names, kinds):
    known = [item.preamble.id for kind in kinds for item in getattr(names.info, kind)]
    return st.one_of(st.sampled_from(known), uint32)


def field_matches():
    match = p4r.FieldMatch
    field_id = st.integers(0, 5)
    return st.lists(
        st.one_of(
            st.builds(match, field_id=field_id),
            st.builds(match, field_id=field_id, exact=st.builds(match.Exact, value=raw)),
            st.builds(match, field_id=field_id, lpm=st.builds(match.LPM, value=raw, prefix_len=int32)),
            st.builds(match, field_id=field_id, ternary=st.builds(match.Ternary, value=raw, mask=raw)),
            st.builds(match, field_id=field_id, range=st.builds(match.Range, low=raw, high=raw)),
            st.builds(match, field_id=field_id, optional=st.builds(match.Optional, value=raw)),
        ),
        max_size=4,
    )


def entities(names):
    action = st.builds(
        p4r.Action,
        action_id=ids(names, ["actions"]),
        params=st.lists(st.builds(p4r.Action.Param, param_id=st.integers(0, 2), value=raw), max_size=2),
    )
    oneshot = st.builds(
        p4r.ActionProfileActionSet,
        action_profile_actions=st.lists(
            st.builds(p4r.ActionProfileAction, action=action, weight=int32, watch_port=raw), max_size=3
        ),
    )
    table_action = st.one_of(
        st.builds(p4r.TableAction, action=action),
        st.builds(p4r.TableAction, action_profile_member_id=uint32),
        st.builds(p4r.TableAction, action_profile_group_id=uint32),
        st.builds(p4r.TableAction, action_profile_action_set=oneshot),
        st.builds(p4r.TableAction),
    )
    counter = st.builds(p4r.CounterData, byte_count=int64, packet_count=int64)
    rates = st.builds(p4r.MeterConfig, cir=int64, cburst=int64, pir=int64, pburst=int64)
    index = st.builds(p4r.Index, index=int64)
    maybe = st.none
    table_entry = st.builds(
        p4r.TableEntry,
        table_id=ids(names, ["tables"]),
        match=field_matches(),
        action=st.one_of(maybe(), table_action),
        priority=int32,
        meter_config=st.one_of(maybe(), rates),
        counter_data=st.one_of(maybe(), counter),
        is_default_action=st.booleans(),
        idle_timeout_ns=int64,
        metadata=raw,
        controller_metadata=uint32,
    )
    replicas = st.lists(
        st.one_of(st.builds(p4r.Replica, port=raw, instance=uint32), st.builds(p4r.Replica, egress_port=uint32)),
        max_size=3,
    )
    profile_id = ids(names, ["action_profiles"])
    return st.one_of(
        st.builds(p4r.Entity),
        st.builds(p4r.Entity, table_entry=table_entry),
        st.builds(
            p4r.Entity, direct_counter_entry=st.builds(p4r.DirectCounterEntry, table_entry=table_entry, data=counter)
        ),
        st.builds(
            p4r.Entity, direct_meter_entry=st.builds(p4r.DirectMeterEntry, table_entry=table_entry, config=rates)
        ),
        st.builds(
            p4r.Entity,
            action_profile_member=st.builds(
                p4r.ActionProfileMember, action_profile_id=profile_id, member_id=uint32, action=action
            ),
        ),
        st.builds(
            p4r.Entity,
            action_profile_group=st.builds(
                p4r.ActionProfileGroup,
                action_profile_id=profile_id,
                group_id=uint32,
                max_size=int32,
                members=st.lists(
                    st.builds(p4r.ActionProfileGroup.Member, member_id=uint32, weight=int32, watch=int32), max_size=3
                ),
            ),
        ),
        st.builds(
            p4r.Entity,
            counter_entry=st.builds(
                p4r.CounterEntry, counter_id=ids(names, ["counters"]), index=st.one_of(maybe(), index), data=counter
            ),
        ),
        st.builds(
            p4r.Entity,
            meter_entry=st.builds(
                p4r.MeterEntry, meter_id=ids(names, ["meters"]), index=st.one_of(maybe(), index), config=rates
            ),
        ),
        st.builds(
            p4r.Entity,
            register_entry=st.builds(
                p4r.RegisterEntry,
                register_id=ids(names, ["registers"]),
                index=st.one_of(maybe(), index),
                data=st.builds(p4d.P4Data, bitstring=raw),
            ),
        ),
        st.builds(
            p4r.Entity,
            value_set_entry=st.builds(
                p4r.ValueSetEntry,
                value_set_id=ids(names, ["value_sets"]),
                members=st.lists(st.builds(p4r.ValueSetMember, match=field_matches()), max_size=3),
            ),
        ),
        st.builds(
            p4r.Entity,
            packet_replication_engine_entry=st.one_of(
                st.builds(
                    p4r.PacketReplicationEngineEntry,
                    multicast_group_entry=st.builds(
                        p4r.MulticastGroupEntry, multicast_group_id=uint32, replicas=replicas
                    ),
                ),
                st.builds(
                    p4r.PacketReplicationEngineEntry,
                    clone_session_entry=st.builds(
                        p4r.CloneSessionEntry,
                        session_id=uint32,
                        replicas=replicas,
                        class_of_service=uint32,
                        packet_length_bytes=int32,
                    ),
                ),
            ),
        ),
        st.builds(
            p4r.Entity,
            digest_entry=st.builds(
                p4r.DigestEntry,
                digest_id=ids(names, ["digests"]),
                config=st.builds(
                    p4r.DigestEntry.Config, max_timeout_ns=int64, max_list_size=int32, ack_timeout_ns=int64
                ),
            ),
        ),
    )


@SETTINGS
@given(data=st.data())
def test_any_write_is_answered_and_leaves_a_state_that_can_be_read(primary, names, data):
    updates = data.draw(
        st.lists(st.builds(p4r.Update, type=st.integers(0, 3), entity=entities(names)), min_size=1, max_size=12)
    )
    assert set(primary.try_write(*updates)) <= REFUSALS
    everything = [
        p4r.Entity(table_entry=p4r.TableEntry()),
        p4r.Entity(table_entry=p4r.TableEntry(is_default_action=True)),
        p4r.Entity(action_profile_member=p4r.ActionProfileMember()),
        p4r.Entity(action_profile_group=p4r.ActionProfileGroup()),
        p4r.Entity(packet_replication_engine_entry=p4r.PacketReplicationEngineEntry()),
        p4r.Entity(register_entry=p4r.RegisterEntry()),
        p4r.Entity(value_set_entry=p4r.ValueSetEntry()),
    ]
    assert list(primary.stub.Read(p4r.ReadRequest(device_id=1, entities=everything)))


@SETTINGS
@given(data=st.data())
def test_any_read_is_answered(primary, names, data):
    request = p4r.ReadRequest(device_id=1, entities=data.draw(st.lists(entities(names), max_size=5)))
    try:
        list(primary.stub.Read(request))
    except grpc.RpcError as error:
        assert Code.from_status_code(error.code()) in REFUSALS


@SETTINGS
@given(noise=st.binary(max_size=300), method=st.sampled_from(["Write", "Read", "SetForwardingPipelineConfig"]))
def test_bytes_that_are_no_message_end_one_call_only(primary, noise, method):
    path = f"/p4.v1.P4Runtime/{method}"
    make = primary._channel.unary_stream if method == "Read" else primary._channel.unary_unary
    try:
        answer = make(path)(noise)
        if method == "Read":
            list(answer)
    except grpc.RpcError as error:
        assert error.code() not in (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED)
    primary.stub.Capabilities(p4r.CapabilitiesRequest(), timeout=20)


@SETTINGS
@given(noise=st.binary(min_size=1, max_size=300))
def test_bytes_that_are_no_stream_message_end_that_stream_only(client, noise):
    noisy = client._channel.stream_stream("/p4.v1.P4Runtime/StreamChannel")(iter([noise]))
    try:
        list(noisy)
    except grpc.RpcError as error:
        assert error.code() in (grpc.StatusCode.INVALID_ARGUMENT, grpc.StatusCode.NOT_FOUND)
    client.stub.Capabilities(p4r.CapabilitiesRequest(), timeout=20)


@SETTINGS
@given(place=st.integers(0, 10**6), value=st.integers(0, 255))
def test_a_corrupted_config_is_refused_or_runs(primary, config, place, value):
    spoiled = p4r.ForwardingPipelineConfig()
    spoiled.CopyFrom(config)
    program = bytearray(config.p4_device_config)
    program[place % len(program)] = value
    spoiled.p4_device_config = bytes(program)
    try:
        primary.set_config(spoiled, p4r.SetForwardingPipelineConfigRequest.VERIFY)
    except grpc.RpcError as error:
        assert error.code() == grpc.StatusCode.INVALID_ARGUMENT, error


@pytest.mark.parametrize("size", [1, 50, 130])
def test_a_large_batch_reports_every_update(primary, names, size):
    update = p4r.Update(type=p4r.Update.INSERT, entity=p4r.Entity(table_entry=p4r.TableEntry(table_id=99)))
    assert primary.try_write(*[update] * size) == [Code.NOT_FOUND] * size


def test_the_election_id_of_a_request_may_be_anything(primary):
    for number in (0, 2, 2**128 - 1):
        request = p4r.WriteRequest(device_id=1, election_id=U128.encode(number))
        assert primary.code(lambda request=request: primary.stub.Write(request)) == Code.PERMISSION_DENIED
