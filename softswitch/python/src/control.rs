// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! `_Control`: the calls that both switches share.

use std::collections::BTreeMap;
use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};
use quench_dataplane::control::{
    ActionCall, CloneSession, Control, CounterValue, EntryData, PortOptions, TableAction,
};

use crate::convert::{
    bytes_list, counter_tuple, entry_dict, group, group_tuple, key, key_list, rates, rates_tuple,
    replica_tuples, replicas, GroupTuple, Key, PyGroupMember, PyRates, Py_,
};
use crate::number::Num;
use crate::ports::port_dict;
use crate::program::program_dict;
use crate::target::Target;

type Rates = (u64, u64, u64, u64);
/// (session, replicas, truncate_bytes, class_of_service).
type SessionTuple = (u32, Vec<(u32, u16)>, u32, u32);
type ReplicaPairs = Vec<(Num<u32>, Num<u16>)>;

#[pyclass(name = "_Control", module = "quench_switch._native", subclass, frozen)]
pub struct PyControl {
    target: Arc<dyn Target>,
}

impl PyControl {
    pub fn new(target: Arc<dyn Target>) -> Self {
        Self { target }
    }
}

#[pymethods]
impl PyControl {
    fn load(&self, py: Python<'_>, json: &str) -> PyResult<()> {
        self.target
            .try_change(py, |switch, _| switch.load_json(json))
    }

    fn unload(&self, py: Python<'_>) {
        self.target.change(py, |switch, _| switch.unload());
    }

