// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Clone sessions and multicast groups.

use pyo3::prelude::*;
use quench_dataplane::control::{Change, CloneSession, MulticastGroup};

use super::PyControl;
use crate::convert::{replica_tuples, replicas};
use crate::number::Num;

/// (session, replicas, truncate_bytes, class_of_service).
type SessionTuple = (u32, Vec<(u32, u16)>, u32, u32);
/// (group, replicas).
type GroupTuple = (u32, Vec<(u32, u16)>);
type ReplicaPairs = Vec<(Num<u32>, Num<u16>)>;

#[pymethods]
impl PyControl {
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
            .write(py, Change::CloneSessionSet(session.0, value))
    }

    fn clone_session_delete(&self, py: Python<'_>, session: Num<u32>) -> PyResult<()> {
        self.target.write(py, Change::CloneSessionDelete(session.0))
    }

    fn clone_sessions(&self, py: Python<'_>) -> PyResult<Vec<SessionTuple>> {
        let sessions = self.target.look(py, |switch, _| switch.clone_sessions())?;
        Ok(sessions
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
            .collect())
    }

    /// The replicas of a session.
    fn clone_session(
        &self,
        py: Python<'_>,
        session: Num<u32>,
    ) -> PyResult<Option<Vec<(u32, u16)>>> {
        let found = self
            .target
            .look(py, |switch, _| switch.clone_session(session.0).cloned())?;
        Ok(found.map(|found| replica_tuples(&found.replicas)))
    }

    #[pyo3(signature = (group, replicas, backups = Vec::new()))]
    fn multicast_group_set(
        &self,
        py: Python<'_>,
        group: Num<u32>,
        replicas: ReplicaPairs,
        backups: Vec<ReplicaPairs>,
    ) -> PyResult<()> {
        let value = MulticastGroup {
            replicas: self::replicas(replicas),
            backups: backups.into_iter().map(self::replicas).collect(),
        };
        self.target
            .write(py, Change::MulticastGroupSet(group.0, value))
    }

    fn multicast_group_delete(&self, py: Python<'_>, group: Num<u32>) -> PyResult<()> {
        self.target.write(py, Change::MulticastGroupDelete(group.0))
    }

    fn multicast_groups(&self, py: Python<'_>) -> PyResult<Vec<GroupTuple>> {
        let groups = self
            .target
            .look(py, |switch, _| switch.multicast_groups())?;
        Ok(groups
            .into_iter()
            .map(|(id, group)| (id, replica_tuples(&group.replicas)))
            .collect())
    }

    fn multicast_groups_page(
        &self,
        py: Python<'_>,
        from_: usize,
        count: usize,
    ) -> PyResult<(Vec<GroupTuple>, Option<usize>)> {
        let (groups, next) = self
            .target
            .look(py, |switch, _| switch.multicast_groups_page(from_, count))?;
        let groups = groups
            .into_iter()
            .map(|(id, group)| (id, replica_tuples(&group.replicas)));
        Ok((groups.collect(), next))
    }

    fn missing_copies(&self, py: Python<'_>) -> PyResult<(Option<u16>, Option<u16>)> {
        self.target.look(py, |switch, _| switch.missing_copies())
    }
}
