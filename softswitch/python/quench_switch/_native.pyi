# SPDX-FileCopyrightText: 2026 The Quench Authors
# SPDX-License-Identifier: Apache-2.0
"""Types of the compiled module: the P4 compiler and the embedded data plane.

Conventions that hold everywhere:

* values of match keys, action parameters and registers are unsigned, big-endian ``bytes`` of any
  length without the sign; the data plane refuses a value that does not fit its field;
* names are the control-plane names of the BMv2 JSON (the same as P4Info's ``preamble.name``);
* times are nanoseconds, rates bits or packets per second, depths packets or bytes.
"""

from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from typing import Any, Final, Literal, Protocol, Self, TypedDict, final

from quench_switch.errors import DataPlaneError
from quench_switch.tna.generator import GeneratorApp

class CompileError(Exception):
    """The program is not valid P4-16, or uses what the compiler does not support."""

    diagnostics: list[str]
    """Each is ``file:line:column: kind: message`` followed by the source line and a caret."""
    error_count: int
    """The number of errors among the diagnostics; the others are warnings."""

@final
class CompileOutput:
    json: str
    p4info_text: str
    p4info_binary: bytes
    entries_text: str
    """The program's table entries: a P4Runtime ``WriteRequest`` that inserts them, as p4c writes it."""
    entries_binary: bytes
    warnings: list[str]

def compile_p4(
    path: str,
    include_dirs: Sequence[str] = ...,
    defines: Sequence[str] = ...,
    undefines: Sequence[str] = ...,
    std: str = "p4-16",
    warnings: Sequence[str] = ...,
    arch: str = "v1model",
) -> CompileOutput:
    """Compile one P4-16 source file. ``defines`` are ``NAME`` or ``NAME=VALUE`` as after ``-D``.

    ``arch`` is ``v1model``, ``v1model-2021`` (with the calls that p4c took out then) or ``tna``.

    ``warnings`` are ``disable=KIND``, ``warn=KIND`` and ``error=KIND``, where the kind is one that a warning ends with,
    or ``all``.
    """

def preprocess_p4(
    path: str,
    include_dirs: Sequence[str] = ...,
    defines: Sequence[str] = ...,
    undefines: Sequence[str] = ...,
    arch: Literal["v1model", "v1model-2021", "tna"] = "v1model",
) -> str:
    """The source after the preprocessor, as ``p4c -E`` prints it."""

MatchField = (
    tuple[Literal["exact"], bytes]
    | tuple[Literal["lpm"], bytes, int]
    | tuple[Literal["ternary"], bytes, bytes]
    | tuple[Literal["range"], bytes, bytes]
    | tuple[Literal["optional"], bytes]
    | None  # don't care: allowed for lpm, ternary, range and optional fields
)
Key = Sequence[MatchField]
"""One per key field, in the table's order. Fields matched ``valid`` or ``bool`` are exact with 1 byte."""

ActionCall = tuple[str, Sequence[bytes]]
TableAction = (
    tuple[Literal["action"], str, Sequence[bytes]]
    | tuple[Literal["member"], int]
    | tuple[Literal["group"], int]
    # weighted set held by the entry alone: (action, parameters, weight, watch port or None); whether a draw selects,
    # not the hash; a byte that is kept for the controller
    | tuple[Literal["oneshot"], Sequence[tuple[str, Sequence[bytes], int, int | None]], bool, int]
)
MeterRates = tuple[float, int, float, int, int]
"""(cir, cburst, pir, pburst, eburst): per second and units, in bytes or packets as the meter is declared.

Rates are ``int`` where they are whole, and ``float`` with a fraction, of which billionths are kept.

With ``eburst`` the meter is RFC 2697's and has a single rate, with 0 RFC 2698's.
"""
FilterConfig = (
    tuple[Literal["sample", "rate"], float, float, int]  # Lpf: constant of rises in ns, of falls, bits shifted out
    | tuple[Literal["wred"], float, int, int, float]  # Wred: constant in ns, lowest and highest threshold, probability
)
"""Settings of a filter as BF-Runtime has them: its kind, and the rest."""
Colors = tuple[tuple[int, int], tuple[int, int], tuple[int, int]]
"""(packets, bytes) of green, yellow and red."""

