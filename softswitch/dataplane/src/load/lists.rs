// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Lists of fields: those that copies of packets keep, and digests.

use super::expr::Locals;
use super::headers::Found;
use super::json::{self, Json, Typed};
use super::limits;
use super::loader::Loader;
use super::value::{hex_bits, hex_bytes, pair, text};
use crate::model::ids::Value;
use crate::model::load_error::{fail, LoadResult, Within};
use crate::program::expr::Node;
use crate::program::{CopiedField, DigestField, FieldList};

/// Ids of lists are 16 bits wide in the packet.
pub(super) const LIST_ID_BITS: u32 = 16;
const MAX_LIST_ID: u32 = 0xffff;

impl Loader<'_> {
    /// Lists of what clones, resubmitted and recirculated packets keep; constants in them mean nothing.
    pub fn load_field_lists(&self) -> LoadResult<Vec<FieldList>> {
        let mut lists = Vec::new();
        for list in &self.root.field_lists {
            *slot(&mut lists, list)? = self.field_list(list)?;
        }
        Ok(lists)
    }

    fn field_list(&self, list: &json::FieldList) -> LoadResult<FieldList> {
        let elements = list.elements.iter().map(|element| {
            if element.kind == "hexstr" {
                return self.constant_field(element);
            }
            if element.kind != "field" {
                return fail(format!("'{}' cannot be in a field list", element.kind));
            }
            let (header, field) = pair(&element.value)?;
            Ok(match self.headers.find_field(header, field)? {
                Found::Fixed(_, loc) => CopiedField::Field(loc),
                Found::Var(header) => CopiedField::Var(header),
            })
        });
        let elements = elements.collect::<LoadResult<_>>();
        elements.within(|| format!("field list '{}'", list.name))
    }

    /// The list of a `resubmit`, whose fields have to fit in the bytes that the architecture has for them.
    pub(super) fn resubmit_list(&mut self, json: &Json, locals: Locals<'_>) -> LoadResult<Value> {
        let Some(most) = self.kind.resubmit_bits() else {
            return self.low(json, LIST_ID_BITS, locals);
        };
        let node = self.data(json, locals)?;
        let Node::Const(id) = self.b.exprs.nodes[node as usize] else {
            return fail("the list is no constant");
        };
        for list in &self.root.field_lists {
            if i128::from(list.id) != i128::from(id) {
                continue;
            }
            let bits = self.field_list(list)?.iter().try_fold(0u64, |sum, field| {
                Some(
                    sum + u64::from(match field {
                        CopiedField::Field(loc) => loc.bits,
                        CopiedField::Constant(_, bits) => *bits,
                        CopiedField::Var(_) => return None,
                    }),
                )
            });
            if bits.is_none_or(|bits| bits > most) {
                return fail(format!(
                    "field list '{}' has more than {most} bits: a resubmitted packet brings no more along",
                    list.name
                ));
            }
        }
        self.b.low_bits(node, LIST_ID_BITS)
    }

    /// A constant of known width; copies of packets keep no constants, but headers of mirrors have them.
    fn constant_field(&self, element: &Typed) -> LoadResult<CopiedField> {
        let bits = element.bitwidth.unwrap_or(0);
        limits::WIDTH_BITS.allow(u64::from(bits))?;
        let bytes = match bits {
            0 => Vec::new(),
            bits => hex_bytes(text(&element.value)?, bits.div_ceil(8) as usize)?,
        };
        Ok(CopiedField::Constant(bytes, bits))
    }

    pub fn load_digests(&self) -> LoadResult<Vec<Option<Vec<DigestField>>>> {
        let mut lists = Vec::new();
        for list in &self.root.learn_lists {
            let fields = list
                .elements
                .iter()
                .map(|element| self.digest_field(element));
            let fields = fields
                .collect::<LoadResult<_>>()
                .within(|| format!("digest '{}'", list.name))?;
            *slot(&mut lists, list)? = Some(fields);
        }
        Ok(lists)
    }

    fn digest_field(&self, element: &Typed) -> LoadResult<DigestField> {
        match element.kind.as_str() {
            "field" => {
                let (header, field) = pair(&element.value)?;
                Ok(DigestField::Field(self.headers.field(header, field)?.1))
            }
            "hexstr" => {
                let Some(bits) = element.bitwidth else {
                    return fail("a constant has no 'bitwidth'");
                };
                limits::WIDTH_BITS
                    .allow(bits.into())
                    .within(|| "constant".to_owned())?;
                Ok(DigestField::Constant(
                    self.constant_bytes(&element.value, bits)?,
                ))
            }
            other => fail(format!("'{other}' cannot be in a digest")),
        }
    }

    /// A constant as bytes: they may be many more than the text that gives it.
    pub(super) fn constant_bytes(&self, value: &Json, bits: u32) -> LoadResult<Vec<u8>> {
        self.memory.take(bits.div_ceil(8).into())?;
        hex_bits(text(value)?, bits)
    }

    /// Widths of a digest's fields.
    pub fn digest_bits(&self, element: &Typed) -> LoadResult<u32> {
        match self.digest_field(element)? {
            DigestField::Field(loc) => Ok(loc.bits),
            DigestField::Constant(_) => Ok(element.bitwidth.unwrap_or(0)),
        }
    }
}

/// The place of a list by its id.
fn slot<'l, T: Default>(lists: &'l mut Vec<T>, list: &json::FieldList) -> LoadResult<&'l mut T> {
    if list.id > MAX_LIST_ID {
        return fail(format!(
            "list '{}' has the id {}; ids have 16 bits",
            list.name, list.id
        ));
    }
    let index = list.id as usize;
    if lists.len() <= index {
        lists.resize_with(index + 1, T::default);
    }
    Ok(&mut lists[index])
}
