# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""The clients' next step: a random walk that depends on the model's state."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from finsy.proto import U128, p4r
from google.protobuf.message import DecodeError

from .configs import Config, broken, damaged
from .draw import Draw
from .generate import reads, update
from .huge import huge_updates
from .model import ATOMICITIES, Model
from .mutate import mutate
from .process import DEVICE_ID
from .render import digest_message
from .state import State
from .steps import MESSAGES, Step, step

Get = p4r.GetForwardingPipelineConfigRequest
Set = p4r.SetForwardingPipelineConfigRequest
MAX_STREAMS = 6
MAX_ELECTION_ID = (1 << 128) - 1
READ_BACK_EVERY = 40
"""Messages between two comparisons of all entities."""
LARGE_CELLS = 2000
"""Programs with more cells than this have them all read only at the end of a round."""
ROLES = ("", "", "", "east", "west")


class Plan:
    """A round: streams, a program, messages, and packets at its end."""

    def __init__(self, draw: Draw, model: Model, configs: Sequence[Config], number: int) -> None:
        self._draw = draw
        self._model = model
        self._configs = configs
        self._next_stream = number * 1_000 + 1
        self._primary = 0
        self._streams: dict[int, str] = {}

    def steps(self, messages: int) -> Iterator[Step]:
        """The steps of a round. Each has to be played before the next one is taken."""
        draw = self._draw
        yield from self._open("")
        self._primary = next(iter(self._streams))
        yield self._config_step(Set.VERIFY_AND_COMMIT, draw.choice(self._configs))
        for place in range(messages):
            yield from self._any()
            if place % READ_BACK_EVERY == 0:
                yield self._read_back(everything=False)
        yield self._read_back(everything=True)
        yield from self._packets(messages // 20)
        yield self._read_back(everything=False)
        yield from self.closing()

    def closing(self) -> Iterator[Step]:
        """The end of a round, also of one that is cut short."""
        for stream in list(self._model.roles.role_of):
            yield Step("close", stream=stream)

    def _any(self) -> Iterator[Step]:
        way = self._draw.random()
        if way < 0.002:
            yield self._huge_write()
        elif way < 0.70:
            yield self._write()
        elif way < 0.90:
            yield self._read()
        elif way < 0.94:
            yield from self._arbitration()
        elif way < 0.96:
            yield from self._refused_message()
        elif way < 0.98:
            yield from self._noise()
        elif way < 0.99:
            yield self._get_config()
        else:
            yield from self._config()

    # -- Entities -----------------------------------------------------------------------------------------

    def _state(self) -> State:
        state = self._model.device.target
        assert state is not None, "a round begins with a config"
        return state

    def _write(self) -> Step:
        draw = self._draw
        request = p4r.WriteRequest(device_id=DEVICE_ID)
        self._sign(request)
        is_whole = draw.chance(0.3)
        if is_whole:
            request.atomicity = draw.choice(ATOMICITIES[1:])
        for _ in range(draw.choice([1, 1, 1, 2, 3, 6, 20]) if draw.chance(0.98) else 0):
            made = update(draw, self._state())
            if draw.chance(0.05 if is_whole else 0.45):
                mutate(draw, made)
            request.updates.append(made)
        if draw.chance(0.03):
            mutate(draw, request)
        return step("write", request)

    def _huge_write(self) -> Step:
        request = p4r.WriteRequest(device_id=DEVICE_ID, updates=huge_updates(self._draw, self._state()))
        self._sign(request)
        return step("write", request)

    def _sign(self, request: p4r.WriteRequest | Set) -> None:
        """Sign a request as the primary of some role, in most cases."""
        draw = self._draw
        roles = self._model.roles.roles
        name = draw.choice([name for name, role in roles.items() if role.primary is not None] or [""])
        request.role = name
        highest = roles[name].highest if name in roles else None
        other = draw.choice([-1, 1]) if draw.chance(0.02) else 0
        request.election_id.CopyFrom(U128.encode(min(max((highest or 0) + other, 0), MAX_ELECTION_ID)))
        if draw.chance(0.01):
            request.ClearField("election_id")
        if draw.chance(0.01):
            request.role = "nobody"

    def _read(self) -> Step:
        draw = self._draw
        request = p4r.ReadRequest(device_id=DEVICE_ID)
        for _ in range(draw.choice([1, 1, 2, 4])):
            wanted = reads(draw, self._state())
            if draw.chance(0.3):
                mutate(draw, wanted)
            request.entities.append(wanted)
        if draw.chance(0.03):
            mutate(draw, request)
        return step("read", request)

    def _read_back(self, everything: bool) -> Step:
        state = self._state()
        counted, default = p4r.TableEntry(), p4r.TableEntry(is_default_action=True)
        for entry in (counted, default):
            entry.counter_data.SetInParent()
            entry.meter_config.SetInParent()
        entities = [
            p4r.Entity(table_entry=counted),
            p4r.Entity(table_entry=default),
            p4r.Entity(direct_counter_entry=p4r.DirectCounterEntry()),
            p4r.Entity(direct_meter_entry=p4r.DirectMeterEntry()),
            p4r.Entity(action_profile_member=p4r.ActionProfileMember()),
            p4r.Entity(action_profile_group=p4r.ActionProfileGroup()),
            p4r.Entity(value_set_entry=p4r.ValueSetEntry()),
            p4r.Entity(packet_replication_engine_entry=p4r.PacketReplicationEngineEntry()),
            p4r.Entity(digest_entry=p4r.DigestEntry()),
        ]
        cells = sum(
            len(array) for arrays in (state.counters, state.meters, state.registers) for array in arrays.values()
        )
        if everything or cells < LARGE_CELLS:
            entities += [
                p4r.Entity(counter_entry=p4r.CounterEntry()),
                p4r.Entity(meter_entry=p4r.MeterEntry()),
                p4r.Entity(register_entry=p4r.RegisterEntry()),
            ]
        return step("read", p4r.ReadRequest(device_id=DEVICE_ID, entities=entities))

    # -- Configs ------------------------------------------------------------------------------------------

    def _config_step(self, action: int, config: Config | None) -> Step:
        request = Set(device_id=DEVICE_ID, action=Set.Action.ValueType(action), config=config)
        if config is not None and self._draw.chance(0.5):
            request.config.cookie.cookie = self._draw.getrandbits(64)
        self._sign(request)
        # The round has to have its program.
        request.role = ""
        request.election_id.CopyFrom(U128.encode(self._model.roles.roles[""].highest or 0))
        return step("config", request)

    def _config(self) -> Iterator[Step]:
        draw = self._draw
        way = draw.randrange(8)
        if way == 0:
            yield from self._save_and_commit()
            return
        if way == 1:
            yield self._config_step(Set.RECONCILE_AND_COMMIT, draw.choice(self._configs))
            return
        if way == 2:
            running = self._model.device.running
            yield self._config_step(Set.RECONCILE_AND_COMMIT, running.program.config if running else None)
            return
        config = draw.choice(self._configs)
        request = Set(device_id=DEVICE_ID, config=config, action=Set.VERIFY)
        self._sign(request)
        if way in (3, 4):
            request.config.CopyFrom(broken(draw, config))
            request.action = draw.choice(
                [Set.VERIFY, Set.VERIFY_AND_SAVE, Set.VERIFY_AND_COMMIT, Set.RECONCILE_AND_COMMIT]
            )
            yield step("config", request, quality="broken")
        elif way == 5:
            request.config.CopyFrom(damaged(draw, config))
            yield step("config", request, quality="unknown")
        elif way == 6:
            request.action = Set.Action.ValueType(draw.choice([0, Set.COMMIT, 17]))
            if draw.chance(0.5):
                request.ClearField("config")
            yield step("config", request)
        else:
            yield step("config", request)

    def _save_and_commit(self) -> Iterator[Step]:
        draw = self._draw
        yield self._config_step(Set.VERIFY_AND_SAVE, draw.choice(self._configs))
        for _ in range(draw.randrange(30)):
            yield self._write() if draw.chance(0.8) else self._read()
        if draw.chance(0.8):
            yield self._config_step(Set.COMMIT, None)
            yield self._read_back(everything=False)

    def _get_config(self) -> Step:
        draw = self._draw
        kind = Get.ResponseType.ValueType(draw.randrange(4))
        request = Get(device_id=DEVICE_ID, response_type=kind)
        if draw.chance(0.2):
            mutate(draw, request)
        return step("get_config", request)

    # -- Streams ------------------------------------------------------------------------------------------

    def _arbitration_step(self, stream: int, role: str, election_id: int | None) -> Step:
        message = p4r.StreamMessageRequest()
        message.arbitration.device_id = DEVICE_ID
        if role:
            message.arbitration.role.name = role
        if election_id is not None:
            message.arbitration.election_id.CopyFrom(U128.encode(election_id))
        return step("arbitrate", message, stream)

    def _open(self, role: str) -> Iterator[Step]:
        stream, self._next_stream = self._next_stream, self._next_stream + 1
        yield Step("open", stream=stream)
        self._streams[stream] = role
        # The first of a role is above all that were there before it left.
        known = self._model.roles.roles.get(role)
        is_backup = known is not None and bool(known.streams) and self._draw.chance(0.5)
        election = self._draw.choice([None, 1, 2, 3]) if is_backup else self._above(role)
        yield self._arbitration_step(stream, role, election)

    def _above(self, role: str) -> int:
        """An election id that makes its stream the primary, as far as there is one."""
        known = self._model.roles.roles.get(role)
        highest = known.highest if known is not None else None
        return min((highest or 0) + self._draw.randint(1, 5), MAX_ELECTION_ID)

    def _arbitration(self) -> Iterator[Step]:
        draw = self._draw
        for stream in set(self._streams) - set(self._model.roles.role_of):
            del self._streams[stream]  # the switch ended it
        others = [stream for stream in self._streams if stream != self._primary]
        way = draw.random()
        if way < 0.35 and len(self._streams) < MAX_STREAMS:
            yield from self._open(draw.choice(ROLES))
        elif way < 0.5 and others:
            stream = draw.choice(others)
            del self._streams[stream]
            yield Step("close", stream=stream)
        elif way < 0.8 and others:
            stream = draw.choice(others)
            used = self._model.roles.roles[self._streams[stream]].streams.get(stream)
            election = draw.choice([None, used, max((used or 0) - 1, 0), self._above(self._streams[stream]), 0])
            sent = self._arbitration_step(stream, self._streams[stream], election)
            if draw.chance(0.3):
                yield from self._mutated(sent)
            else:
                yield sent
        # A default role without a primary would have every request refused.
        role = self._model.roles.roles.get("")
        if role is None or role.primary is None:
            self._streams = {key: name for key, name in self._streams.items() if key in self._model.roles.role_of}
            if self._primary in self._streams:
                yield self._arbitration_step(self._primary, "", self._above(""))
            else:
                yield from self._open("")
                self._primary = next(reversed(self._streams))

    def _mutated(self, sent: Step) -> Iterator[Step]:
        message = p4r.StreamMessageRequest.FromString(sent.message)
        mutate(self._draw, message)
        kind = "arbitrate" if message.WhichOneof("update") == "arbitration" else "send"
        if kind == "arbitrate" or not self._model.judge_stream_message(sent.stream, message)[0].accepts:
            yield step("arbitrate" if kind == "arbitrate" else "send", message, sent.stream)

    def _packet(self) -> p4r.StreamMessageRequest:
        draw = self._draw
        message = p4r.StreamMessageRequest()
        running = self._model.device.running
        if draw.chance(0.15) and running is not None and running.program.digests:
            message.digest_ack.digest_id = draw.choice(list(running.program.digests))
            message.digest_ack.list_id = draw.randrange(20)
            return message
        message.packet.payload = draw.choice(
            [b"", draw.randbytes(draw.randint(1, 100)), bytes(14) + b"\x08\0" + bytes(60)]
        )
        for number, width, _ in running.program.packet_out or () if running is not None else ():
            value = 0 if draw.chance(0.7) else draw.number(width.bits)
            message.packet.metadata.add(metadata_id=number, value=width.encode(value))
        return message

    def _refused_message(self) -> Iterator[Step]:
        draw = self._draw
        stream = draw.choice(list(self._model.roles.role_of))
        message = self._packet()
        if draw.chance(0.5):
            mutate(draw, message)
        if message.WhichOneof("update") == "arbitration":
            return
        if not self._model.judge_stream_message(stream, message)[0].accepts:
            yield step("send", message, stream)

    def _digests_on(self) -> Step:
        """Have everything that is learned reported, in lists that are sent soon."""
        state, request = self._state(), p4r.WriteRequest(device_id=DEVICE_ID)
        self._sign(request)
        for number in state.program.digests:
            kind = p4r.Update.MODIFY if number in state.digests else p4r.Update.INSERT
            config = (self._draw.choice([0, 10_000_000]), self._draw.choice([0, 1, 3]), 10_000_000)
            request.updates.add(type=kind, entity=digest_message(number, config))
        return step("write", request)

    def _packets(self, count: int) -> Iterator[Step]:
        """Packets change counters and registers, so they come last."""
        draw = self._draw
        yield self._digests_on()
        for _ in range(count):
            message = self._packet()
            if draw.chance(0.3):
                mutate(draw, message)
            stream = draw.choice(list(self._model.roles.role_of))
            if message.WhichOneof("update") != "arbitration":
                yield step("send", message, stream)

    # -- Bytes --------------------------------------------------------------------------------------------

    def _noise(self) -> Iterator[Step]:
        """Bytes that no method can read."""
        draw = self._draw
        kinds = {
            "Write": "write",
            "Read": "read",
            "SetForwardingPipelineConfig": "config",
            "GetForwardingPipelineConfig": "get_config",
            "StreamChannel": "send",
        }
        method = draw.choice(list(kinds))
        made = update(draw, self._state()).SerializeToString()
        noise = draw.choice(
            [draw.randbytes(draw.randint(1, 300)), made[: draw.randrange(len(made) + 1)] + b"\xff", b"\x0a" * 5000]
        )
        try:
            MESSAGES[kinds[method]].FromString(noise)
        except DecodeError:
            yield Step("raw", noise, method=method)