class Entry(TypedDict):
    key: list[MatchField]
    priority: int  # 0 where the table has no ternary, range or optional field; the larger wins
    action: TableAction
    is_const: bool
    metadata: bytes
    idle_timeout_ns: int
    since_hit_ns: int | None  # None where the table supports no idle timeouts
    counter: tuple[int, int] | None  # (packets, bytes), None without a direct counter
    meter: MeterRates | None  # None without a direct meter, or unset
    colors: Colors | None  # None without a direct meter

class GeneratorState(GeneratorApp):
    """An application with its counts."""

    sent_triggers: int
    sent_batches: int
    sent_packets: int
    lost_triggers: int  # came while as many as can wait did

class PortOptions(TypedDict, total=False):
    """The settings of the traffic manager and of the link behind it on one port."""

    rate_bps: int  # 0 = unlimited
    rate_pps: int  # 0 = unlimited; at most one of the two rates is set
    capacity_pkts: int  # of each queue; 0 = unlimited
    capacity_bytes: int  # of each queue; 0 = unlimited
    queue_capacity_pkts: Mapping[int, int]  # of single queues, over what capacity_pkts says
    queue_capacity_bytes: Mapping[int, int]  # of single queues, over what capacity_bytes says
    queue_rate_pps: Mapping[int, int]  # of single queues, beside the port's rate; 0 = unlimited; strict scheduler
    queues: int  # 1..8; naming a queue above makes it
    scheduler: str  # "strict" (highest queue first), "drr" or "scfq"
    weights: Mapping[int, float]  # queue -> 0.001..1000 for drr and scfq; 1 until it is given
    delay_ns: int  # propagation delay of the outgoing link
    loss: float  # probability that the outgoing link loses a packet, 0..1
    hold: bool  # while true nothing leaves the queues
    overhead_bytes: int  # added to each packet's length where bytes are counted; -14 counts IP packets, 0 the default

@final
class Program:
    """BMv2 JSON, read and checked once; several switches may load it. Making one takes long, and holds nothing up.

    ``interpreted``: without machine code. ``recorded``: the same, and the parts that packets reach are counted.
    ``entries`` gives the most that each table can have, by name, and None where all are constant; of tables that it
    does not name, the program's own entries are constant. Raises :class:`DataPlaneError`.
    """

    def __new__(
        cls,
        json: str,
        *,
        interpreted: bool = False,
        recorded: bool = False,
        entries: dict[str, int | None] | None = None,
    ) -> Self: ...
    def reached(self) -> dict[str, Any] | None:
        """Counts in the order of the JSON, over all switches that have the program; None where nothing is recorded.

        ``states``; ``ingress`` and ``egress``: how often each condition was true and false; ``tables``: dictionaries
        with ``entries`` (the program's own), ``misses`` and ``actions``.
        """
    def info(self) -> dict[str, Any]:
        """As :meth:`Control.program`."""
    def header_types(self) -> list[list[tuple[str, int]]]:
        """The fields of fixed width of each header type: name and bits."""

def check_program_size(json: str) -> None:
    """Raise :class:`DataPlaneError` for BMv2 JSON that is larger than any program may be. It is not read."""

