# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""A short campaign against the model, and whether the campaign finds, keeps and shortens what is wrong."""

import secrets

import pytest
from finsy import GRPCStatusCode as Code
from finsy.proto import U128, p4r
from p4runtime_model.campaign import Campaign
from p4runtime_model.configs import ENTITIES, ROOT, all_configs, compiled
from p4runtime_model.draw import Draw
from p4runtime_model.generate import update
from p4runtime_model.minimise import minimise, replay
from p4runtime_model.model import Model
from p4runtime_model.mutate import MUTATORS
from p4runtime_model.player import Disagreement, Player
from p4runtime_model.process import DEVICE_ID
from p4runtime_model.program import read_program
from p4runtime_model.state import initial_state
from p4runtime_model.steps import Step, load, save, step
from p4runtime_model.verdict import Verdict
from p4runtime_model.writes import judge_update

SECONDS = 12
MAX_GROWN_BYTES = 256_000_000


@pytest.fixture(scope="module")
def entities():
    return compiled(ROOT / ENTITIES)


def test_the_switch_and_the_model_agree(tmp_path):
    seed = secrets.randbits(32)
    result = Campaign(seed, all_configs(), ROOT / "build" / "fuzz" / "p4runtime", 300).run(SECONDS)
    assert not result.findings, f"seed {seed}: {result.findings}"
    assert result.counts["updates accepted"] > 100 < result.counts["updates refused"], result
    assert result.counts["batches taken back"] > 10 < result.counts["batches accepted whole"], result
    assert result.peak_bytes - result.idle_bytes < MAX_GROWN_BYTES, result


def opening(config, stream=1):
    """A sequence's first steps: a primary and a program."""
    message = p4r.StreamMessageRequest()
    message.arbitration.device_id = DEVICE_ID
    message.arbitration.election_id.CopyFrom(U128.encode(1))
    commit = p4r.SetForwardingPipelineConfigRequest(
        device_id=DEVICE_ID,
        election_id=U128.encode(1),
        config=config,
        action=p4r.SetForwardingPipelineConfigRequest.VERIFY_AND_COMMIT,
    )
    return [Step("open", stream=stream), step("arbitrate", message, stream), step("config", commit)]


def write(*updates):
    return step("write", p4r.WriteRequest(device_id=DEVICE_ID, election_id=U128.encode(1), updates=updates))


def test_a_sequence_can_be_kept_and_replayed(tmp_path, entities):
    draw, state = Draw(7), initial_state(read_program(entities))
    steps = [*opening(entities), write(*(update(draw, state) for _ in range(30)))]
    save(tmp_path / "kept.json", steps, "a note")
    assert load(tmp_path / "kept.json") == steps
    assert "a note" in (tmp_path / "kept.txt").read_text()
    assert replay(load(tmp_path / "kept.json"), tmp_path) is None


def test_a_state_that_the_model_does_not_have_is_found_and_the_sequence_shortened(entities, server):
    """The switch gets a group from elsewhere, so that it holds more than the model."""
    group = p4r.MulticastGroupEntry(multicast_group_id=5)
    entry = p4r.PacketReplicationEngineEntry(multicast_group_entry=group)
    insert = p4r.Update(type=p4r.Update.INSERT, entity=p4r.Entity(packet_replication_engine_entry=entry))
    everything = p4r.Entity(packet_replication_engine_entry=p4r.PacketReplicationEngineEntry())
    read = step("read", p4r.ReadRequest(device_id=DEVICE_ID, entities=[everything]))
    player = Player(server.address)
    try:
        for one in (*opening(entities), read):
            player.play(one)
        server.p4runtime.device.entities().write(insert)
        with pytest.raises(Disagreement, match="the switch holds 1 entities, the model 0"):
            player.play(read)
        with pytest.raises(Disagreement, match="ALREADY_EXISTS what the model accepts"):
            player.play(write(insert))
    finally:
        player.close()


def test_an_exception_in_the_server_is_a_disagreement(server, monkeypatch):
    def broken(response_type):
        raise RuntimeError(response_type)

    monkeypatch.setattr(server.p4runtime.device, "get_config", broken)
    player = Player(server.address)
    try:
        with pytest.raises(Disagreement, match="refuses with INTERNAL what the model accepts"):
            player.play(step("get_config", p4r.GetForwardingPipelineConfigRequest(device_id=DEVICE_ID)))
    finally:
        player.close()


def test_sequences_are_shortened_to_what_fails():
    updates = [p4r.Update(type=kind) for kind in (0, 1, 2, 3, 2)]
    steps = [Step("open", stream=number) for number in range(1, 9)] + [write(*updates)]

    def fails(fewer):
        writes = [p4r.WriteRequest.FromString(one.message) for one in fewer if one.kind == "write"]
        return any(one.stream == 5 for one in fewer) and any(3 in [u.type for u in w.updates] for w in writes)

    assert minimise(steps, fails, 10) == [Step("open", stream=5), write(p4r.Update(type=3))]


@pytest.mark.parametrize("mutator", sorted(set(MUTATORS), key=lambda mutator: mutator.__name__))
def test_every_mutator_breaks_a_rule_or_changes_nothing(mutator, entities):
    draw, state = Draw(3), initial_state(read_program(entities))
    refused = changed = 0
    for _ in range(600):
        made = update(draw, state)
        before = judge_update(state, made)[0].accepts
        if mutator(draw, made):
            changed += 1
            refused += before and not judge_update(state, made)[0].accepts
    assert changed
    assert refused or mutator.__name__ == "reverse_elements"


def test_every_code_of_a_message_with_several_faults_is_right():
    verdict = Verdict()
    verdict.refuse(Code.NOT_FOUND, "no table")
    verdict.invalid("no priority")
    assert verdict.disagreement(Code.NOT_FOUND) is None
    assert verdict.disagreement(Code.INVALID_ARGUMENT) is None
    assert "the model refuses (NOT_FOUND: no table; INVALID_ARGUMENT: no priority)" in verdict.disagreement(Code.OK)
    open_case = Verdict()
    open_case.may_refuse(Code.INVALID_ARGUMENT, "a section")
    assert open_case.disagreement(Code.OK) is open_case.disagreement(Code.INVALID_ARGUMENT) is None
    assert "refuses with INTERNAL what the model accepts" in open_case.disagreement(Code.INTERNAL)


def test_the_model_needs_a_primary_and_a_config():
    model = Model(DEVICE_ID)
    request = p4r.WriteRequest(device_id=DEVICE_ID, election_id=U128.encode(1))
    assert set(model.judge_write(request).broken) == {Code.PERMISSION_DENIED}
    arbitration = p4r.MasterArbitrationUpdate(device_id=DEVICE_ID, election_id=U128.encode(1))
    verdict, notifications = model.roles.judge(1, arbitration)
    assert verdict.accepts
    assert notifications[1].status.code == Code.OK
    assert set(model.judge_write(request).broken) == {Code.FAILED_PRECONDITION}


def test_only_a_long_write_may_fail_without_the_codes_of_its_updates(entities):
    model = Model(DEVICE_ID)
    model.device.running = initial_state(read_program(entities))
    group = p4r.PacketReplicationEngineEntry(multicast_group_entry=p4r.MulticastGroupEntry(multicast_group_id=5))
    insert = p4r.Update(type=p4r.Update.INSERT, entity=p4r.Entity(packet_replication_engine_entry=group))
    assert "no codes for 2 updates" in model.follow_updates(p4r.WriteRequest(updates=[insert] * 2))
    assert model.follow_updates(p4r.WriteRequest(updates=[insert] * 600)) is None
    assert list(model.device.running.multicast_groups) == [5]
