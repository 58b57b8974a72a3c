// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! `Forms`: what a `Read` answers. Each call looks at the data plane once, and makes messages when packets pass again.

use prost::Message;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use quench_dataplane::control::{ControlResult, Entry};
use quench_p4runtime::actions::TableForm;
use quench_p4runtime::messages::{Entity, TableEntry};

use super::pipeline::malformed;
use super::writes::Forms;
use crate::control::PyControl;
use crate::convert::{key, Key};
use crate::errors::data_plane_error;

type Bytes<'py> = Bound<'py, PyBytes>;

fn entities<'py>(
    py: Python<'py>,
    made: impl FnOnce() -> ControlResult<Vec<Entity>> + Send,
) -> PyResult<Vec<Bytes<'py>>> {
    let made = py.detach(|| {
        let made = made()?.into_iter();
        ControlResult::Ok(
            made.map(|entity| entity.encode_to_vec())
                .collect::<Vec<_>>(),
        )
    });
    let made = made.map_err(data_plane_error)?;
    Ok(made.iter().map(|bytes| PyBytes::new(py, bytes)).collect())
}

impl Forms {
    /// Entities of those of a table's entries that a request selects.
    fn selected<'py>(
        &self,
        py: Python<'py>,
        form: &TableForm,
        entries: &[Entry],
        request: &TableEntry,
    ) -> PyResult<Vec<Bytes<'py>>> {
        entities(py, || {
            let found = entries.iter();
            let found = found.map(|entry| self.forms.entry_message(form, entry, request));
            found.filter_map(Result::transpose).collect()
        })
    }
}

#[pymethods]
impl Forms {
    /// Entities of a table that a `TableEntry` selects, among `count` entries from a place on, and the next place.
    fn entries<'py>(
        &self,
        py: Python<'py>,
        control: &Bound<'py, PyControl>,
        table: u32,
        request: &[u8],
        place: usize,
        count: usize,
    ) -> PyResult<(Vec<Bytes<'py>>, Option<usize>)> {
        let request = TableEntry::decode(request).map_err(malformed)?;
        let form = self.forms.table(table).map_err(data_plane_error)?;
        let target = control.get().target();
        let (page, next) = target.try_look(py, |switch, now_ns| {
            switch.table_page(&form.name, place, count, now_ns)
        })?;
        let made = self.selected(py, form, &page, &request)?;
        Ok((made, next))
    }

    /// The same of one entry, if it is there.
    fn entry<'py>(
        &self,
        py: Python<'py>,
        control: &Bound<'py, PyControl>,
        table: u32,
        key: Key,
        priority: i32,
        request: &[u8],
    ) -> PyResult<Option<Bytes<'py>>> {
        let request = TableEntry::decode(request).map_err(malformed)?;
        let form = self.forms.table(table).map_err(data_plane_error)?;
        let key = self::key(key);
        let target = control.get().target();
        let found = target.try_look(py, |switch, now_ns| {
            switch.table_get(&form.name, &key, priority, now_ns)
        })?;
        let made = self.selected(py, form, found.as_slice(), &request)?;
        Ok(made.into_iter().next())
    }

    /// The `TableAction` of a table's default entry: nothing where there is none, no bytes where P4Info does not show
    /// it.
    fn default_action<'py>(
        &self,
        py: Python<'py>,
        control: &Bound<'py, PyControl>,
        table: u32,
    ) -> PyResult<Option<Bytes<'py>>> {
        let form = self.forms.table(table).map_err(data_plane_error)?;
        let target = control.get().target();
        let action = target.try_look(py, |switch, _| switch.table_default(&form.name))?;
        let Some(action) = action else {
            return Ok(None);
        };
        let made = py.detach(|| self.forms.table_action(form, &action));
        let bytes = made
            .map_err(data_plane_error)?
            .unwrap_or_default()
            .encode_to_vec();
        Ok(Some(PyBytes::new(py, &bytes)))
    }

    /// Entities of the members of a profile, or of one of them, among `count` from a place on, and the next place.
    fn members<'py>(
        &self,
        py: Python<'py>,
        control: &Bound<'py, PyControl>,
        profile: u32,
        member: u32,
        place: usize,
        count: usize,
    ) -> PyResult<(Vec<Bytes<'py>>, Option<usize>)> {
        let form = self.profile(profile)?;
        let target = control.get().target();
        let (page, next) = target.try_look(py, |switch, _| {
            switch.members_page(&form.name, place, count)
        })?;
        let made = entities(py, || {
            let wanted = page.iter().filter(|(id, _)| member == 0 || *id == member);
            wanted
                .map(|(id, call)| self.forms.member_message(form, *id, call))
                .collect()
        })?;
        Ok((made, next))
    }
}