class Control(Protocol):
    """The requests to a data plane, whichever way time is driven. Each native module has a class of its own.

    A page is up to ``count`` items from a place on, 0 at first, with the place to go on from. What comes and goes
    between two pages may be missed; nothing else is.
    """

    def forms(
        self,
        pipeline: Any,
        direct: Callable[[bytes], tuple[tuple[int, int] | None, MeterRates | None]],
        metadata_bytes: int,
        state_factor: int,
        state_bytes: int,
    ) -> Forms:
        """The forms of updates for this data plane, of a pipeline of the P4Runtime server."""
    def updates(self, given: list[bytes]) -> Updates:
        """Updates for this data plane, without a request around them."""
    def load(self, program: str | Program) -> None:
        """Replace the program: all state is new, entries that the program itself gives are in place."""
    def unload(self) -> None: ...
    def state_bytes(self) -> int:
        """The memory that all that the control plane wrote takes, roughly; arrays are the program's."""
    def room_check(self, coming_bytes: int, most_bytes: int) -> None:
        """Refuses where :meth:`state_bytes`, with what may come, is more."""
    def batch(self) -> Batch:
        """Changes that wait until they are applied together."""
    def program(self) -> dict[str, Any] | None:
        """The program that is loaded, as lists of dictionaries.

        ``tables`` (name, id, key [{name, match, bits}], actions, action_ids,
        default_action, const_default_action, size, direct_counter, direct_meter, profile, const_entries,
        support_timeout), ``actions`` (name, id, params [{name, bits}]), ``registers`` (name, size, bits),
        ``counters`` and ``meters`` (name, size, unit, direct_table), ``filters`` (name, kind, size, direct_table),
        ``profiles`` (name, size, selector),
        ``value_sets`` (name, size, key_bits), ``digests`` (id, name, fields [{name, bits}]), ``errors`` [(name, code)].
        ``enums`` is a dictionary of such lists by the enum's name.
        """

    def table_insert(
        self, table: str, key: Key, priority: int, action: TableAction, metadata: bytes = b"", idle_timeout_ns: int = 0
    ) -> None: ...
    def table_modify(
        self,
        table: str,
        key: Key,
        priority: int,
        action: TableAction | None,
        metadata: bytes = b"",
        idle_timeout_ns: int = 0,
    ) -> None:
        """None keeps the action."""
    def table_check(self, table: str, key: Key, priority: int) -> None:
        """Refuses where there is no such entry."""
    def table_delete(self, table: str, key: Key, priority: int) -> None: ...
    def table_get(self, table: str, key: Key, priority: int) -> Entry | None: ...
    def table_entries(self, table: str) -> list[Entry]: ...
    def table_page(self, table: str, from_: int, count: int) -> tuple[list[Entry], int | None]: ...
    def table_default(self, table: str) -> TableAction | None: ...
    def table_set_default(self, table: str, action: TableAction | None) -> None:
        """None restores the program's own default."""
    def direct_counter_write(self, table: str, key: Key, priority: int, packets: int, bytes_: int) -> None: ...
    def direct_meter_write(self, table: str, key: Key, priority: int, rates: MeterRates | None) -> None: ...
    def direct_colors_clear(self, table: str, key: Key, priority: int) -> None:
        """The colours of an entry's meter are counted from 0 again."""
    def default_meter_read(self, table: str) -> tuple[MeterRates | None, Colors] | None:
        """The rates and colors of packets without an entry; None without direct meters."""
    def default_meter_write(self, table: str, rates: MeterRates | None) -> None: ...
    def default_colors_clear(self, table: str) -> None: ...
    def default_counter_read(self, table: str) -> tuple[int, int] | None: ...
    def default_counter_write(self, table: str, packets: int, bytes_: int) -> None: ...
    def expired_entries(self, count: int) -> list[tuple[str, Entry]]:
        """Up to ``count`` entries whose idle timeout ran out; each is reported once until hit again."""

    def member_insert(self, profile: str, member: int, action: ActionCall) -> None: ...
    def member_modify(self, profile: str, member: int, action: ActionCall) -> None: ...
    def member_delete(self, profile: str, member: int) -> None: ...
    def members(self, profile: str) -> list[tuple[int, ActionCall]]: ...
    def members_page(self, profile: str, from_: int, count: int) -> tuple[list[tuple[int, ActionCall]], int | None]: ...
    def group_insert(
        self, profile: str, group: int, members: Sequence[tuple[int, int, int | None]], max_size: int = 0
    ) -> None:
        """Members are (member id, weight, watch port or None)."""
    def group_modify(
        self, profile: str, group: int, members: Sequence[tuple[int, int, int | None]], max_size: int = 0
    ) -> None: ...
    def group_delete(self, profile: str, group: int) -> None: ...
    def groups(self, profile: str) -> list[tuple[int, list[tuple[int, int, int | None]], int]]: ...
    def groups_page(
        self, profile: str, from_: int, count: int
    ) -> tuple[list[tuple[int, list[tuple[int, int, int | None]], int]], int | None]: ...
    def counter_read(self, counter: str, index: int) -> tuple[int, int]: ...
    def counter_write(self, counter: str, index: int, packets: int, bytes_: int) -> None: ...
    def counter_fill(self, counter: str, first: int, count: int, packets: int, bytes_: int) -> None: ...
    def counter_read_range(self, counter: str, first: int, count: int) -> list[tuple[int, int]]: ...
    def counter_read_all(self, counter: str) -> list[tuple[int, int]]: ...
    def meter_read(self, meter: str, index: int) -> MeterRates | None: ...
    def meter_fill(self, meter: str, first: int, count: int, rates: MeterRates | None) -> None: ...
    def meter_read_range(self, meter: str, first: int, count: int) -> list[MeterRates | None]: ...
    def meter_colors_range(self, meter: str, first: int, count: int) -> list[Colors]: ...
    def meter_colors_clear(self, meter: str, first: int, count: int) -> None: ...
    def meter_read_all(self, meter: str) -> list[MeterRates | None]: ...
    def meter_write(self, meter: str, index: int, rates: MeterRates | None) -> None: ...
    def register_read(self, register: str, index: int) -> bytes: ...
    def register_write(self, register: str, index: int, value: bytes) -> None: ...
    def register_fill(self, register: str, first: int, count: int, value: bytes) -> None: ...
    def register_read_range(self, register: str, first: int, count: int) -> list[bytes]: ...
    def register_read_all(self, register: str) -> list[bytes]: ...
    def filter_config(self, filter_: str, index: int) -> FilterConfig | None:
        """None where it was never set."""
    def filter_value(self, filter_: str, index: int) -> int:
        """The average, as the last packet left it."""
    def set_filter_config(self, filter_: str, index: int, setting: FilterConfig | None) -> None:
        """None restores the beginning's. The average is forgotten."""
    def filter_fill(self, filter_: str, first: int, count: int, setting: FilterConfig | None) -> None: ...
    def direct_filter_config(self, filter_: str, key: Key, priority: int) -> FilterConfig | None:
        """The setting of an entry of the table that the filter belongs to."""
    def set_direct_filter_config(self, filter_: str, key: Key, priority: int, setting: FilterConfig | None) -> None: ...
    def port_metadata(self, port: int) -> int:
        """The 64 bits that ingress's parser finds before a port's packets. Only programs for TNA have them."""
    def set_port_metadata(self, port: int, bits: int) -> None: ...
    def set_level1_exclusion(self, group: int, rid: int, id_: int | None) -> None:
        """Packets with the id leave this node of a multicast group out. Only programs for TNA have it."""
    def set_level2_exclusion(self, id_: int, ports: Sequence[int]) -> None:
        """Packets with the id, and the RID of a node, leave these ports of the node out."""
    def set_deflection(self, port: int | None, queue: int = 0) -> None:
        """Packets with ``deflect_on_drop`` whose queue has no room go to this port and queue, instead of being dropped.

        It is so for later programs, too. Only programs for TNA have such packets.
        """
    def generator(self, number: int) -> GeneratorState | None:
        """An application of TNA's packet generator, and what it has done in this program."""
    def set_generator(self, number: int, app: GeneratorApp | None) -> None:
        """Set one of its 8 applications, for later programs too; its timer starts. None: it stops."""
    def clear_port_down(self, port: int) -> None:
        """The port triggers the packet generator again the next time that it goes down."""
    def value_set_read(self, value_set: str) -> list[list[MatchField]]: ...
    def value_set_write(self, value_set: str, members: Sequence[Key]) -> None: ...
    def clone_session_set(
        self, session: int, replicas: Sequence[tuple[int, int]], truncate_bytes: int = 0, class_of_service: int = 0
    ) -> None:
        """Replicas are (egress port, egress_rid)."""
    def clone_session_delete(self, session: int) -> None: ...
    def clone_sessions(self) -> list[tuple[int, list[tuple[int, int]], int, int]]: ...
    def clone_session(self, session: int) -> list[tuple[int, int]] | None: ...
    def multicast_group_set(
        self, group: int, replicas: Sequence[tuple[int, int]], backups: Sequence[Sequence[tuple[int, int]]] = ()
    ) -> None:
        """``backups`` has for each replica those that stand in while its port is down, the preferred ones first."""
    def multicast_group_delete(self, group: int) -> None: ...
    def multicast_groups(self) -> list[tuple[int, list[tuple[int, int]]]]: ...
    def multicast_groups_page(
        self, from_: int, count: int
    ) -> tuple[list[tuple[int, list[tuple[int, int]]]], int | None]: ...
    def set_custom_crc(
        self,
        calculation: str,
        width: int,
        polynomial: int,
        initial_remainder: int,
        final_xor: int,
        reflects_data: bool,
        reflects_remainder: bool,
    ) -> None:
        """Set the parameters of a ``crc16_custom`` or ``crc32_custom`` calculation, until the program begins anew."""
    def missing_copies(self) -> tuple[int | None, int | None]:
        """The first clone session and the first multicast group that packets asked for and nobody had made."""
    def port_set(self, port: int, options: PortOptions) -> None:
        """Change the named options of a port; the others stay. Takes effect for the next packet that starts."""
    def port_get(self, port: int) -> dict[str, Any]:
        """All of PortOptions, and what happened on the port.

        ``queue_pkts`` / ``queue_bytes`` (per queue, now), ``enqueued_pkts``,
        ``dropped_full_pkts``, ``tx_pkts``, ``tx_bytes``, ``rx_pkts``, ``rx_bytes``, ``lost_on_link_pkts`` and,
        since the last ``port_reset_stats``, the time-weighted ``queue_mean_pkts``, ``queue_sd_pkts``,
        ``queue_mean_bytes``, ``queue_sd_bytes``, the largest ``queue_max_pkts``, ``queue_max_bytes``, and ``stats_ns``.

        ``queue_stats`` lists the same for each queue: ``pkts`` and ``bytes`` (now), ``enqueued_pkts``,
        ``dropped_full_pkts``, ``tx_pkts``, ``tx_bytes``, ``mean_pkts``, ``sd_pkts``, ``max_pkts``, ``mean_bytes``,
        ``sd_bytes``, ``max_bytes``.
        """
    def port_reset_stats(self, port: int) -> None: ...
    def ports(self) -> list[int]: ...
    def trace(
        self,
        *,
        port: int | None = None,
        packets: int | None = None,
        trace_bytes: int = 65_536,
        waiting_bytes: int = 16_777_216,
    ) -> Traces:
        """Trace packets that arrive from now on: of one ingress port or of all, so many or all of them.

        Copies of a traced packet are traced too. A trace takes at most ``trace_bytes``, those that wait to be taken
        ``waiting_bytes``. At most 8 of these may be open at a time.
        """
    def stats(self) -> dict[str, int]:
        """Switch-wide counts: packets per pipeline, clones, drops by reason, out-of-range accesses, parser errors.

        In real time also what interfaces lost (``rx_overrun_pkts``, ``rx_oversize_pkts``, ``tx_oversize_pkts``,
        ``tx_no_buffer_pkts``, ``tx_socket_full_pkts``, ``tx_no_link_pkts``, ``tx_error_pkts``,
        ``tx_unconnected_pkts``), long frames that cannot be cut into packets (``rx_offload_refused_pkts``), and what
        waited for a reader in vain (``cpu_queue_dropped_pkts``, ``digest_queue_dropped_msgs``).
        """

