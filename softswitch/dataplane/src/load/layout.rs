// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! From header types and instances to places in the packet state.

use std::collections::HashMap;
use std::mem::size_of;

use super::json;
use super::limits::{self, Total};
use crate::model::ids::HeaderId;
use crate::model::load_error::{fail, LoadResult, Within};
use crate::state::layout::{
    FieldDef, HeaderDef, HeaderType, Layout, StackDef, UnionDef, UnionStackDef, UnionType, VarDef,
    VarSlot,
};
use crate::state::loc::{Loc, PAD_BYTES};

/// Room for a variable-length field whose greatest length the program does not give.
const DEFAULT_VAR_BYTES: u32 = 2048;

/// Names and JSON ids of the parts of the packet state.
#[derive(Default)]
pub struct LayoutNames {
    types: HashMap<String, u32>,
    union_types: HashMap<String, u32>,
    pub headers: HashMap<String, HeaderId>,
    pub stacks: HashMap<String, u32>,
    pub unions: HashMap<String, u32>,
    pub union_stacks: HashMap<String, u32>,
}

fn insert(map: &mut HashMap<String, u32>, what: &str, name: &str, index: usize) -> LoadResult<()> {
    match map.insert(name.to_owned(), index as u32) {
        None => Ok(()),
        Some(_) => fail(format!("there are two {what}s called '{name}'")),
    }
}

fn find(map: &HashMap<String, u32>, what: &str, name: &str) -> LoadResult<u32> {
    map.get(name)
        .copied()
        .map_or_else(|| fail(format!("there is no {what} called '{name}'")), Ok)
}

fn find_id(map: &HashMap<u32, u32>, what: &str, id: u32) -> LoadResult<u32> {
    map.get(&id)
        .copied()
        .map_or_else(|| fail(format!("there is no {what} with id {id}")), Ok)
}

pub fn build(root: &json::Root, memory: &Total) -> LoadResult<(Layout, LayoutNames)> {
    let mut layout = Layout::default();
    let mut names = LayoutNames::default();
    for (i, kind) in root.header_types.iter().enumerate() {
        insert(&mut names.types, "header type", &kind.name, i)?;
        layout
            .types
            .push(header_type(kind).within(|| format!("header type '{}'", kind.name))?);
    }
    let ids = headers(root, &mut layout, &mut names, memory)?;
    stacks_and_unions(root, &mut layout, &mut names, &ids)?;
    Ok((layout, names))
}

fn header_type(kind: &json::HeaderType) -> LoadResult<HeaderType> {
    let mut fields = Vec::new();
    let (mut bits, mut var) = (0u32, None);
    for (i, field) in kind.fields.iter().enumerate() {
        let Some(name) = field.first().and_then(|name| name.as_str()) else {
            return fail(format!("field {i} has no name"));
        };
        let flag = |at: usize| {
            field
                .get(at)
                .is_some_and(|flag| flag.as_bool().unwrap_or(flag.as_u64() == Some(1)))
        };
        let width = match field.get(1) {
            Some(width) if width.as_str() == Some("*") => None,
            Some(width) => width.as_u64(),
            None => return fail(format!("field '{name}' has no width")),
        };
        let is_var = width.is_none();
        if is_var {
            if field[1].as_str() != Some("*") {
                return fail(format!("field '{name}' has no valid width"));
            }
            if var.is_some() {
                return fail("there is more than one variable-length field");
            }
            var = Some(VarDef {
                before_bits: bits,
                max_bytes: 0,
                max_header_bytes: 0,
            });
        }
        let width = width.unwrap_or(0);
        limits::WIDTH_BITS
            .allow(width)
            .within(|| format!("field '{name}'"))?;
        let width = width as u32;
        let rel = Loc {
            byte: bits / 8,
            bit: (bits % 8) as u8,
            bits: width,
            signed: flag(2),
            saturating: flag(3),
        };
        fields.push(FieldDef {
            name: name.to_owned(),
            rel,
            is_var,
        });
        // Two numbers within their limits: the sum fits.
        bits += width;
        limits::HEADER_BITS.allow(u64::from(bits))?;
    }
    if let Some(var) = &mut var {
        var.max_header_bytes = kind.max_length.unwrap_or(0);
        var.max_bytes = match kind.max_length {
            Some(bytes) if bytes > 0 => bytes.saturating_sub(bits / 8),
            _ => DEFAULT_VAR_BYTES,
        };
    }
    Ok(HeaderType {
        name: kind.name.clone(),
        fields,
        fixed_bits: bits,
        var,
    })
}

