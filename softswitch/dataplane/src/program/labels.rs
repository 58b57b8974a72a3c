// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Names and source lines of a program's parts, for traces: nothing else reads them.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use crate::model::ids::HeaderId;
use crate::state::layout::Layout;
use crate::state::loc::Loc;
use crate::trace::message::Source;

type MaybeSource = Option<Source>;

/// In the order of the program's own lists.
#[derive(Debug, Default)]
pub struct Labels {
    pub errors: Vec<(String, u32)>,
    pub states: Vec<StateLabel>,
    /// The labels of each pipeline's nodes.
    pub pipelines: Vec<Vec<NodeLabel>>,
    /// The places of each action's primitives.
    pub actions: Vec<Vec<MaybeSource>>,
    /// The places of each deparser's primitives.
    pub deparsers: Vec<Vec<MaybeSource>>,
    pub calculations: Vec<String>,
    pub checksums: Vec<String>,
    pub params: Vec<Vec<String>>,
    pub fields: FieldNames,
}

#[derive(Debug, Default)]
pub struct StateLabel {
    pub name: String,
    pub source: MaybeSource,
    /// The place of each operation.
    pub ops: Vec<MaybeSource>,
}

#[derive(Debug, Default)]
pub struct NodeLabel {
    pub name: String,
    pub source: MaybeSource,
}

/// Names of fields by their places, made when the first trace asks for one.
#[derive(Debug, Default)]
pub struct FieldNames(OnceLock<BTreeMap<u64, (HeaderId, Option<u32>)>>);

fn start(loc: Loc) -> u64 {
    u64::from(loc.byte) * 8 + u64::from(loc.bit)
}

impl FieldNames {
    /// The field that lies at a place or around it.
    pub fn name(&self, layout: &Layout, loc: Loc) -> String {
        let places = self.0.get_or_init(|| places(layout));
        let Some((_, &(header, field))) = places.range(..=start(loc)).next_back() else {
            return String::new();
        };
        let def = &layout.headers[header as usize];
        let Some(field) = field else {
            return format!("{}.$valid$", def.name);
        };
        let kind = layout.header_type(header);
        let name = format!("{}.{}", def.name, kind.fields[field as usize].name);
        let whole = def.fields[field as usize];
        if whole.bits == loc.bits {
            return name;
        }
        let low =
            (start(whole) + u64::from(whole.bits)).saturating_sub(start(loc) + u64::from(loc.bits));
        let high = low + u64::from(loc.bits).saturating_sub(1);
        format!("{name}[{high}:{low}]")
    }
}

fn places(layout: &Layout) -> BTreeMap<u64, (HeaderId, Option<u32>)> {
    let mut places = BTreeMap::new();
    for (id, header) in layout.headers.iter().enumerate() {
        places.insert(start(header.valid), (id as HeaderId, None));
        let fields = header.fields.iter().enumerate();
        let kind = &layout.types[header.kind as usize];
        for (at, loc) in fields.filter(|&(at, loc)| loc.bits > 0 && !kind.fields[at].is_var) {
            places.insert(start(*loc), (id as HeaderId, Some(at as u32)));
        }
    }
    places
}