@final
class Traces:
    """Traces of packets that arrive since :meth:`Control.trace`, encoded as ``trace/packet_trace.proto`` says.

    The switch stops tracing when this object is gone.
    """

    def take(self, size_bytes: int) -> list[bytes]:
        """Traces that are ready, oldest first: about ``size_bytes`` of them, and one if it is longer."""
    @property
    def lost(self) -> int:
        """Traces that had no room: too many waited to be taken, or too many packets were under way."""
    @property
    def is_done(self) -> bool:
        """All packets that were asked for are traced and taken."""

def read_pcap(path: str | PathLike[str], most_bytes: int) -> tuple[list[tuple[int, bytes, int]], bool]:
    """The Ethernet frames of a pcap file, and whether the file ends inside the record behind them. Raises OSError.

    A frame has its time in ns since 1970, its bytes, and how many bytes at its end were not captured.
    """

@final
class Batch(Control):
    """Calls that change what tables, profiles, arrays, value sets, clone sessions and multicast groups hold are kept.

    What is read, ports and the program are those of the data plane that made the batch.
    """

    def __len__(self) -> int:
        """The number of the changes that wait."""
    def apply(self, keep: bool = True, in_parts: bool = False) -> tuple[int, DataPlaneError] | None:
        """Apply all that waits in its order, and empty the batch; no packet passes a pipeline meanwhile.

        The place of the first change that is refused, and why: then the data plane is as it was. Without ``keep`` it is
        in any case.

        ``in_parts``: packets may pass between the changes, where they change entries alone. Whoever else changes
        something waits until the end.
        """

