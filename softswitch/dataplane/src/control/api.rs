// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The requests.

use super::{
    ActionCall, CloneSession, ControlResult, CounterValue, Entry, EntryData, Group, MatchField,
    MeterRates, Page, PortOptions, PortState, ProgramInfo, Replica, TableAction,
};

/// The requests of a control plane, in real and in virtual time.
///
/// `now_ns` is the caller's clock, the same that packets are received with; only requests that start or read an age
/// need it.
pub trait Control {
    /// Replaces the program: all state is new, entries that the program itself gives are in place. Packets in queues
    /// and on links are dropped; ports keep their options; clone sessions and multicast groups are cleared.
    fn load_json(&mut self, json: &str) -> ControlResult<()>;
    /// Removes the program; packets are then dropped and counted.
    fn unload(&mut self);
    fn program(&self) -> Option<&ProgramInfo>;

    fn table_insert(
        &mut self,
        table: &str,
        key: &[MatchField],
        priority: i32,
        data: EntryData,
        now_ns: u64,
    ) -> ControlResult<()>;
    fn table_modify(
        &mut self,
        table: &str,
        key: &[MatchField],
        priority: i32,
        data: EntryData,
        now_ns: u64,
    ) -> ControlResult<()>;
    fn table_delete(&mut self, table: &str, key: &[MatchField], priority: i32)
        -> ControlResult<()>;
    fn table_get(
        &self,
        table: &str,
        key: &[MatchField],
        priority: i32,
        now_ns: u64,
    ) -> ControlResult<Option<Entry>>;
    fn table_entries(&self, table: &str, now_ns: u64) -> ControlResult<Vec<Entry>>;
    /// Up to `count` entries from a place on, 0 at first, and the place to go on from. Entries that come and go between
    /// two calls may be missed; no other is, and none comes twice.
    fn table_page(
        &self,
        table: &str,
        from: usize,
        count: usize,
        now_ns: u64,
    ) -> ControlResult<Page<Entry>>;
    fn table_default(&self, table: &str) -> ControlResult<Option<TableAction>>;
    /// `None` restores the program's own default.
    fn table_set_default(&mut self, table: &str, action: Option<TableAction>) -> ControlResult<()>;
    fn direct_counter_write(
        &mut self,
        table: &str,
        key: &[MatchField],
        priority: i32,
        value: CounterValue,
    ) -> ControlResult<()>;
    /// `None` removes the rates: every packet is green.
    fn direct_meter_write(
        &mut self,
        table: &str,
        key: &[MatchField],
        priority: i32,
        rates: Option<MeterRates>,
    ) -> ControlResult<()>;
    /// The direct counter of the table's default action; `None` without direct counters.
    fn default_counter_read(&self, table: &str) -> ControlResult<Option<CounterValue>>;
    fn default_counter_write(&mut self, table: &str, value: CounterValue) -> ControlResult<()>;
    /// Up to `count` entries whose idle timeout ran out, with their table; each is reported once until hit again.
    fn expired_entries(&mut self, now_ns: u64, count: usize) -> Vec<(String, Entry)>;

    fn member_insert(
        &mut self,
        profile: &str,
        member: u32,
        action: ActionCall,
    ) -> ControlResult<()>;
    fn member_modify(
        &mut self,
        profile: &str,
        member: u32,
        action: ActionCall,
    ) -> ControlResult<()>;
    fn member_delete(&mut self, profile: &str, member: u32) -> ControlResult<()>;
    fn members(&self, profile: &str) -> ControlResult<Vec<(u32, ActionCall)>>;
    /// As [`Self::table_page`].
    fn members_page(
        &self,
        profile: &str,
        from: usize,
        count: usize,
    ) -> ControlResult<Page<(u32, ActionCall)>>;
    fn group_insert(&mut self, profile: &str, group: Group) -> ControlResult<()>;
    fn group_modify(&mut self, profile: &str, group: Group) -> ControlResult<()>;
    fn group_delete(&mut self, profile: &str, group: u32) -> ControlResult<()>;
    fn groups(&self, profile: &str) -> ControlResult<Vec<Group>>;
    /// As [`Self::table_page`].
    fn groups_page(&self, profile: &str, from: usize, count: usize) -> ControlResult<Page<Group>>;
    /// Marks a port as up or down for selectors that watch it; ports are up at first.
    fn set_port_up(&mut self, port: u32, up: bool);

    fn counter_read(&self, counter: &str, index: u64) -> ControlResult<CounterValue>;
    fn counter_write(
        &mut self,
        counter: &str,
        index: u64,
        value: CounterValue,
    ) -> ControlResult<()>;
    fn counter_read_all(&self, counter: &str) -> ControlResult<Vec<CounterValue>>;
    fn meter_read(&self, meter: &str, index: u64) -> ControlResult<Option<MeterRates>>;
    fn meter_write(
        &mut self,
        meter: &str,
        index: u64,
        rates: Option<MeterRates>,
    ) -> ControlResult<()>;
    fn meter_read_all(&self, meter: &str) -> ControlResult<Vec<Option<MeterRates>>>;
    fn register_read(&self, register: &str, index: u64) -> ControlResult<Vec<u8>>;
    fn register_write(&mut self, register: &str, index: u64, value: &[u8]) -> ControlResult<()>;
    fn register_read_all(&self, register: &str) -> ControlResult<Vec<Vec<u8>>>;
    fn value_set_read(&self, value_set: &str) -> ControlResult<Vec<Vec<MatchField>>>;
    /// Replaces all members of a value set.
    fn value_set_write(
        &mut self,
        value_set: &str,
        members: &[Vec<MatchField>],
    ) -> ControlResult<()>;

    /// Sessions are 0 to 32767, as in simple_switch.
    fn clone_session_set(&mut self, session: u32, value: CloneSession) -> ControlResult<()>;
    fn clone_session_delete(&mut self, session: u32) -> ControlResult<()>;
    fn clone_sessions(&self) -> Vec<(u32, CloneSession)>;
    /// Groups are 1 to 65535: 0 in `mcast_grp` means no multicast.
    fn multicast_group_set(&mut self, group: u32, replicas: Vec<Replica>) -> ControlResult<()>;
    fn multicast_group_delete(&mut self, group: u32) -> ControlResult<()>;
    fn multicast_groups(&self) -> Vec<(u32, Vec<Replica>)>;

    /// Changes the named options of a port, which exists from then on; takes effect for the next packet that starts.
    fn port_set(&mut self, port: u32, options: &PortOptions, now_ns: u64) -> ControlResult<()>;
    fn port_get(&self, port: u32, now_ns: u64) -> ControlResult<PortState>;
    fn port_reset_stats(&mut self, port: u32, now_ns: u64) -> ControlResult<()>;
    fn ports(&self) -> Vec<u32>;
    /// The memory that entries, members, groups, value sets, clone sessions and multicast groups take, roughly.
    fn state_bytes(&self) -> usize;
    /// Switch-wide counts by name: packets per pipeline, clones, drops by reason, out-of-range accesses, parser errors.
    fn stats(&self) -> Vec<(&'static str, u64)>;
}
