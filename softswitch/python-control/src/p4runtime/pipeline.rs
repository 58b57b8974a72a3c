// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The forms of keys, actions, tables and profiles, out of the server's pipeline.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyDict, PyInt};
use quench_dataplane::control::{ControlError, ControlResult, ErrorCode};
use quench_p4runtime::actions::{ActionForm, Actions, ProfileForm, Scope, TableForm};
use quench_p4runtime::entries;
use quench_p4runtime::keys::{Field, FieldKind, KeyForm};
use quench_p4runtime::values::{Strings, ValueType};

type Object<'a, 'py> = &'a Bound<'py, PyAny>;

pub fn get<'py, T>(object: Object<'_, 'py>, name: &str) -> PyResult<T>
where
    T: for<'a> FromPyObject<'a, 'py, Error = PyErr>,
{
    object.getattr(name)?.extract()
}

pub fn malformed(_: impl std::any::Any) -> PyErr {
    PyValueError::new_err("the bytes are no such message")
}

/// The refusal in an exception of the server's; any other exception is one that no request should cause.
pub fn refusal(py: Python<'_>, raised: PyErr) -> ControlError {
    let value = raised.value(py);
    let told = || -> PyResult<(String, String)> {
        let code = value.getattr("code")?;
        let name = code
            .getattr("name")
            .map_or_else(|_| code.extract(), |name| name.extract());
        Ok((name?, get(value, "message")?))
    };
    let (code, message) = match told() {
        Ok((code, message)) => (code.to_lowercase(), message),
        Err(_) => {
            raised.write_unraisable(py, None);
            let message = "internal error, see the switch's log".to_owned();
            return ControlError::new(ErrorCode::FailedPrecondition, message);
        }
    };
    let codes = [
        ErrorCode::NotFound,
        ErrorCode::AlreadyExists,
        ErrorCode::OutOfRange,
        ErrorCode::ResourceExhausted,
        ErrorCode::FailedPrecondition,
        ErrorCode::PermissionDenied,
        ErrorCode::Unimplemented,
    ];
    let found = codes.into_iter().find(|known| known.as_str() == code);
    ControlError::new(found.unwrap_or(ErrorCode::InvalidArgument), message)
}

/// Strings of the server's.
struct PyStrings {
    strings: Py<PyAny>,
    nbytes: usize,
}

impl Strings for PyStrings {
    fn number(&self, text: &[u8]) -> ControlResult<Vec<u8>> {
        Python::attach(|py| {
            let number = || -> PyResult<Vec<u8>> {
                let number = self
                    .strings
                    .call_method1(py, "number", (PyBytes::new(py, text),))?;
                let bytes = number.call_method1(py, "to_bytes", (self.nbytes, "big"))?;
                Ok(bytes.extract::<PyBackedBytes>(py)?.to_vec())
            };
            number().map_err(|error| refusal(py, error))
        })
    }

    fn string(&self, number: &[u8]) -> ControlResult<Vec<u8>> {
        Python::attach(|py| {
            let string = || -> PyResult<Vec<u8>> {
                let number = (PyBytes::new(py, number), "big");
                let number = py.get_type::<PyInt>().call_method1("from_bytes", number)?;
                let text = self.strings.call_method1(py, "string", (number,))?;
                Ok(text.extract::<PyBackedBytes>(py)?.to_vec())
            };
            string().map_err(|error| refusal(py, error))
        })
    }
}

fn value_type(object: Object<'_, '_>) -> PyResult<ValueType> {
    let bits: u32 = get(object, "bits")?;
    let strings = object.getattr("strings")?;
    let strings = (!strings.is_none()).then(|| strings.unbind());
    let nbytes = bits.div_ceil(8) as usize;
    let strings =
        strings.map(|strings| Arc::new(PyStrings { strings, nbytes }) as Arc<dyn Strings>);
    Ok(ValueType {
        what: get(object, "what")?,
        sdn_bits: get(object, "sdn_bits")?,
        bits,
        cpu_port: get(object, "cpu_port")?,
        strings,
    })
}

fn field(object: Object<'_, '_>) -> PyResult<Field> {
    let kind: String = get(object, "kind")?;
    let native_kind: String = get(object, "native_kind")?;
    Ok(Field {
        id: get(object, "id")?,
        kind: FieldKind::named(&kind).ok_or_else(|| PyValueError::new_err("no kind of match"))?,
        value: value_type(&object.getattr("value")?)?,
        position: get(object, "position")?,
        is_ternary: native_kind == "ternary",
    })
}

pub fn key_form(what: String, fields: Object<'_, '_>) -> PyResult<KeyForm> {
    let fields = fields.try_iter()?.map(|each| field(&each?));
    let fields = fields.collect::<PyResult<_>>()?;
    Ok(KeyForm { what, fields })
}