@final
class KeyForm:
    """The match fields of a table or value set as P4Info has them: ``what`` is it, for error messages."""

    def __new__(cls, what: str, fields: Sequence[Any]) -> KeyForm: ...
    def decode(self, matches: list[bytes]) -> Key:
        """The data plane's key of ``FieldMatch`` messages. Raises DataPlaneError, and ValueError for malformed ones."""
    def entry_key(self, entry: bytes) -> tuple[Key, int]:
        """Key and priority of a ``TableEntry``; raises as ``decode``."""
    def encode(self, key: Key) -> list[bytes]:
        """Canonical ``FieldMatch`` messages of a key: matches on anything are left out. Raises DataPlaneError."""

@final
class Updates:
    """The updates of a ``WriteRequest``, decoded. Where there are more than ``most``, there is their number alone.

    Raises ValueError for bytes that are no request.
    """

    header: bytes
    """The request without its updates."""

    def __new__(cls, request: bytes, most: int) -> Updates: ...
    def __len__(self) -> int: ...
    def others(self) -> list[tuple[int, bytes]]:
        """Places and bytes of those that are neither match entries nor members of action profiles, or seem malformed.

        A field with another wire type than it should have seems so; protobuf takes it as unknown.
        """
    def put(self, place: int, update: bytes) -> None:
        """Put one of the others in its place once more."""

