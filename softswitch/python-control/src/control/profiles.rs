// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Action profiles and selectors: members and groups.

use pyo3::prelude::*;
use pyo3::types::PyList;
use quench_dataplane::control::{ActionCall, Change};

use super::PyControl;
use crate::convert::{group, group_tuple, GroupTuple, PyGroupMember, Py_};
use crate::number::Num;

#[pymethods]
impl PyControl {
    fn member_insert(
        &self,
        py: Python<'_>,
        profile: String,
        member: Num<u32>,
        action: Py_<ActionCall>,
    ) -> PyResult<()> {
        self.target
            .write(py, Change::MemberInsert(profile, member.0, action.0))
    }

    fn member_modify(
        &self,
        py: Python<'_>,
        profile: String,
        member: Num<u32>,
        action: Py_<ActionCall>,
    ) -> PyResult<()> {
        self.target
            .write(py, Change::MemberModify(profile, member.0, action.0))
    }

    fn member_delete(&self, py: Python<'_>, profile: String, member: Num<u32>) -> PyResult<()> {
        self.target
            .write(py, Change::MemberDelete(profile, member.0))
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

    fn members_page<'py>(
        &self,
        py: Python<'py>,
        profile: &str,
        from_: usize,
        count: usize,
    ) -> PyResult<(Bound<'py, PyList>, Option<usize>)> {
        let (members, next) = self
            .target
            .try_look(py, |switch, _| switch.members_page(profile, from_, count))?;
        let members = members
            .iter()
            .map(|(member, action)| (*member, Py_(action)));
        Ok((PyList::new(py, members)?, next))
    }

    #[pyo3(signature = (profile, group, members, max_size = Num(0)))]
    fn group_insert(
        &self,
        py: Python<'_>,
        profile: String,
        group: Num<u32>,
        members: Vec<PyGroupMember>,
        max_size: Num<u32>,
    ) -> PyResult<()> {
        let group = self::group(group.0, members, max_size.0);
        self.target.write(py, Change::GroupInsert(profile, group))
    }

    #[pyo3(signature = (profile, group, members, max_size = Num(0)))]
    fn group_modify(
        &self,
        py: Python<'_>,
        profile: String,
        group: Num<u32>,
        members: Vec<PyGroupMember>,
        max_size: Num<u32>,
    ) -> PyResult<()> {
        let group = self::group(group.0, members, max_size.0);
        self.target.write(py, Change::GroupModify(profile, group))
    }

    fn group_delete(&self, py: Python<'_>, profile: String, group: Num<u32>) -> PyResult<()> {
        self.target.write(py, Change::GroupDelete(profile, group.0))
    }

    fn groups(&self, py: Python<'_>, profile: &str) -> PyResult<Vec<GroupTuple>> {
        let groups = self
            .target
            .try_look(py, |switch, _| switch.groups(profile))?;
        Ok(groups.into_iter().map(group_tuple).collect())
    }

    fn groups_page(
        &self,
        py: Python<'_>,
        profile: &str,
        from_: usize,
        count: usize,
    ) -> PyResult<(Vec<GroupTuple>, Option<usize>)> {
        let (groups, next) = self
            .target
            .try_look(py, |switch, _| switch.groups_page(profile, from_, count))?;
        Ok((groups.into_iter().map(group_tuple).collect(), next))
    }
}
