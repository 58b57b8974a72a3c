# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Attacks of a P4Runtime server on its clients: each fault is one line, and costs one connection."""

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import finsy as fy
import grpc
import pytest
from finsy.proto import U128, p4i, p4r, rpc_status
from google.protobuf import any_pb2
from quench.client import entries, session
from quench.client.pipelines import V1MODEL
from quench.client.session import Session, SessionError, Target
from quench.errors import ControllerError
from quench.profiles import parse_settings
from quench.service.direct import DirectSwitch, ProfileChange
from quench.service.port_metrics import PortMetrics
from quench_switch.outside.text import MOST_CHARACTERS, one_line
from sessions import Recorder, until
from test_hostile_switch import SCHEMA, Server, agent_of, primary_of, served

HANG_S = 60
READ = [fy.P4TableEntry(V1MODEL.queue_profile)]


@pytest.fixture(scope="module")
def loop() -> Iterator[asyncio.Runner]:
    """One for all tests: gRPC's poller stays with the loop that it saw first."""
    with asyncio.Runner() as runner:
        yield runner


class Doing(Recorder):
    """A user that does one thing as the primary."""

    def __init__(self, thing: Callable[[Session], Any]) -> None:
        super().__init__()
        self._thing = thing

    async def primary(self, session: Session) -> None:
        await self._thing(session)
        await super().primary(session)


async def read(session: Session) -> None:
    async for _ in session.read(READ):
        pass


async def end_of(server: Server, thing: Callable[[Session], Any] = read) -> str:
    """The error that ends a session whose user does this."""
    async with served(server) as address, asyncio.timeout(HANG_S):
        with pytest.raises(SessionError) as caught:
            await Session(Target(address, 1), SCHEMA, 10).run(Doing(thing))
    return str(caught.value)


# -- Errors ---------------------------------------------------------------------------------------------------


def status_of(*details: Any, code: int = 2) -> bytes:
    status = rpc_status.Status(code=code, message="no")
    for detail in details:
        packed = any_pb2.Any()
        packed.Pack(detail)
        status.details.append(packed)
    return status.SerializeToString()


class Refusing(Server):
    """Refuses each Write with an error of any form."""

    def __init__(self, message: str, details: bytes | None) -> None:
        super().__init__()
        self._message = message
        self._details = details

    async def Write(self, _: Any, context: Any) -> Any:  # noqa: N802
        metadata = () if self._details is None else (("grpc-status-details-bin", self._details),)
        await context.abort(grpc.StatusCode.UNKNOWN, self._message, metadata)


@pytest.mark.parametrize(
    ("message", "details"),
    [
        ("no", b"\xff" * 20),
        ("no", status_of(code=99)),
        ("no", status_of(p4r.Error(canonical_code=99))),
        ("no", status_of(p4r.TableEntry())),
        ("no", status_of(*[p4r.Error(canonical_code=3, message="x")] * 40)),
        ("\x1b[2J\x07\n\u2028" + "x" * 20_000, None),
        ("no", status_of(*[p4r.Error(canonical_code=3, message="y" * 100)] * 300)),
    ],
    ids=["noise", "code", "code of an update", "kind", "too many", "escapes", "long"],
)
def test_any_error_is_one_line(loop: asyncio.Runner, message: str, details: bytes | None) -> None:
    async def check() -> None:
        text = await end_of(
            Refusing(message, details), lambda session: session.write([+fy.P4CloneSessionEntry(1, replicas=[1])])
        )
        assert text.isprintable()
        assert 0 < len(text) <= MOST_CHARACTERS + 3

    loop.run(check())


def test_a_line_is_cut_and_cleaned() -> None:
    assert one_line("a\n\tb  c\x1b[1m") == r"a b c\x1b[1m"
    assert one_line("x" * 10**6) == "x" * MOST_CHARACTERS + "..."
    assert one_line("x" + " " * 10**6 + "y") == "x..."


# -- Bytes that are no message --------------------------------------------------------------------------------


