# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0

from finsy import GRPCStatusCode as Code
from finsy.proto import U128, p4r

BIG = (7 << 64) + 3


def test_the_first_controller_becomes_primary_and_learns_its_election_id(client):
    stream = client.stream()
    stream.arbitrate(BIG)
    update = stream.receive("arbitration")
    assert update.device_id == 1
    assert update.status.code == Code.OK
    assert U128.decode(update.election_id) == BIG
    assert not update.HasField("role")


def test_election_ids_compare_as_128_bit_numbers(client):
    low_high_word, high_high_word = client.stream(), client.stream()
    low_high_word.arbitrate((1 << 64) - 1)
    assert low_high_word.receive("arbitration").status.code == Code.OK
    high_high_word.arbitrate(1 << 64)
    assert low_high_word.receive("arbitration").status.code == Code.ALREADY_EXISTS
    assert high_high_word.receive("arbitration").status.code == Code.OK


def test_a_lower_election_id_is_a_backup_and_only_it_gets_an_answer(client):
    primary = client.become_primary(10)
    backup = client.stream()
    backup.arbitrate(5)
    update = backup.receive("arbitration")
    assert update.status.code == Code.ALREADY_EXISTS
    assert U128.decode(update.election_id) == 10
    assert primary.is_silent()


def test_the_loss_of_the_primary_is_announced_and_a_higher_id_takes_over(client):
    primary, backup = client.become_primary(10), client.stream()
    backup.arbitrate(5)
    assert backup.receive("arbitration").status.code == Code.ALREADY_EXISTS
    primary.close()
    update = backup.receive("arbitration")
    assert update.status.code == Code.NOT_FOUND
    assert U128.decode(update.election_id) == 10
    backup.arbitrate(9)
    assert backup.receive("arbitration").status.code == Code.NOT_FOUND
    backup.arbitrate(10)
    assert backup.receive("arbitration").status.code == Code.OK


def test_a_primary_can_step_down(client):
    primary = client.become_primary(10)
    primary.arbitrate(4)
    assert primary.receive("arbitration").status.code == Code.NOT_FOUND
    assert client.code(lambda: client.write(election_id=4)) == Code.PERMISSION_DENIED


def test_an_election_id_in_use_ends_the_stream(client):
    client.become_primary(10)
    other = client.stream()
    other.arbitrate(10)
    assert other.receive_end() == Code.INVALID_ARGUMENT


def test_changing_to_an_election_id_in_use_ends_the_stream(client):
    client.become_primary(10)
    other = client.stream()
    other.arbitrate(9)
    other.receive("arbitration")
    other.arbitrate(10)
    assert other.receive_end() == Code.INVALID_ARGUMENT


def test_without_an_election_id_a_controller_never_becomes_primary(client):
    first, second = client.stream(), client.stream()
    for stream in (first, second):
        stream.arbitrate(None)
        update = stream.receive("arbitration")
        assert update.status.code == Code.NOT_FOUND
        assert not update.HasField("election_id")


def test_election_id_zero_is_an_id(client):
    stream = client.stream()
    stream.arbitrate(0)
    update = stream.receive("arbitration")
    assert update.status.code == Code.OK
    assert update.HasField("election_id")


def test_roles_have_a_primary_each(client, config):
    whole, part = client.stream(), client.stream()
    whole.arbitrate(3)
    assert whole.receive("arbitration").status.code == Code.OK
    part.arbitrate(3, role="part")
    update = part.receive("arbitration")
    assert update.status.code == Code.OK
    assert update.role.name == "part"
    client.set_config(config, election_id=3)
    client.write(election_id=3, role="part")
    assert client.code(lambda: client.write(election_id=3, role="unknown")) == Code.NOT_FOUND
    assert whole.is_silent()


def test_another_device_is_not_found(client):
    stream = client.stream()
    stream.arbitrate(1, device_id=2)
    assert stream.receive_end() == Code.NOT_FOUND


def test_device_and_role_of_a_stream_cannot_change(client):
    for change in ({"device_id": 2}, {"role": "other"}):
        stream = client.stream()
        stream.arbitrate(1)
        stream.receive("arbitration")
        stream.arbitrate(1, **change)
        assert stream.receive_end() == Code.FAILED_PRECONDITION
        stream.close()


def test_writes_need_the_primarys_election_id(client, config):
    assert client.code(client.write) == Code.PERMISSION_DENIED
    client.become_primary(2)
    assert client.code(lambda: client.set_config(config, election_id=1)) == Code.PERMISSION_DENIED
    assert client.code(lambda: client.write(election_id=2)) == Code.FAILED_PRECONDITION
    client.set_config(config, election_id=2)
    client.write(election_id=2)
    unset = p4r.WriteRequest(device_id=1)
    assert client.code(lambda: client.stub.Write(unset)) == Code.PERMISSION_DENIED
    elsewhere = p4r.WriteRequest(device_id=9, election_id=U128.encode(2))
    assert client.code(lambda: client.stub.Write(elsewhere)) == Code.NOT_FOUND


def test_a_broken_stream_frees_its_election_id(client):
    client.become_primary(10).close()
    again = client.stream()
    again.arbitrate(10)
    assert again.receive("arbitration").status.code == Code.OK
