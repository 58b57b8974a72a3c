// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Plain values that cross the control interface.
//!
//! Numbers are unsigned big-endian bytes of any length (leading zeros are allowed on the way in; on the way out values
//! have the byte width of their field). Names are the names of the BMv2 JSON, times nanoseconds, sizes bytes or
//! packets.

/// One field of a table key or of a value-set member.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum MatchField {
    Exact(Vec<u8>),
    /// Value and prefix length in bits.
    Lpm(Vec<u8>, u32),
    /// Value and mask.
    Ternary(Vec<u8>, Vec<u8>),
    /// Lowest and highest value, both inclusive.
    Range(Vec<u8>, Vec<u8>),
    Optional(Vec<u8>),
    /// Matches everything; for fields that are not exact.
    DontCare,
}

/// The packets and bytes in a queue. A packet in transmission is no longer in its queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Depth {
    pub pkts: u64,
    pub bytes: u64,
}

/// An action with its parameters, in the order of the JSON's `runtime_data`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ActionCall {
    pub name: String,
    pub params: Vec<Vec<u8>>,
}

/// One member of an action set that belongs to a single entry.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct OneShotMember {
    pub action: ActionCall,
    pub weight: u32,
    pub watch_port: Option<u32>,
}

/// An action set that belongs to a single entry.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct OneShotSet {
    pub members: Vec<OneShotMember>,
    /// A draw for each packet selects, not the selector's hash.
    pub random: bool,
    /// Kept for the controller, without meaning for the data plane.
    pub note: u8,
}

/// The action, member or group of an entry.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum TableAction {
    Action(ActionCall),
    /// A member of the table's action profile.
    Member(u32),
    /// A group of the table's action selector.
    Group(u32),
    /// A weighted set held by the entry alone (tables with a selector).
    OneShot(OneShotSet),
}

/// One member of a selector group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct GroupMember {
    pub member: u32,
    pub weight: u32,
    /// The member is skipped while this port is down.
    pub watch_port: Option<u32>,
}

/// A selector group as it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    pub id: u32,
    pub members: Vec<GroupMember>,
    /// 0 where none was given.
    pub max_size: u32,
}

/// Packets and bytes of one counter, in this order for compiled code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct CounterValue {
    pub packets: u64,
    pub bytes: u64,
}

/// Rates of a three-colour meter, per second and in units, bytes or packets as the meter is declared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MeterRates {
    pub cir: u64,
    /// Billionths of a unit per second above `cir`, fewer than a billion.
    pub cir_billionths: u32,
    pub cburst: u64,
    pub pir: u64,
    /// Billionths of a unit above `pir`.
    pub pir_billionths: u32,
    pub pburst: u64,
    /// With one, the meter is RFC 2697's and has a single rate, `cir`; with 0, RFC 2698's.
    pub eburst: u64,
}

impl MeterRates {
    /// The committed rate in billionths of a unit per second.
    pub fn committed(&self) -> u128 {
        billionths(self.cir, self.cir_billionths)
    }

    /// The peak rate in billionths of a unit per second.
    pub fn peak(&self) -> u128 {
        billionths(self.pir, self.pir_billionths)
    }
}

fn billionths(whole: u64, part: u32) -> u128 {
    u128::from(whole) * 1_000_000_000 + u128::from(part)
}

/// The way a low-pass filter treats its samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LpfKind {
    /// Averages them.
    Sample,
    /// Adds them up, and lets the sum decay.
    Rate,
}

/// Settings of a low-pass filter (`Lpf`), as BF-Runtime has them. The hardware rounds time constants down to 10 bits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LpfConfig {
    pub kind: LpfKind,
    /// The time constant for samples above the average.
    pub gain_time_constant_ns: f64,
    /// For the others: the same, or a power of two apart.
    pub decay_time_constant_ns: f64,
    /// Bits that the result is shifted down by, 0 to 31.
    pub out_scale_down_factor: u32,
}

/// Settings of random drops (`Wred`), as BF-Runtime has them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WredConfig {
    pub time_constant_ns: f64,
    /// In the units of the samples.
    pub min_thresh: u32,
    pub max_thresh: u32,
    /// Above 0, up to 1; rounded up to whole percents.
    pub max_probability: f64,
}

/// Settings of a filter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FilterConfig {
    Lpf(LpfConfig),
    Wred(WredConfig),
}

/// Counts of what a meter gave the colours green, yellow and red.
pub type ColorCounts = [CounterValue; 3];

/// An entry without its key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryData {
    pub action: TableAction,
    /// Kept for the controller, without meaning for the data plane.
    pub metadata: Vec<u8>,
    /// 0 means that the entry does not age.
    pub idle_timeout_ns: u64,
}

impl From<TableAction> for EntryData {
    fn from(action: TableAction) -> Self {
        Self {
            action,
            metadata: Vec::new(),
            idle_timeout_ns: 0,
        }
    }
}

/// A table entry as it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub key: Vec<MatchField>,
    /// 0 where the table has no ternary, range or optional field; the larger wins.
    pub priority: i32,
    pub action: TableAction,
    pub is_const: bool,
    pub metadata: Vec<u8>,
    pub idle_timeout_ns: u64,
    /// Time since the last hit, or since the entry was written; `None` where the table supports no idle time-outs.
    pub since_hit_ns: Option<u64>,
    /// `None` without a direct counter.
    pub counter: Option<CounterValue>,
    /// `None` without a direct meter, or where no rates are set.
    pub meter: Option<MeterRates>,
    /// `None` without a direct meter.
    pub color_counts: Option<ColorCounts>,
}

/// Some of many items, and the place of the next.
pub type Page<T> = (Vec<T>, Option<usize>);

/// One copy that the replication engine makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Replica {
    pub port: u32,
    /// `egress_rid` of the copy.
    pub rid: u16,
}

/// The replicas of a multicast group.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MulticastGroup {
    pub replicas: Vec<Replica>,
    /// The replicas that stand in for each one while its port is down, the preferred ones first. Shorter where the
    /// last ones have none.
    pub backups: Vec<Vec<Replica>>,
}

impl From<Vec<Replica>> for MulticastGroup {
    fn from(replicas: Vec<Replica>) -> Self {
        Self {
            replicas,
            backups: Vec::new(),
        }
    }
}

/// The replicas to which clones of one session go.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CloneSession {
    pub replicas: Vec<Replica>,
    /// 0 means the whole packet.
    pub truncate_bytes: u32,
    /// Queue (priority) that the clones use.
    pub class_of_service: u32,
}