/// Places every header; gives their indices by JSON id.
fn headers(
    root: &json::Root,
    layout: &mut Layout,
    names: &mut LayoutNames,
    memory: &Total,
) -> LoadResult<HashMap<u32, u32>> {
    limits::HEADERS.allow(root.headers.len() as u64)?;
    let mut ids = HashMap::new();
    let mut at = 0usize;
    let state = Total::of(limits::STATE_BYTES);
    state.take(PAD_BYTES as u64)?;
    for metadata in [true, false] {
        let start = at;
        for (i, header) in root.headers.iter().enumerate() {
            if header.metadata == metadata {
                let place = || format!("header '{}'", header.name);
                let kind = find(&names.types, "header type", &header.header_type).within(place)?;
                let def = &layout.types[kind as usize];
                let size = span(def, metadata);
                if !metadata && def.fixed_bits % 8 != 0 {
                    return fail("it is not a whole number of bytes long").within(place);
                }
                let validity = 1;
                let var = def.var.map_or(0, |var| u64::from(var.max_bytes));
                state.take(size as u64 + validity + var).within(place)?;
                memory
                    .take_all(def.fields.len() as u64, size_of::<Loc>() as u64)
                    .within(place)?;
                ids.insert(i, (at, kind));
                at += size;
            }
        }
        if metadata {
            layout.metadata = start..at;
        }
    }
    let mut by_id = HashMap::new();
    for (i, header) in root.headers.iter().enumerate() {
        let (byte, kind) = ids[&i];
        let def = place(layout, header, byte as u32, kind, at as u32 + i as u32);
        insert(&mut names.headers, "header", &header.name, i)?;
        if by_id.insert(header.id, i as u32).is_some() {
            return fail(format!("two headers have the id {}", header.id));
        }
        layout.headers.push(def);
    }
    at += root.headers.len();
    layout.fixed_bytes = at;
    for header in &mut layout.headers {
        if let Some(var) = &mut header.var {
            var.byte = at as u32;
            at += var.max_bytes as usize;
        }
    }
    layout.bytes = at + PAD_BYTES;
    Ok(by_id)
}

/// Bytes that the fixed part takes: every metadata field has a slot of its own.
fn span(kind: &HeaderType, metadata: bool) -> usize {
    if metadata {
        kind.fields
            .iter()
            .map(|field| Loc::slot_bytes(field.rel.bits) as usize)
            .sum()
    } else {
        kind.fixed_bits.div_ceil(8) as usize
    }
}

fn place(
    layout: &mut Layout,
    header: &json::Header,
    byte: u32,
    kind: u32,
    valid_byte: u32,
) -> HeaderDef {
    let def = &layout.types[kind as usize];
    let mut next = byte;
    let mut fields = Vec::new();
    for field in &def.fields {
        if header.metadata {
            let place = Loc::in_slot(next, field.rel.bits);
            next += Loc::slot_bytes(field.rel.bits);
            fields.push(Loc {
                byte: place.byte,
                bit: place.bit,
                ..field.rel
            });
        } else {
            fields.push(field.rel.rebased(byte));
        }
    }
    let var = def.var.map(|var| VarSlot {
        slot: layout.var_slots as u32,
        byte: 0,
        before_bits: var.before_bits,
        max_bytes: var.max_bytes,
        max_header_bytes: var.max_header_bytes,
    });
    let fixed_bytes = span(def, header.metadata) as u32;
    if var.is_some() {
        if header.metadata {
            layout.metadata_var_slots.push(layout.var_slots as u32);
        }
        layout.var_slots += 1;
    }
    HeaderDef {
        name: header.name.clone(),
        kind,
        metadata: header.metadata,
        byte,
        fixed_bytes,
        valid: Loc::unsigned(valid_byte, 7, 1),
        var,
        var_length: None,
        union: None,
        fields,
    }
}