fn action_form(object: Object<'_, '_>) -> PyResult<ActionForm> {
    let name = object.getattr("name")?;
    let params = object.getattr("params")?;
    let params = params.try_iter()?.map(|each| {
        let (id, value): (u32, Bound<'_, PyAny>) = each?.extract()?;
        Ok((id, value_type(&value)?))
    });
    Ok(ActionForm {
        what: format!("action {}", name.repr()?),
        name: name.extract()?,
        params: params.collect::<PyResult<_>>()?,
    })
}

/// The actions of a table or profile, among those of the program.
fn actions(object: Object<'_, '_>, all: &Actions) -> PyResult<Actions> {
    let ids = object.getattr("actions")?;
    let ids = ids.try_iter()?.map(|id| id?.extract::<u32>());
    let found = ids.map(|id| {
        let id = id?;
        let action = all.get(&id);
        let action = action.ok_or_else(|| PyValueError::new_err("no action has this id"))?;
        Ok((id, Arc::clone(action)))
    });
    found.collect()
}

fn profile_form(object: Object<'_, '_>, all: &Actions) -> PyResult<ProfileForm> {
    let info = object.getattr("info")?;
    let name = object.getattr("name")?;
    let semantics = info.call_method1("WhichOneof", ("selector_size_semantics",))?;
    let by_members = semantics.extract::<Option<String>>()?.as_deref() == Some("sum_of_members");
    Ok(ProfileForm {
        id: get(object, "id")?,
        what: format!("action profile {}", name.repr()?),
        name: name.extract()?,
        actions: actions(object, all)?,
        with_selector: get(&info, "with_selector")?,
        weights_disallowed: get(&info, "weights_disallowed")?,
        max_group_size: get(&info, "max_group_size")?,
        by_members,
        max_member_weight: get(&info.getattr("sum_of_members")?, "max_member_weight")?,
    })
}

fn table_form(
    object: Object<'_, '_>,
    all: &Actions,
    profiles: &HashMap<u32, Arc<ProfileForm>>,
) -> PyResult<TableForm> {
    let scopes: HashMap<u32, i32> = get(object, "scopes")?;
    let scopes = scopes.into_iter().map(|(id, scope)| {
        let scope = match scope {
            1 => Scope::TableOnly,
            2 => Scope::DefaultOnly,
            _ => Scope::All,
        };
        (id, scope)
    });
    let profile: u32 = get(object, "profile_id")?;
    Ok(TableForm {
        id: get(object, "id")?,
        name: get(object, "name")?,
        key: key_form(object.str()?.extract()?, &object.getattr("fields")?)?,
        actions: actions(object, all)?,
        scopes: scopes.collect(),
        profile: profiles.get(&profile).cloned(),
        direct_counter: get(object, "direct_counter")?,
        direct_meter: get(object, "direct_meter")?,
        idle_timeout: get(object, "idle_timeout")?,
    })
}

/// Goes through a mapping from ids.
fn each<T>(
    object: Object<'_, '_>,
    name: &str,
    mut make: impl FnMut(u32, Object<'_, '_>) -> PyResult<T>,
) -> PyResult<Vec<(u32, T)>> {
    let mapping = object.getattr(name)?.cast_into::<PyDict>()?;
    let made = mapping.iter().map(|(id, value)| {
        let id = id.extract()?;
        Ok((id, make(id, &value)?))
    });
    made.collect()
}

/// All forms, and the limits of the server: largest metadata, most memory of an update and of the state.
pub fn forms(
    pipeline: Object<'_, '_>,
    (metadata_bytes, state_factor, state_bytes): (usize, usize, usize),
) -> PyResult<entries::Forms> {
    let all = each(pipeline, "actions", |_, action| {
        Ok(Arc::new(action_form(action)?))
    })?;
    let all: Actions = all.into_iter().collect();
    let profiles = each(pipeline, "profiles", |_, profile| {
        Ok(Arc::new(profile_form(profile, &all)?))
    })?;
    let profiles: HashMap<_, _> = profiles.into_iter().collect();
    let tables = each(pipeline, "tables", |_, table| {
        Ok(Arc::new(table_form(table, &all, &profiles)?))
    })?;
    let tables: BTreeMap<_, _> = tables.into_iter().collect();
    let removed = each(pipeline, "removed_tables", |_, name| name.repr()?.extract())?;
    let ids = all.iter().map(|(id, action)| (action.name.clone(), *id));
    Ok(entries::Forms {
        action_ids: ids.collect(),
        actions: all,
        tables,
        removed_tables: removed.into_iter().collect(),
        profiles,
        metadata_bytes,
        state_factor,
        state_bytes,
    })
}