@final
class Forms:
    """A pipeline as updates of match entries and members refer to it.

    ``direct`` gives counter and rates of a ``TableEntry``; ``may_write`` raises where a role may not write a kind of
    entity of a table or another object. Refusals of both are an update's refusals.
    """

    def stage(
        self, batch: Batch, updates: Updates, first: int, may_write: Callable[[str, int, int], None] | None
    ) -> tuple[list[int], DataPlaneError | None]:
        """Stage updates from one on, until one is among ``others`` or is refused.

        The number of the batch's changes after each that is not refused, and the refusal.
        """
    def apply(
        self,
        control: Control,
        updates: Updates,
        first: int,
        end: int,
        may_write: Callable[[str, int, int], None] | None,
    ) -> tuple[int, list[tuple[int, DataPlaneError]]]:
        """Apply updates between two packets, each on its own, until one is among ``others``.

        The place behind the last, and the places and reasons of those refused.
        """
    def table_action(self, table: int, action: bytes, is_default: bool) -> TableAction:
        """The data plane's action of a ``TableAction``. Raises DataPlaneError."""
    def entries(
        self, control: Control, table: int, request: bytes, place: int, count: int
    ) -> tuple[list[bytes], int | None]:
        """``Entity`` messages of a table that a ``TableEntry`` selects beside its key, and the place to go on from.

        They are among ``count`` entries from a place on. Raises DataPlaneError.
        """
    def entry(self, control: Control, table: int, key: Key, priority: int, request: bytes) -> bytes | None:
        """The same of one entry, if it is there. Raises DataPlaneError."""
    def default_action(self, control: Control, table: int) -> bytes | None:
        """The ``TableAction`` of a table's default entry; without bytes if P4Info does not show it."""
    def members(
        self, control: Control, profile: int, member: int, place: int, count: int
    ) -> tuple[list[bytes], int | None]:
        """As ``entries``, of a profile's members, or of one that is not 0."""
    def group_members(self, group: bytes) -> list[tuple[int, int, int | None]]:
        """Id, weight and watched port of the members of an ``ActionProfileGroup``. Raises DataPlaneError."""