    fn program<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let program = self.target.look(py, |switch, _| switch.program().cloned());
        program
            .map(|program| program_dict(py, &program))
            .transpose()
    }

    #[pyo3(signature = (table, key, priority, action, metadata = Py_(Vec::new()), idle_timeout_ns = Num(0)))]
    #[allow(clippy::too_many_arguments)]
    fn table_insert(
        &self,
        py: Python<'_>,
        table: &str,
        key: Key,
        priority: i32,
        action: Py_<TableAction>,
        metadata: Py_<Vec<u8>>,
        idle_timeout_ns: Num<u64>,
    ) -> PyResult<()> {
        let key = self::key(key);
        let data = entry_data(action, metadata, idle_timeout_ns);
        self.target.try_change(py, |switch, now_ns| {
            switch.table_insert(table, &key, priority, data, now_ns)
        })
    }

    #[pyo3(signature = (table, key, priority, action, metadata = Py_(Vec::new()), idle_timeout_ns = Num(0)))]
    #[allow(clippy::too_many_arguments)]
    fn table_modify(
        &self,
        py: Python<'_>,
        table: &str,
        key: Key,
        priority: i32,
        action: Py_<TableAction>,
        metadata: Py_<Vec<u8>>,
        idle_timeout_ns: Num<u64>,
    ) -> PyResult<()> {
        let key = self::key(key);
        let data = entry_data(action, metadata, idle_timeout_ns);
        self.target.try_change(py, |switch, now_ns| {
            switch.table_modify(table, &key, priority, data, now_ns)
        })
    }

    fn table_delete(&self, py: Python<'_>, table: &str, key: Key, priority: i32) -> PyResult<()> {
        let key = self::key(key);
        self.target
            .try_change(py, |switch, _| switch.table_delete(table, &key, priority))
    }

    fn table_get<'py>(
        &self,
        py: Python<'py>,
        table: &str,
        key: Key,
        priority: i32,
    ) -> PyResult<Option<Bound<'py, PyDict>>> {
        let key = self::key(key);
        let entry = self.target.try_look(py, |switch, now_ns| {
            switch.table_get(table, &key, priority, now_ns)
        })?;
        entry.map(|entry| entry_dict(py, &entry)).transpose()
    }

    fn table_entries<'py>(
        &self,
        py: Python<'py>,
        table: &str,
    ) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let entries = self
            .target
            .try_look(py, |switch, now_ns| switch.table_entries(table, now_ns))?;
        entries.iter().map(|entry| entry_dict(py, entry)).collect()
    }

    fn table_default<'py>(
        &self,
        py: Python<'py>,
        table: &str,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let action = self
            .target
            .try_look(py, |switch, _| switch.table_default(table))?;
        action
            .map(|action| Ok(Py_(&action).into_pyobject(py)?.into_any()))
            .transpose()
    }

    #[pyo3(signature = (table, action))]
    fn table_set_default(
        &self,
        py: Python<'_>,
        table: &str,
        action: Option<Py_<TableAction>>,
    ) -> PyResult<()> {
        let action = action.map(|action| action.0);
        self.target
            .try_change(py, |switch, _| switch.table_set_default(table, action))
    }

    #[allow(clippy::too_many_arguments)]
    fn direct_counter_write(
        &self,
        py: Python<'_>,
        table: &str,
        key: Key,
        priority: i32,
        packets: Num<u64>,
        bytes_: Num<u64>,
    ) -> PyResult<()> {
        let key = self::key(key);
        let value = counter_value(packets, bytes_);
        self.target.try_change(py, |switch, _| {
            switch.direct_counter_write(table, &key, priority, value)
        })
    }

    #[pyo3(signature = (table, key, priority, rates))]
    fn direct_meter_write(
        &self,
        py: Python<'_>,
        table: &str,
        key: Key,
        priority: i32,
        rates: Option<PyRates>,
    ) -> PyResult<()> {
        let key = self::key(key);
        let rates = rates.map(self::rates);
        self.target.try_change(py, |switch, _| {
            switch.direct_meter_write(table, &key, priority, rates)
        })
    }

    fn default_counter_read(&self, py: Python<'_>, table: &str) -> PyResult<Option<(u64, u64)>> {
        let value = self
            .target
            .try_look(py, |switch, _| switch.default_counter_read(table))?;
        Ok(value.map(counter_tuple))
    }

    fn default_counter_write(
        &self,
        py: Python<'_>,
        table: &str,
        packets: Num<u64>,
        bytes_: Num<u64>,
    ) -> PyResult<()> {
        let value = counter_value(packets, bytes_);
        self.target
            .try_change(py, |switch, _| switch.default_counter_write(table, value))
    }

    fn expired_entries<'py>(&self, py: Python<'py>) -> PyResult<Vec<(String, Bound<'py, PyDict>)>> {
        let expired = self
            .target
            .change(py, |switch, now_ns| switch.expired_entries(now_ns));
        expired
            .into_iter()
            .map(|(table, entry)| Ok((table, entry_dict(py, &entry)?)))
            .collect()
    }

    fn member_insert(
        &self,
        py: Python<'_>,
        profile: &str,
        member: Num<u32>,
        action: Py_<ActionCall>,
    ) -> PyResult<()> {
        self.target.try_change(py, |switch, _| {
            switch.member_insert(profile, member.0, action.0)
        })
    }

    fn member_modify(
        &self,
        py: Python<'_>,
        profile: &str,
        member: Num<u32>,
        action: Py_<ActionCall>,
    ) -> PyResult<()> {
        self.target.try_change(py, |switch, _| {
            switch.member_modify(profile, member.0, action.0)
        })
    }

    fn member_delete(&self, py: Python<'_>, profile: &str, member: Num<u32>) -> PyResult<()> {
        self.target
            .try_change(py, |switch, _| switch.member_delete(profile, member.0))
    }

    fn members<'py>(&self, py: Python<'py>, profile: &str) -> PyResult<Bound<'py, PyList>> {
        let members = self
            .target
            .try_look(py, |switch, _| switch.members(profile))?;
        PyList::new(
            py,
            members
                .iter()
                .map(|(member, action)| (*member, Py_(action))),
        )
    }

    #[pyo3(signature = (profile, group, members, max_size = Num(0)))]
    fn group_insert(
        &self,
        py: Python<'_>,
        profile: &str,
        group: Num<u32>,
        members: Vec<PyGroupMember>,
        max_size: Num<u32>,
    ) -> PyResult<()> {
        let group = self::group(group.0, members, max_size.0);
        self.target
            .try_change(py, |switch, _| switch.group_insert(profile, group))
    }

    #[pyo3(signature = (profile, group, members, max_size = Num(0)))]
    fn group_modify(
        &self,
        py: Python<'_>,
        profile: &str,
        group: Num<u32>,
        members: Vec<PyGroupMember>,
        max_size: Num<u32>,
    ) -> PyResult<()> {
        let group = self::group(group.0, members, max_size.0);
        self.target
            .try_change(py, |switch, _| switch.group_modify(profile, group))
    }

    fn group_delete(&self, py: Python<'_>, profile: &str, group: Num<u32>) -> PyResult<()> {
        self.target
            .try_change(py, |switch, _| switch.group_delete(profile, group.0))
    }

    fn groups(&self, py: Python<'_>, profile: &str) -> PyResult<Vec<GroupTuple>> {
        let groups = self
            .target
            .try_look(py, |switch, _| switch.groups(profile))?;
        Ok(groups.into_iter().map(group_tuple).collect())
    }

    fn counter_read(&self, py: Python<'_>, counter: &str, index: Num<u64>) -> PyResult<(u64, u64)> {
        let value = self
            .target
            .try_look(py, |switch, _| switch.counter_read(counter, index.0))?;
        Ok(counter_tuple(value))
    }

    fn counter_write(
        &self,
        py: Python<'_>,
        counter: &str,
        index: Num<u64>,
        packets: Num<u64>,
        bytes_: Num<u64>,
    ) -> PyResult<()> {
        let value = counter_value(packets, bytes_);
        self.target.try_change(py, |switch, _| {
            switch.counter_write(counter, index.0, value)
        })
    }

    fn counter_read_all(&self, py: Python<'_>, counter: &str) -> PyResult<Vec<(u64, u64)>> {
        let values = self
            .target
            .try_look(py, |switch, _| switch.counter_read_all(counter))?;
        Ok(values.into_iter().map(counter_tuple).collect())
    }

    fn meter_read(&self, py: Python<'_>, meter: &str, index: Num<u64>) -> PyResult<Option<Rates>> {
        let rates = self
            .target
            .try_look(py, |switch, _| switch.meter_read(meter, index.0))?;
        Ok(rates.map(rates_tuple))
    }

    fn meter_read_all(&self, py: Python<'_>, meter: &str) -> PyResult<Vec<Option<Rates>>> {
        let rates = self
            .target
            .try_look(py, |switch, _| switch.meter_read_all(meter))?;
        Ok(rates
            .into_iter()
            .map(|rates| rates.map(rates_tuple))
            .collect())
    }

    #[pyo3(signature = (meter, index, rates))]
    fn meter_write(
        &self,
        py: Python<'_>,
        meter: &str,
        index: Num<u64>,
        rates: Option<PyRates>,
    ) -> PyResult<()> {
        let rates = rates.map(self::rates);
        self.target
            .try_change(py, |switch, _| switch.meter_write(meter, index.0, rates))
    }

    fn register_read<'py>(
        &self,
        py: Python<'py>,
        register: &str,
        index: Num<u64>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let value = self
            .target
            .try_look(py, |switch, _| switch.register_read(register, index.0))?;
        Ok(PyBytes::new(py, &value))
    }

    fn register_write(
        &self,
        py: Python<'_>,
        register: &str,
        index: Num<u64>,
        value: Py_<Vec<u8>>,
    ) -> PyResult<()> {
        self.target.try_change(py, |switch, _| {
            switch.register_write(register, index.0, &value.0)
        })
    }

    fn register_read_all<'py>(
        &self,
        py: Python<'py>,
        register: &str,
    ) -> PyResult<Bound<'py, PyList>> {
        let values = self
            .target
            .try_look(py, |switch, _| switch.register_read_all(register))?;
        bytes_list(py, &values)
    }

    fn value_set_read<'py>(
        &self,
        py: Python<'py>,
        value_set: &str,
    ) -> PyResult<Vec<Bound<'py, PyList>>> {
        let members = self
            .target
            .try_look(py, |switch, _| switch.value_set_read(value_set))?;
        members.iter().map(|member| key_list(py, member)).collect()
    }

    fn value_set_write(&self, py: Python<'_>, value_set: &str, members: Vec<Key>) -> PyResult<()> {
        let members: Vec<_> = members.into_iter().map(key).collect();
        self.target
            .try_change(py, |switch, _| switch.value_set_write(value_set, &members))
    }

    #[pyo3(signature = (session, replicas, truncate_bytes = Num(0), class_of_service = Num(0)))]
    fn clone_session_set(
        &self,
        py: Python<'_>,
        session: Num<u32>,
        replicas: ReplicaPairs,
        truncate_bytes: Num<u32>,
        class_of_service: Num<u32>,
    ) -> PyResult<()> {
        let value = CloneSession {
            replicas: self::replicas(replicas),
            truncate_bytes: truncate_bytes.0,
            class_of_service: class_of_service.0,
        };
        self.target
            .try_change(py, |switch, _| switch.clone_session_set(session.0, value))
    }

    fn clone_session_delete(&self, py: Python<'_>, session: Num<u32>) -> PyResult<()> {
        self.target
            .try_change(py, |switch, _| switch.clone_session_delete(session.0))
    }

    fn clone_sessions(&self, py: Python<'_>) -> Vec<SessionTuple> {
        let sessions = self.target.look(py, |switch, _| switch.clone_sessions());
        sessions
            .into_iter()
            .map(|(id, session)| {
                let replicas = replica_tuples(&session.replicas);
                (
                    id,
                    replicas,
                    session.truncate_bytes,
                    session.class_of_service,
                )
            })
            .collect()
    }

    fn multicast_group_set(
        &self,
        py: Python<'_>,
        group: Num<u32>,
        replicas: ReplicaPairs,
    ) -> PyResult<()> {
        let replicas = self::replicas(replicas);
        self.target.try_change(py, |switch, _| {
            switch.multicast_group_set(group.0, replicas)
        })
    }

    fn multicast_group_delete(&self, py: Python<'_>, group: Num<u32>) -> PyResult<()> {
        self.target
            .try_change(py, |switch, _| switch.multicast_group_delete(group.0))
    }

    fn multicast_groups(&self, py: Python<'_>) -> Vec<(u32, Vec<(u32, u16)>)> {
        let groups = self.target.look(py, |switch, _| switch.multicast_groups());
        groups
            .into_iter()
            .map(|(id, replicas)| (id, replica_tuples(&replicas)))
            .collect()
    }

    fn port_set(&self, py: Python<'_>, port: Num<u32>, options: Py_<PortOptions>) -> PyResult<()> {
        self.target.try_change(py, |switch, now_ns| {
            switch.port_set(port.0, &options.0, now_ns)
        })
    }

    fn port_get<'py>(&self, py: Python<'py>, port: Num<u32>) -> PyResult<Bound<'py, PyDict>> {
        let state = self
            .target
            .try_look(py, |switch, now_ns| switch.port_get(port.0, now_ns))?;
        port_dict(py, &state)
    }

    fn port_reset_stats(&self, py: Python<'_>, port: Num<u32>) -> PyResult<()> {
        self.target
            .try_change(py, |switch, now_ns| switch.port_reset_stats(port.0, now_ns))
    }

    fn ports(&self, py: Python<'_>) -> Vec<u32> {
        self.target.look(py, |switch, _| switch.ports())
    }

    fn stats(&self, py: Python<'_>) -> BTreeMap<&'static str, u64> {
        py.detach(|| self.target.stats()).into_iter().collect()
    }
}

fn entry_data(
    action: Py_<TableAction>,
    metadata: Py_<Vec<u8>>,
    idle_timeout_ns: Num<u64>,
) -> EntryData {
    EntryData {
        action: action.0,
        metadata: metadata.0,
        idle_timeout_ns: idle_timeout_ns.0,
    }
}

fn counter_value(packets: Num<u64>, bytes: Num<u64>) -> CounterValue {
    CounterValue {
        packets: packets.0,
        bytes: bytes.0,
    }
}