fn stacks_and_unions(
    root: &json::Root,
    layout: &mut Layout,
    names: &mut LayoutNames,
    header_ids: &HashMap<u32, u32>,
) -> LoadResult<()> {
    for (i, stack) in root.header_stacks.iter().enumerate() {
        let place = || format!("header stack '{}'", stack.name);
        insert(&mut names.stacks, "header stack", &stack.name, i)?;
        limits::STACK
            .allow(stack.header_ids.len() as u64)
            .within(place)?;
        let kind = find(&names.types, "header type", &stack.header_type).within(place)?;
        let headers = stack
            .header_ids
            .iter()
            .map(|&id| find_id(header_ids, "header", id));
        let headers: Vec<u32> = headers.collect::<LoadResult<_>>().within(place)?;
        same_type(layout, &headers, kind).within(place)?;
        layout.stacks.push(StackDef {
            kind,
            headers,
            next: layout.stack_slots as u32,
        });
        layout.stack_slots += 1;
    }
    for (i, kind) in root.header_union_types.iter().enumerate() {
        insert(&mut names.union_types, "header union type", &kind.name, i)?;
        let members = kind
            .headers
            .iter()
            .map(|(name, header)| Ok((name.clone(), find(&names.types, "header type", header)?)));
        let members = members
            .collect::<LoadResult<_>>()
            .within(|| format!("header union type '{}'", kind.name))?;
        layout.union_types.push(UnionType {
            name: kind.name.clone(),
            members,
        });
    }
    let mut union_ids = HashMap::new();
    for (i, union) in root.header_unions.iter().enumerate() {
        let place = || format!("header union '{}'", union.name);
        insert(&mut names.unions, "header union", &union.name, i)?;
        let kind =
            find(&names.union_types, "header union type", &union.union_type).within(place)?;
        let headers = union
            .header_ids
            .iter()
            .map(|&id| find_id(header_ids, "header", id));
        let headers: Vec<u32> = headers.collect::<LoadResult<_>>().within(place)?;
        let members = &layout.union_types[kind as usize].members;
        if members.len() != headers.len() {
            return fail("its headers are not those of its type").within(place);
        }
        for (&header, &(_, member)) in headers.iter().zip(members) {
            same_type(layout, &[header], member).within(place)?;
        }
        for &header in &headers {
            layout.headers[header as usize].union = Some(i as u32);
        }
        union_ids.insert(union.id, i as u32);
        layout.unions.push(UnionDef { kind, headers });
    }
    for (i, stack) in root.header_union_stacks.iter().enumerate() {
        let place = || format!("header union stack '{}'", stack.name);
        insert(
            &mut names.union_stacks,
            "header union stack",
            &stack.name,
            i,
        )?;
        limits::STACK
            .allow(stack.header_union_ids.len() as u64)
            .within(place)?;
        let kind =
            find(&names.union_types, "header union type", &stack.union_type).within(place)?;
        let unions = stack
            .header_union_ids
            .iter()
            .map(|&id| find_id(&union_ids, "header union", id));
        let unions: Vec<u32> = unions.collect::<LoadResult<_>>().within(place)?;
        if unions
            .iter()
            .any(|&union| layout.unions[union as usize].kind != kind)
        {
            return fail("its elements are not of its type").within(place);
        }
        let next = layout.stack_slots as u32;
        layout
            .union_stacks
            .push(UnionStackDef { kind, unions, next });
        layout.stack_slots += 1;
    }
    Ok(())
}

fn same_type(layout: &Layout, headers: &[u32], kind: u32) -> LoadResult<()> {
    for &header in headers {
        let def = &layout.headers[header as usize];
        if def.kind != kind || def.metadata {
            return fail(format!("header '{}' is not of its type", def.name));
        }
    }
    Ok(())
}

impl LayoutNames {
    pub fn header(&self, name: &str) -> LoadResult<HeaderId> {
        find(&self.headers, "header", name)
    }

    pub fn stack(&self, name: &str) -> LoadResult<u32> {
        find(&self.stacks, "header stack", name)
    }

    pub fn union(&self, name: &str) -> LoadResult<u32> {
        find(&self.unions, "header union", name)
    }

    pub fn union_stack(&self, name: &str) -> LoadResult<u32> {
        find(&self.union_stacks, "header union stack", name)
    }
}