@asynccontextmanager
async def raw(answers: dict[str, bytes]) -> AsyncIterator[str]:
    """A server whose answers are bytes; the methods that it is not given answer as they should."""
    right = {
        "StreamChannel": primary_of(10).SerializeToString(),
        "Capabilities": p4r.CapabilitiesResponse(p4runtime_api_version="1.4.1").SerializeToString(),
        "Read": p4r.ReadResponse().SerializeToString(),
    }

    def handler(answer: bytes) -> Any:
        async def handle(requests: AsyncIterator[bytes], _: Any) -> AsyncIterator[bytes]:
            async for _ in requests:
                yield answer

        return grpc.stream_stream_rpc_method_handler(handle)

    handlers = {name: handler(answer) for name, answer in (right | answers).items()}
    server = grpc.aio.server()
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("p4.v1.P4Runtime", handlers),))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    try:
        yield f"127.0.0.1:{port}"
    finally:
        await server.stop(0)


@pytest.mark.parametrize("method", ["StreamChannel", "Capabilities", "Read"])
def test_bytes_that_are_no_message_end_the_session(loop: asyncio.Runner, method: str) -> None:
    async def check() -> None:
        async with raw({method: b"\xff" * 40}) as address, asyncio.timeout(HANG_S):
            with pytest.raises(SessionError, match="no message of P4Runtime"):
                await Session(Target(address, 1), SCHEMA, 10).run(Doing(read))

    loop.run(check())


# -- Reads ----------------------------------------------------------------------------------------------------


def pointer() -> p4r.Entity:
    return V1MODEL.pointer(1, 0, 7).encode(SCHEMA)


class Endless(Server):
    """Answers a read for ever."""

    async def Read(self, *_: Any) -> AsyncIterator[Any]:  # noqa: N802
        answer = p4r.ReadResponse(entities=[pointer()] * 10_000)
        while True:
            yield answer


def test_a_read_ends_at_a_limit_and_others_have_their_turn(loop: asyncio.Runner) -> None:
    """The longest that others waited is compared with what the same read takes: no time is asserted."""

    async def check() -> None:
        gaps: list[float] = []

        async def other() -> None:
            while True:
                before = time.monotonic()
                await asyncio.sleep(0)
                gaps.append(time.monotonic() - before)

        task = asyncio.create_task(other())
        start = time.monotonic()
        text = await end_of(Endless())
        took = time.monotonic() - start
        task.cancel()
        assert f"more than {session.MOST_ENTITIES} entities" in text
        assert len(gaps) > 500
        assert max(gaps) < took / 2

    loop.run(check())


def without(entity: p4r.Entity, part: str) -> p4r.Entity:
    changed = p4r.Entity()
    changed.CopyFrom(entity)
    changed.table_entry.ClearField(part)
    return changed


def counter(index: int | None) -> p4r.Entity:
    entry = p4r.CounterEntry(counter_id=SCHEMA.counters["port_seen"].id)
    if index is not None:
        entry.index.index = index
    return p4r.Entity(counter_entry=entry)


OTHERS = {
    "counter": counter(1),
    "parameters": next(entry.encode(SCHEMA) for entry in [fy.P4TableEntry(entries.ISQ_ROUTER, is_default_action=True)]),
    "register": p4r.Entity(register_entry=p4r.RegisterEntry(register_id=1)),
    "nothing": p4r.Entity(),
    "no match": without(pointer(), "match"),
    "no action": without(pointer(), "action"),
}


@pytest.mark.parametrize("kind", OTHERS)
def test_an_answer_to_another_question_is_one_line(
    tmp_path: Path, loop: asyncio.Runner, caplog: pytest.LogCaptureFixture, kind: str
) -> None:
    async def check() -> None:
        server = Server()
        server.entities = [OTHERS[kind]]
        async with served(server) as address:
            agent, _ = agent_of(tmp_path, address)
            task = asyncio.create_task(agent.run())
            await until(lambda: server.streams >= 2 or agent.ready)
            task.cancel()
            await asyncio.wait([task])

    with caplog.at_level(logging.INFO):
        loop.run(check())
    logged = [record for record in caplog.records if record.name.startswith("quench")]
    assert [record for record in logged if "the switch" in record.message], logged
    assert not [record for record in logged if record.exc_info or "internal error" in record.message]