@final
class VirtualSwitch(Control):
    """The data plane with an injected clock: no I/O, the same inputs and seed give the same bytes out.

    ``interpreted``: programs are not compiled to machine code, for which a switch that gets few packets has no use.
    ``slowdown``: the clock of the chip, in programs for TNA, runs so many times slower than time.
    """

    def __new__(
        cls,
        *,
        cpu_port: int | None = None,
        drop_port: int = 511,
        seed: int = 1,
        priority_queues: int = 1,
        slowdown: int = 1,
        interpreted: bool = False,
    ) -> Self: ...
    @property
    def is_compiled(self) -> bool:
        """Whether the loaded program runs as machine code."""
    def receive(self, port: int, packet: bytes, now_ns: int) -> None:
        """A packet arrives. Time never goes backwards: neither here nor in ``advance``."""
    def set_port_up(self, port: int, up: bool) -> None:
        """For selectors, backups and the packet generator; ports are up at first."""
    def next_event_ns(self) -> int | None: ...
    def advance(self, now_ns: int) -> list[tuple[int, bytes, int]]:
        """Do all that is due until now; what left on links: (port, packet, time_ns), CPU port included."""
    def take_digests(self) -> list[tuple[int, list[list[bytes]], int]]:
        """(digest id, list of messages each a list of field values, time_ns of the first) since the last call.

        The digest id is the one of the BMv2 JSON. Messages are in order; only neighbours share a list.
        """

MAX_THREADS: Final[int]
"""The most threads of a :class:`RealtimeSwitch`."""

@final
class RealtimeSwitch(Control):
    """The data plane on Linux interfaces, driven by threads of its own against CLOCK_MONOTONIC."""

    def __new__(
        cls,
        *,
        device_id: int = 0,
        cpu_port: int | None = None,
        drop_port: int = 511,
        seed: int = 1,
        priority_queues: int = 1,
        slowdown: int = 1,
        threads: int = 1,
        fanout: int = 1,
        cpus: Sequence[int] = (),
        io: str = "packet",
        poll_us: int = 0,
    ) -> Self:
        """``threads`` (1 to 64) read and send, ``fanout`` of them share what arrives on one port by its flows.

        Each thread runs on one of the processors ``cpus``, in their order, or on any, and waits busily for ``poll_us``
        before it sleeps. ``io`` is packet, xdp or auto.
        """
    @property
    def device_id(self) -> int: ...
    def add_port(self, port: int, interface: str, pcap_prefix: str | PathLike[str] | None = None) -> None:
        """Bind a Linux interface, promiscuous.

        ``pcap_prefix`` writes ``PREFIX_in.pcap`` and ``PREFIX_out.pcap``, with nanoseconds. An interface that
        goes down or is removed later is logged, and used again when it returns.
        Raises :class:`OSError` where the interface or a capture cannot be opened, and :class:`DataPlaneError` where
        ``io`` is ``xdp`` and the interface cannot be used so.
        """
    def remove_port(self, port: int) -> None: ...
    def start(self) -> None:
        """Start the threads. A switch that was stopped can be given ports and started again."""
    def stop(self) -> None:
        """Stop the threads, close the sockets and end all waits; safe to call twice."""
    @property
    def failure(self) -> str | None:
        """The reason that nothing is forwarded any more: the thread ended by itself, or a call broke the switch.

        It stays so: waits end at once, and the process should end.
        """
    def packet_out(self, packet: bytes) -> None:
        """A packet from the CPU port, as it stands (with its packet_out header)."""
    def wait_cpu(self, timeout_ns: int) -> list[tuple[bytes, int]]:
        """Packets that left by the CPU port since the last call, waiting for the first one; releases the GIL."""
    def wait_digests(self, timeout_ns: int) -> list[tuple[int, list[list[bytes]], int]]:
        """As ``VirtualSwitch.take_digests``, waiting for the first one; releases the GIL."""

