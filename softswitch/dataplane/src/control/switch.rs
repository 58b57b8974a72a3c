// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The switch answers control requests.

use super::tables::refuse;
use super::{
    ActionCall, CloneSession, Control, ControlResult, CounterValue, Entry, EntryData, ErrorCode,
    Group, MatchField, MeterRates, Page, PortOptions, PortState, ProgramInfo, Replica, TableAction,
};
use crate::switch::{Core, Switch};

impl Switch {
    fn loaded(&self) -> ControlResult<&Core> {
        match &self.core {
            Some(core) => Ok(core),
            None => refuse(ErrorCode::FailedPrecondition, "no program is loaded"),
        }
    }

    fn loaded_mut(&mut self) -> ControlResult<&mut Core> {
        match &mut self.core {
            Some(core) => Ok(core),
            None => refuse(ErrorCode::FailedPrecondition, "no program is loaded"),
        }
    }
}

impl Control for Switch {
    fn load_json(&mut self, json: &str) -> ControlResult<()> {
        Switch::load_json(self, json)
    }

    fn unload(&mut self) {
        self.reset();
    }

    fn program(&self) -> Option<&ProgramInfo> {
        self.core.as_ref().map(|core| &core.program.info)
    }

    fn table_insert(
        &mut self,
        table: &str,
        key: &[MatchField],
        priority: i32,
        data: EntryData,
        now_ns: u64,
    ) -> ControlResult<()> {
        self.loaded_mut()?
            .table_insert(table, key, priority, data, now_ns)
    }

    fn table_modify(
        &mut self,
        table: &str,
        key: &[MatchField],
        priority: i32,
        data: EntryData,
        now_ns: u64,
    ) -> ControlResult<()> {
        self.loaded_mut()?
            .table_modify(table, key, priority, data, now_ns)
    }

    fn table_delete(
        &mut self,
        table: &str,
        key: &[MatchField],
        priority: i32,
    ) -> ControlResult<()> {
        self.loaded_mut()?.table_delete(table, key, priority)
    }

    fn table_get(
        &self,
        table: &str,
        key: &[MatchField],
        priority: i32,
        now_ns: u64,
    ) -> ControlResult<Option<Entry>> {
        self.loaded()?.table_get(table, key, priority, now_ns)
    }

    fn table_entries(&self, table: &str, now_ns: u64) -> ControlResult<Vec<Entry>> {
        self.loaded()?.table_entries(table, now_ns)
    }

    fn table_page(
        &self,
        table: &str,
        from: usize,
        count: usize,
        now_ns: u64,
    ) -> ControlResult<Page<Entry>> {
        self.loaded()?.table_page(table, from, count, now_ns)
    }

    fn table_default(&self, table: &str) -> ControlResult<Option<TableAction>> {
        self.loaded()?.table_default(table)
    }

    fn table_set_default(&mut self, table: &str, action: Option<TableAction>) -> ControlResult<()> {
        self.loaded_mut()?.table_set_default(table, action)
    }

    fn direct_counter_write(
        &mut self,
        table: &str,
        key: &[MatchField],
        priority: i32,
        value: CounterValue,
    ) -> ControlResult<()> {
        self.loaded_mut()?
            .direct_counter_write(table, key, priority, value)
    }

    fn direct_meter_write(
        &mut self,
        table: &str,
        key: &[MatchField],
        priority: i32,
        rates: Option<MeterRates>,
    ) -> ControlResult<()> {
        self.loaded_mut()?
            .direct_meter_write(table, key, priority, rates)
    }

    fn default_counter_read(&self, table: &str) -> ControlResult<Option<CounterValue>> {
        self.loaded()?.default_counter_read(table)
    }

    fn default_counter_write(&mut self, table: &str, value: CounterValue) -> ControlResult<()> {
        self.loaded_mut()?.default_counter_write(table, value)
    }

    fn expired_entries(&mut self, now_ns: u64, count: usize) -> Vec<(String, Entry)> {
        self.core
            .as_mut()
            .map_or_else(Vec::new, |core| core.expired_entries(now_ns, count))
    }

    fn member_insert(
        &mut self,
        profile: &str,
        member: u32,
        action: ActionCall,
    ) -> ControlResult<()> {
        self.loaded_mut()?.member_insert(profile, member, &action)
    }

    fn member_modify(
        &mut self,
        profile: &str,
        member: u32,
        action: ActionCall,
    ) -> ControlResult<()> {
        self.loaded_mut()?.member_modify(profile, member, &action)
    }

    fn member_delete(&mut self, profile: &str, member: u32) -> ControlResult<()> {
        self.loaded_mut()?.member_delete(profile, member)
    }

    fn members(&self, profile: &str) -> ControlResult<Vec<(u32, ActionCall)>> {
        self.loaded()?.members(profile)
    }

    fn members_page(
        &self,
        profile: &str,
        from: usize,
        count: usize,
    ) -> ControlResult<Page<(u32, ActionCall)>> {
        self.loaded()?.members_page(profile, from, count)
    }