@pytest.mark.parametrize("index", [None, 3, 2**62])
def test_counters_that_were_not_asked_for_are_refused(loop: asyncio.Runner, index: int | None) -> None:
    async def check() -> None:
        server = Server()
        server.entities = [counter(index)]

        async def ask(session: Session) -> None:
            async for _ in session.read([fy.P4CounterEntry("port_seen", index=1)]):
                pass

        assert "not asked for" in await end_of(server, ask)

    loop.run(check())


class Agent:
    """An agent as far as the metrics are concerned."""

    ready = True

    def __init__(self, name: str, *, hangs: bool) -> None:
        self.name = name
        self._hangs = hangs

    async def port_counters(self) -> dict[int, dict[str, dict[str, int]]]:
        if self._hangs:
            await asyncio.Event().wait()
        return {1: {"port_seen": {"packets": 5, "bytes": 9}}}


def test_switches_that_do_not_answer_hide_no_others_counters(
    loop: asyncio.Runner, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A scrape takes as long as one of them does, and not as all of them together."""
    monkeypatch.setattr("quench.service.port_metrics.READ_TIMEOUT_S", 2.0)

    async def check() -> None:
        agents: Any = [*[Agent(f"h{place}", hangs=True) for place in range(20)], Agent("s1", hangs=False)]
        metrics = PortMetrics(agents, asyncio.get_running_loop())
        async with asyncio.timeout(20):
            families = await asyncio.to_thread(lambda: list(metrics.collect()))
        samples = [sample for family in families for sample in family.samples]
        assert [sample.labels["switch"] for sample in samples] == ["s1"]

    loop.run(check())


# -- Programs -------------------------------------------------------------------------------------------------


def info(change: Callable[[p4i.P4Info], object]) -> p4i.P4Info:
    made = p4i.P4Info()
    made.CopyFrom(SCHEMA.p4info)
    change(made)
    return made


PROGRAMS = {
    "empty": info(lambda made: made.Clear()),
    "no tables": info(lambda made: made.ClearField("tables")),
    "no actions": info(lambda made: made.ClearField("actions")),
    "other actions": info(lambda made: [table.action_refs.add(id=99) for table in made.tables]),
    "no widths": info(lambda made: [setattr(m, "bitwidth", 0) for t in made.tables for m in t.match_fields]),
    "huge widths": info(lambda made: [setattr(m, "bitwidth", -5) for t in made.tables for m in t.match_fields]),
    "twice": info(lambda made: made.tables.extend(list(made.tables))),
    "same names": info(lambda made: [setattr(t.preamble, "alias", "x") for t in made.tables]),
    "unknown kinds": info(lambda made: [setattr(m, "match_type", 77) for t in made.tables for m in t.match_fields]),
    "large": info(lambda made: made.tables.extend([p4i.Table()] * 600_000)),
}


@pytest.mark.parametrize("kind", PROGRAMS)
def test_a_program_that_contradicts_itself_is_one_line(loop: asyncio.Runner, kind: str) -> None:
    class Running(Server):
        async def GetForwardingPipelineConfig(self, *_: Any) -> Any:  # noqa: N802
            return p4r.GetForwardingPipelineConfigResponse(config=p4r.ForwardingPipelineConfig(p4info=PROGRAMS[kind]))

    async def check() -> None:
        server = Running()
        server.says = [primary_of(1 << 16)]
        async with served(server) as address:
            settings = parse_settings({"scheme": "taildrop"})
            try:
                await asyncio.to_thread(DirectSwitch(address, 1).change, ProfileChange(1, 0, 10_000_000, settings))
            except ControllerError as error:
                assert str(error).isprintable()
                assert len(str(error)) < MOST_CHARACTERS + 30
            else:
                assert kind in {"twice", "no widths", "same names", "other actions"}, "it can be lived with"

    loop.run(check())


def test_an_arbitration_without_ids_is_lived_with(loop: asyncio.Runner) -> None:
    async def check() -> None:
        server = Server()
        server.says = [p4r.StreamMessageResponse(arbitration=p4r.MasterArbitrationUpdate())]
        assert U128.decode(server.says[0].arbitration.election_id) == 0
        server.entities = [p4r.Entity()]
        assert "not asked for" in await end_of(server)

    loop.run(check())
