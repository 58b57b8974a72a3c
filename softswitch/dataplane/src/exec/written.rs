// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The places that a traced packet's primitive may write: fields, variable-length fields, and whole headers, unions
//! and stacks.

use super::env::Env;
use super::shown::{hex_digits, name_of};
use crate::model::ids::HeaderId;
use crate::program::Op;
use crate::state::loc::Loc;
use crate::trace::message::{FieldChange, FieldValue};

/// A field that a primitive may change.
#[derive(Debug, Clone, Copy)]
pub(super) enum Written {
    Field(Loc),
    /// The variable-length field of a header.
    Var(HeaderId),
}

impl Env<'_> {
    pub(super) fn before(&self, written: Written) -> FieldChange {
        let (name, before) = self.name_and_value(written);
        FieldChange {
            name,
            before,
            after: String::new(),
        }
    }

    pub(super) fn after(&self, written: Written) -> String {
        self.name_and_value(written).1
    }

    fn name_and_value(&self, written: Written) -> (String, String) {
        match written {
            Written::Field(loc) => (self.field_name(loc), self.read_field(loc)),
            Written::Var(header) => {
                let field = self.var_field(header).unwrap_or_default();
                (
                    format!("{}.{}", name_of(self.program, header), field.name),
                    field.value,
                )
            }
        }
    }

    /// The variable-length field of a header; all of its digits are shown, for its length is part of the value.
    pub(super) fn var_field(&self, header: HeaderId) -> Option<FieldValue> {
        let layout = &self.program.layout;
        let var = layout.headers[header as usize].var?;
        let kind = layout.header_type(header);
        let field = kind.fields.iter().find(|field| field.is_var)?;
        let start = var.byte as usize;
        let nbytes = self.packet.phv.var_bits[var.slot as usize] as usize / 8;
        Some(FieldValue {
            name: field.name.clone(),
            value: hex_digits(&self.packet.phv.bytes[start..start + nbytes]),
        })
    }

    /// The fields of a header, in their order.
    pub(super) fn fields(&self, header: HeaderId) -> impl Iterator<Item = FieldValue> + '_ {
        let layout = &self.program.layout;
        let fields = layout.header_type(header).fields.iter();
        let locs = layout.headers[header as usize].fields.iter();
        fields.zip(locs).filter_map(move |(field, loc)| {
            if field.is_var {
                return self.var_field(header);
            }
            Some(FieldValue {
                name: field.name.clone(),
                value: self.read_field(*loc),
            })
        })
    }

    pub(super) fn validity_of(&self, header: HeaderId) -> Written {
        Written::Field(self.program.layout.headers[header as usize].valid)
    }

    /// Validity and fields of a header.
    pub(super) fn whole(&self, header: HeaderId) -> impl Iterator<Item = Written> + '_ {
        let def = &self.program.layout.headers[header as usize];
        let kind = self.program.layout.header_type(header);
        let fields = kind.fields.iter().zip(&def.fields);
        let fields = fields.map(move |(field, loc)| match field.is_var {
            true => Written::Var(header),
            false => Written::Field(*loc),
        });
        std::iter::once(self.validity_of(header)).chain(fields)
    }

    /// The headers of the unions or stacks that a primitive is about, the changed one first.
    pub(super) fn groups(&self, op: &Op, params: &[u8]) -> Vec<Vec<HeaderId>> {
        let layout = &self.program.layout;
        let faults = Default::default();
        let ctx = self.quiet(params, &faults);
        let union = |union: u32| layout.unions[union as usize].headers.clone();
        let stack = |stack: u32| layout.stacks[stack as usize].headers.clone();
        let unions = |stack: u32| {
            let unions = layout.union_stacks[stack as usize].unions.iter();
            unions.flat_map(|&at| union(at)).collect()
        };
        match op {
            Op::AssignUnion(dst, src) => {
                let both = [ctx.union(*dst), ctx.union(*src)];
                both.into_iter().flatten().map(union).collect()
            }
            Op::AssignStack(dst, src) => vec![stack(*dst), stack(*src)],
            Op::AssignUnionStack(dst, src) => vec![unions(*dst), unions(*src)],
            Op::Push(at, _) | Op::Pop(at, _) => vec![stack(*at)],
            Op::PushUnion(at, _) | Op::PopUnion(at, _) => vec![unions(*at)],
            _ => Vec::new(),
        }
    }

    /// The name of a union or stack: what the names of its headers begin with.
    pub(super) fn group_name(&self, headers: &[HeaderId]) -> String {
        let names: Vec<String> = headers
            .iter()
            .map(|&header| name_of(self.program, header))
            .collect();
        let Some((first, others)) = names.split_first() else {
            return String::new();
        };
        let common = others.iter().fold(first.len(), |common, name| {
            let pairs = first.bytes().zip(name.bytes());
            common.min(pairs.take_while(|(a, b)| a == b).count())
        });
        // Member names may begin alike, too.
        let end = match common < first.len() || !others.is_empty() {
            true => first.as_bytes()[..common]
                .iter()
                .rposition(|byte| matches!(byte, b'.' | b'[')),
            false => None,
        };
        String::from_utf8_lossy(&first.as_bytes()[..end.unwrap_or(common)]).into_owned()
    }
}