    fn group_insert(&mut self, profile: &str, group: Group) -> ControlResult<()> {
        self.loaded_mut()?.group_insert(profile, group)
    }

    fn group_modify(&mut self, profile: &str, group: Group) -> ControlResult<()> {
        self.loaded_mut()?.group_modify(profile, group)
    }

    fn group_delete(&mut self, profile: &str, group: u32) -> ControlResult<()> {
        self.loaded_mut()?.group_delete(profile, group)
    }

    fn groups(&self, profile: &str) -> ControlResult<Vec<Group>> {
        self.loaded()?.groups(profile)
    }

    fn groups_page(&self, profile: &str, from: usize, count: usize) -> ControlResult<Page<Group>> {
        self.loaded()?.groups_page(profile, from, count)
    }

    fn set_port_up(&mut self, port: u32, up: bool) {
        if let Some(core) = &mut self.core {
            core.set_port_up(port, up);
        }
    }

    fn counter_read(&self, counter: &str, index: u64) -> ControlResult<CounterValue> {
        self.loaded()?.counter_read(counter, index)
    }

    fn counter_write(
        &mut self,
        counter: &str,
        index: u64,
        value: CounterValue,
    ) -> ControlResult<()> {
        self.loaded_mut()?.counter_write(counter, index, value)
    }

    fn counter_read_all(&self, counter: &str) -> ControlResult<Vec<CounterValue>> {
        self.loaded()?.counter_read_all(counter)
    }

    fn meter_read(&self, meter: &str, index: u64) -> ControlResult<Option<MeterRates>> {
        self.loaded()?.meter_read(meter, index)
    }

    fn meter_write(
        &mut self,
        meter: &str,
        index: u64,
        rates: Option<MeterRates>,
    ) -> ControlResult<()> {
        self.loaded_mut()?.meter_write(meter, index, rates)
    }

    fn meter_read_all(&self, meter: &str) -> ControlResult<Vec<Option<MeterRates>>> {
        self.loaded()?.meter_read_all(meter)
    }

    fn register_read(&self, register: &str, index: u64) -> ControlResult<Vec<u8>> {
        self.loaded()?.register_read(register, index)
    }

    fn register_write(&mut self, register: &str, index: u64, value: &[u8]) -> ControlResult<()> {
        self.loaded_mut()?.register_write(register, index, value)
    }

    fn register_read_all(&self, register: &str) -> ControlResult<Vec<Vec<u8>>> {
        self.loaded()?.register_read_all(register)
    }

    fn value_set_read(&self, value_set: &str) -> ControlResult<Vec<Vec<MatchField>>> {
        self.loaded()?.value_set_read(value_set)
    }

    fn value_set_write(
        &mut self,
        value_set: &str,
        members: &[Vec<MatchField>],
    ) -> ControlResult<()> {
        self.loaded_mut()?.value_set_write(value_set, members)
    }

    fn state_bytes(&self) -> usize {
        self.core.as_ref().map_or(0, Core::footprint_bytes) + self.replication.footprint_bytes
    }

    fn clone_session_set(&mut self, session: u32, value: CloneSession) -> ControlResult<()> {
        self.set_session(session, value)
    }

    fn clone_session_delete(&mut self, session: u32) -> ControlResult<()> {
        self.delete_session(session)
    }

    fn clone_sessions(&self) -> Vec<(u32, CloneSession)> {
        self.list_sessions()
    }

    fn multicast_group_set(&mut self, group: u32, replicas: Vec<Replica>) -> ControlResult<()> {
        self.set_group(group, replicas)
    }

    fn multicast_group_delete(&mut self, group: u32) -> ControlResult<()> {
        self.delete_group(group)
    }

    fn multicast_groups(&self) -> Vec<(u32, Vec<Replica>)> {
        self.list_groups()
    }

    fn port_set(&mut self, port: u32, options: &PortOptions, now_ns: u64) -> ControlResult<()> {
        self.set_port(port, options, now_ns)
    }

    fn port_get(&self, port: u32, now_ns: u64) -> ControlResult<PortState> {
        self.get_port(port, now_ns)
    }

    fn port_reset_stats(&mut self, port: u32, now_ns: u64) -> ControlResult<()> {
        self.reset_port(port, now_ns)
    }

    fn ports(&self) -> Vec<u32> {
        self.ports.iter().copied().collect()
    }

    fn stats(&self) -> Vec<(&'static str, u64)> {
        let mut stats = self.stats.list();
        if let Some(core) = &self.core {
            let faults = &core.externs.faults;
            stats.extend([
                ("register_index_out_of_range", faults.register_index.get()),
                ("counter_index_out_of_range", faults.counter_index.get()),
                ("meter_index_out_of_range", faults.meter_index.get()),
                ("stack_index_out_of_range", faults.stack_index.get()),
                ("division_by_zero", faults.division_by_zero.get()),
            ]);
        }
        stats
    }
}
