// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Forms of a small program, and messages for them.

mod encode;
mod entries;
mod keys;
mod updates;

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use prost::Message;
use quench_dataplane::control::{
    Change, ControlResult, CounterValue, ErrorCode, MatchField, TableAction,
};

use crate::actions::{ActionForm, ProfileForm, Scope, TableForm};
use crate::entries::{Direct, Forms, Server};
use crate::keys::{Field, FieldKind, KeyForm};
use crate::messages::{self as m, ActionType, Kind, MatchType, DELETE, INSERT, MODIFY};
use crate::updates::{split, Given, Updates};
use crate::values::ValueType;

fn value(what: &str, sdn_bits: u32, bits: u32) -> ValueType {
    ValueType {
        what: what.to_owned(),
        sdn_bits,
        bits,
        cpu_port: None,
        strings: None,
    }
}

fn field(id: u32, kind: FieldKind, bits: u32) -> Field {
    Field {
        id,
        kind,
        value: value(&format!("field {id}"), bits, bits),
        position: id as usize - 1,
        is_ternary: false,
    }
}

fn form(fields: Vec<Field>) -> KeyForm {
    let what = "table 't'".to_owned();
    KeyForm { what, fields }
}

fn given(field_id: u32, given: MatchType) -> m::FieldMatch {
    let given = Some(given);
    m::FieldMatch { field_id, given }
}

fn one(bytes: &[u8]) -> m::One {
    m::One {
        value: bytes.to_vec(),
    }
}

fn two(first: &[u8], second: &[u8]) -> m::Two {
    m::Two {
        first: first.to_vec(),
        second: second.to_vec(),
    }
}

fn lpm(value: &[u8], prefix_len: i32) -> m::Lpm {
    let value = value.to_vec();
    m::Lpm { value, prefix_len }
}

/// The code and the text of a refusal.
fn told<T: std::fmt::Debug>(result: ControlResult<T>) -> (ErrorCode, String) {
    let error = result.unwrap_err();
    (error.code, error.message)
}

/// Roles may write all; the counter of an entry is what its message says.
struct Open;

impl Server for Open {
    fn may_write(&self, _: &'static str, table: u32, _: u32) -> ControlResult<()> {
        match table {
            13 => crate::refusal::denied("not the role's"),
            _ => Ok(()),
        }
    }

    fn direct(&self, entry: &[u8]) -> ControlResult<Direct> {
        let entry = m::TableEntry::decode(entry).unwrap();
        let counter = entry.counter_data.map(|data| CounterValue {
            packets: data.packet_count as u64,
            bytes: data.byte_count as u64,
        });
        let rates = None;
        Ok(Direct { counter, rates })
    }
}

/// A field of each kind, numbered from 1 on; the data plane has the optional one as a ternary one.
fn form_of_each_kind() -> KeyForm {
    let mut fields = vec![
        field(1, FieldKind::Exact, 12),
        field(2, FieldKind::Lpm, 12),
        field(3, FieldKind::Ternary, 12),
        field(4, FieldKind::Range, 12),
        field(5, FieldKind::Optional, 12),
    ];
    fields[4].is_ternary = true;
    form(fields)
}

fn forms() -> Forms {
    let action = Arc::new(ActionForm {
        name: "out".to_owned(),
        what: "action 'out'".to_owned(),
        params: vec![(1, value("port", 9, 9))],
    });
    let actions = HashMap::from([(7, action)]);
    let profile = Arc::new(ProfileForm {
        id: 3,
        name: "p".to_owned(),
        what: "action profile 'p'".to_owned(),
        actions: actions.clone(),
        with_selector: true,
        weights_disallowed: false,
        max_group_size: 4,
        by_members: false,
        max_member_weight: 0,
    });
    let table = |profile: Option<&Arc<ProfileForm>>| {
        Arc::new(TableForm {
            id: 1,
            name: "t".to_owned(),
            key: form(vec![field(1, FieldKind::Exact, 8)]),
            actions: actions.clone(),
            scopes: HashMap::from([(7, Scope::All)]),
            profile: profile.cloned(),
            direct_counter: true,
            direct_meter: false,
            idle_timeout: false,
        })
    };
    Forms {
        action_ids: HashMap::from([("out".to_owned(), 7)]),
        actions: actions.clone(),
        tables: BTreeMap::from([(1, table(None)), (2, table(Some(&profile)))]),
        removed_tables: HashMap::from([(5, "'gone'".to_owned())]),
        profiles: HashMap::from([(3, profile)]),
        metadata_bytes: 4,
        state_factor: 16,
        state_bytes: 1000,
    }
}

fn call(params: &[(u32, u8)]) -> m::Action {
    let params = params.iter().map(|&(param_id, value)| m::Param {
        param_id,
        value: vec![value],
    });
    m::Action {
        action_id: 7,
        params: params.collect(),
    }
}

fn does(given: ActionType) -> Option<m::TableAction> {
    let given = Some(given);
    Some(m::TableAction { given })
}

fn entry(table_id: u32) -> m::TableEntry {
    m::TableEntry {
        table_id,
        matches: vec![given(1, MatchType::Exact(one(&[9])))],
        action: does(ActionType::Action(call(&[(1, 2)]))),
        ..Default::default()
    }
}

fn update(kind: i32, of: Kind) -> m::Update {
    let entity = Some(m::Entity { kind: Some(of) });
    m::Update { kind, entity }
}
