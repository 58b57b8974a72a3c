// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Header types, and the places of their fields. The fields of a struct inside a header become fields of the header.

use quench_p4_frontend::ir::{Type, TypeId};
use quench_p4_frontend::span::Span;

use super::{leaf, Class, Layout};
use crate::error::{not_supported, Result};
use crate::json::{self, Expr, HeaderField};
use crate::place::{HeaderAt, HeaderPlace, Place, Scalar};

impl Layout<'_> {
    /// Number of fields that a header's field of this type becomes.
    fn leaf_count(&self, ty: &Type, span: Span) -> Result<usize> {
        Ok(match self.class(ty, span)? {
            Class::Struct(members) => {
                let mut count = 0;
                for member in &members {
                    count += self.leaf_count(member, span)?;
                }
                count
            }
            _ => 1,
        })
    }

    fn flatten(
        &self,
        ty: &Type,
        name: &str,
        span: Span,
        leaves: &mut Vec<(String, Scalar)>,
    ) -> Result<()> {
        match self.class(ty, span)? {
            Class::Scalar(scalar) => leaves.push((name.to_owned(), scalar)),
            Class::Struct(members) => {
                for (index, member) in members.iter().enumerate() {
                    let name = self.member_name(ty, name, index);
                    self.flatten(member, &name, span, leaves)?;
                }
            }
            _ => return not_supported(span, "a header inside a header"),
        }
        Ok(())
    }

    /// Name of the header type, which is added at its first use.
    pub fn header_type(&mut self, id: TypeId) -> Result<String> {
        if let Some(name) = self.header_type_names.get(&id) {
            return Ok(name.clone());
        }
        let def = &self.ir.types[id.index()];
        let mut leaves = Vec::new();
        for field in self.fields(id) {
            self.flatten(&field.ty, &field.name, def.span, &mut leaves)?;
        }
        let name = self.add_type(&def.name, &leaves, true, def.span)?;
        self.header_type_names.insert(id, name.clone());
        Ok(name)
    }

    /// Adds a type with these fields and gives the name under which it is kept.
    pub(super) fn add_type(
        &mut self,
        name: &str,
        leaves: &[(String, Scalar)],
        is_header: bool,
        span: Span,
    ) -> Result<String> {
        let mut bits = 0;
        let mut fixed_bits = 0;
        let mut varbits = 0;
        let mut fields = Vec::new();
        for (field, scalar) in leaves {
            bits += scalar.bits();
            fields.push(match scalar {
                Scalar::Varbit(_) => {
                    varbits += 1;
                    HeaderField::Variable(field.clone(), '*')
                }
                _ => {
                    fixed_bits += scalar.bits();
                    HeaderField::Fixed(
                        field.clone(),
                        scalar.bits(),
                        matches!(scalar, Scalar::Int(_)),
                    )
                }
            });
        }
        if varbits > 1 {
            return not_supported(span, format_args!("two varbit fields in header {name}"));
        }
        if bits % 8 != 0 {
            if is_header && !self.pads_headers {
                return not_supported(
                    span,
                    format_args!("header {name} of {bits} bits, which are not whole bytes"),
                );
            }
            fields.push(HeaderField::Fixed("_padding".into(), 8 - bits % 8, false));
        }
        // No switch loads such a header: it must be whole bytes also where its varbit field is empty.
        if is_header && fixed_bits % 8 != 0 && !(self.pads_headers && varbits == 0) {
            return not_supported(
                span,
                format_args!(
                    "header {name} with {fixed_bits} bits besides its varbit field, which are not whole bytes"
                ),
            );
        }
        Ok(self.push_type(name, fields, (varbits > 0).then(|| bits.div_ceil(8))))
    }

    pub(super) fn type_bits(&self, header_type: &str) -> u64 {
        let Some(&position) = self.type_positions.get(header_type) else {
            return 0;
        };
        let fixed = |field: &HeaderField| match field {
            HeaderField::Fixed(_, bits, _) => u64::from(*bits),
            HeaderField::Variable(..) => 0,
        };
        match self.types[position].max_length {
            Some(bytes) => u64::from(bytes) * 8,
            None => self.types[position].fields.iter().map(fixed).sum(),
        }
    }

    /// As [`Self::add_type`], with all that the JSON says of the fields; `max_length` is in bytes.
    pub(super) fn push_type(
        &mut self,
        name: &str,
        fields: Vec<HeaderField>,
        max_length: Option<u32>,
    ) -> String {
        let name = self.type_names.unique(name);
        self.type_positions.insert(name.clone(), self.types.len());
        self.types.push(json::HeaderType {
            name: name.clone(),
            id: self.types.len(),
            fields,
            max_length,
        });
        name
    }

    /// Field number `index` of a header.
    pub fn header_field(&self, header: &HeaderPlace, index: usize, span: Span) -> Result<Place> {
        let fields = self.fields(header.ty);
        let mut position = 0;
        for field in &fields[..index] {
            position += self.leaf_count(&field.ty, span)?;
        }
        self.header_part(
            header,
            &fields[index].ty,
            &fields[index].name,
            &mut position,
            span,
        )
    }

    fn header_part(
        &self,
        header: &HeaderPlace,
        ty: &Type,
        name: &str,
        position: &mut usize,
        span: Span,
    ) -> Result<Place> {
        match self.class(ty, span)? {
            Class::Scalar(scalar) => {
                let expr = match &header.at {
                    HeaderAt::Instance(header) => Expr::Field(header.clone(), name.to_owned()),
                    HeaderAt::Last(stack) => Expr::StackField(stack.clone(), name.to_owned()),
                    HeaderAt::LastMember(stack, member) => {
                        Expr::UnionStackField(stack.clone(), member.clone(), name.to_owned())
                    }
                    HeaderAt::Element(..) => {
                        let header = header.expr().expect("a stack's element is an expression");
                        Expr::AccessField(Box::new(header), *position)
                    }
                    HeaderAt::Next(_) | HeaderAt::NextMember(..) => {
                        return not_supported(span, "a field of `next`; only extract writes there")
                    }
                };
                *position += 1;
                Ok(leaf(expr, scalar))
            }
            Class::Struct(members) => Ok(Place::Struct(
                members
                    .iter()
                    .enumerate()
                    .map(|(index, member)| {
                        let name = self.member_name(ty, name, index);
                        self.header_part(header, member, &name, position, span)
                    })
                    .collect::<Result<_>>()?,
            )),
            _ => not_supported(span, "a header inside a header"),
        }
    }
}