class GrpcConnection:
    """A client's connection."""

    @property
    def calls(self) -> int:
        """The number of calls that are open on it."""
    def close(self) -> None:
        """Close it, whatever it does."""

class GrpcCall:
    """A call that a client began.

    ``done`` is called once, on a thread of the server, with a message or None, and None or an error: its number in
    gRPC and its text.
    """

    @property
    def path(self) -> str:
        """``/SERVICE/METHOD``, as the client wrote it."""
    @property
    def connection(self) -> GrpcConnection: ...
    def read(
        self, limit_bytes: int, done: Callable[[bytes | None, tuple[int, str] | None], None]
    ) -> tuple[bytes | None, tuple[int, str] | None] | None:
        """The next message; None after the last.

        Returns what ``done`` would be called with if that is here already, and does not call it.
        """
    def write(self, message: bytes, done: Callable[[bytes | None, tuple[int, str] | None], None]) -> bool:
        """Send a message; done when the client has room for the next one, or the call is over.

        Returns whether the next one may follow at once: then ``done`` is not called.
        """
    def end(self, code: int, message: str, details: bytes) -> None:
        """End the call after what was written. ``details`` are those of ``grpc-status-details-bin``."""
    def over(self, done: Callable[[bytes | None, tuple[int, str] | None], None]) -> None:
        """``done`` is called when the client gave the call up before :meth:`end`."""

class GrpcHandler(Protocol):
    """Decides about connections and answers calls, on the server's thread, which serves nobody meanwhile."""

    def opened(self, connection: GrpcConnection, descriptor: int) -> str | None:
        """The peer that a new connection is counted for; None if it is not served.

        The descriptor is its socket's, for the length of the call only.
        """
    def authenticated(self, connection: GrpcConnection) -> None:
        """The client has shown its certificate."""
    def closed(self, connection: GrpcConnection) -> None:
        """A connection that was served is closed."""
    def begun(self, native: GrpcCall) -> None: ...
    def failed(self, reason: str) -> None:
        """No connection is accepted any more, by a fault."""

@final
class GrpcServer:
    """A gRPC server whose calls are streams of bytes.

    Raises OSError for an address that cannot be had, and ValueError for certificates that are none.
    """

    def __new__(
        cls,
        address: str,
        handler: GrpcHandler,
        *,
        certificate: bytes | None,
        key: bytes | None,
        client_authority: bytes | None,
        calls: int,
        calls_of_peer: int,
        calls_per_connection: int,
        metadata_bytes: int,
        stream_window_bytes: int,
        connection_window_bytes: int,
        first_call_ms: int,
        answer_ms: int,
        keepalive_ms: int,
        keepalive_answer_ms: int,
    ) -> Self: ...
    @property
    def address(self) -> str:
        """With the port that it got."""
    def start(self) -> None:
        """Begin to accept connections."""
    def stop(self, grace_ms: int) -> None:
        """Accept no more. Calls may go on for ``grace_ms``; then their connections are closed."""
