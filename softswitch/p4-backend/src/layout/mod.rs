// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The packet state: header types, instances, and the header `scalars` that holds everything else.
//!
//! In: the types of a program. Out: header types and instances of the JSON, and the [`Place`] of each variable. Begin
//! with [`Layout::allocate`].
//!
//! | file | holds |
//! |---|---|
//! | `class.rs` | how a value of a type is held: as a field, as a header, or as a tree of such |
//! | `header.rs` | header types, and the places of a header's fields |
//! | `instances.rs` | instances of headers, stacks and unions, and fields of `scalars` |
//! | `mod.rs` | questions about instances that exist, and the end of the layout |

mod class;
mod header;
mod instances;

use std::collections::HashMap;

use quench_p4_frontend::ir::{self, Type, TypeId};
use quench_p4_frontend::limits::{MAX_HEADERS, MAX_STATE_BITS};
use quench_p4_frontend::span::Span;

use crate::error::{not_supported, Result};
use crate::json::{self, Expr, HeaderField};
use crate::names::Names;
use crate::place::{Leaf, Place, Scalar};

pub const STANDARD_METADATA: &str = "standard_metadata";
pub const SCALARS: &str = "scalars";

/// The way in which the packet state holds a value of a type.
pub enum Class {
    Scalar(Scalar),
    /// Struct, tuple, or array of anything but headers: its members' types. None for `bit<0>`.
    Struct(Vec<Type>),
    Header(TypeId),
    Union(TypeId),
    /// Element type, whether that is a union, and the number of elements.
    Stack(TypeId, bool, u32),
}

pub struct Layout<'a> {
    ir: &'a ir::Program,
    /// Whether headers that are not whole bytes get bits at their end.
    pads_headers: bool,
    pub types: Vec<json::HeaderType>,
    pub headers: Vec<json::Header>,
    pub stacks: Vec<json::HeaderStack>,
    pub union_types: Vec<json::HeaderUnionType>,
    pub unions: Vec<json::HeaderUnion>,
    pub union_stacks: Vec<json::HeaderUnionStack>,
    /// Other names of fields, each with its header and field.
    pub aliases: Vec<(String, (String, String))>,
    /// Fields of `scalars` so far.
    scalars: Vec<HeaderField>,
    scalar_bits: u64,
    /// Name in `types` of each header of the program.
    header_type_names: HashMap<TypeId, String>,
    /// Names that are taken: of instances, of fields of `scalars`, of types.
    names: Names,
    scalar_names: Names,
    type_names: Names,
    /// Positions in `types`, `headers` and `stacks` by name.
    type_positions: HashMap<String, usize>,
    header_positions: HashMap<String, usize>,
    stack_positions: HashMap<String, usize>,
    /// The stack or union that an instance is part of.
    groups: HashMap<String, String>,
}

impl<'a> Layout<'a> {
    pub fn new(ir: &'a ir::Program, pads_headers: bool) -> Layout<'a> {
        let mut names = Names::default();
        names.insert(SCALARS);
        names.insert(STANDARD_METADATA);
        Layout {
            ir,
            pads_headers,
            types: Vec::new(),
            headers: Vec::new(),
            stacks: Vec::new(),
            union_types: Vec::new(),
            unions: Vec::new(),
            union_stacks: Vec::new(),
            aliases: Vec::new(),
            scalars: Vec::new(),
            scalar_bits: 0,
            header_type_names: HashMap::new(),
            names,
            scalar_names: Names::default(),
            type_names: Names::default(),
            type_positions: HashMap::new(),
            header_positions: HashMap::new(),
            stack_positions: HashMap::new(),
            groups: HashMap::new(),
        }
    }

    /// Whether the expression is a field of `bits` bits, the width of the value that it stands for. The value may be
    /// wider: a cast to more bits leaves the expression of a field as it is, but a key, a `select` or a hash of the
    /// value has more bits.
    pub fn is_field(&self, expr: &Expr, bits: u32) -> bool {
        let (name, fields) = match expr {
            Expr::Field(_, name) if name == "$valid$" => return bits == 1,
            Expr::Field(header, name) => (name, self.instance_fields(header)),
            Expr::StackField(stack, name) => (name, self.element_fields(stack)),
            Expr::UnionStackField(stack, member, name) => {
                (name, self.union_element_fields(stack, member))
            }
            _ => return false,
        };
        fields.into_iter().flatten().any(|field| match field {
            HeaderField::Fixed(field, width, _) => field == name && *width == bits,
            HeaderField::Variable(field, _) => field == name,
        })
    }

    /// Width of a field of a header or metadata.
    pub fn field_bits(&self, expr: &Expr) -> Option<u32> {
        let Expr::Field(header, name) = expr else {
            return None;
        };
        let fields = self.instance_fields(header)?;
        fields.iter().find_map(|field| match field {
            HeaderField::Fixed(field, width, _) if field == name => Some(*width),
            _ => None,
        })
    }

    /// All fields of a header with their widths; `None` where one is of variable width.
    pub fn header_fields_of(&self, header: &str) -> Option<Vec<(Expr, u32)>> {
        let fields = self.instance_fields(header)?;
        widths(fields, |field| Expr::Field(header.to_owned(), field))
    }

    /// All fields of a stack's last header; as [`Self::header_fields_of`].
    pub fn last_fields_of(&self, stack: &str) -> Option<Vec<(Expr, u32)>> {
        let fields = self.element_fields(stack)?;
        widths(fields, |field| Expr::StackField(stack.to_owned(), field))
    }

    fn instance_fields(&self, header: &str) -> Option<&Vec<HeaderField>> {
        if header == SCALARS {
            return Some(&self.scalars);
        }
        let &position = self.header_positions.get(header)?;
        self.type_fields(&self.headers[position].header_type)
    }

    fn element_fields(&self, stack: &str) -> Option<&Vec<HeaderField>> {
        let &position = self.stack_positions.get(stack)?;
        self.type_fields(&self.stacks[position].header_type)
    }

    fn union_element_fields(&self, stack: &str, member: &str) -> Option<&Vec<HeaderField>> {
        let stack = self.union_stacks.iter().find(|s| s.name == stack)?;
        let mut unions = self.union_types.iter();
        let union = unions.find(|union| union.name == stack.union_type)?;
        let mut members = union.headers.iter();
        let (_, header_type) = members.find(|(name, _)| name == member)?;
        self.type_fields(header_type)
    }

    fn type_fields(&self, header_type: &str) -> Option<&Vec<HeaderField>> {
        let position = *self.type_positions.get(header_type)?;
        Some(&self.types[position].fields)
    }

    /// Elements of a stack of headers.
    pub fn stack_size(&self, name: &str) -> u32 {
        let position = self.stack_positions.get(name);
        position.map_or(0, |&at| self.stacks[at].size)
    }

    /// The stack or union around a header, else the header itself: an access to the header counts as one to all of it.
    pub fn group<'s>(&'s self, header: &'s str) -> &'s str {
        self.groups.get(header).map_or(header, String::as_str)
    }

    /// Adds the type and the instance of `scalars`. Refuses a packet whose state is too large.
    pub fn finish(&mut self, span: Span) -> Result<()> {
        let mut fields = std::mem::take(&mut self.scalars);
        if self.scalar_bits % 8 != 0 {
            let name = self.scalar_names.unique("_padding");
            let bits = 8 - (self.scalar_bits % 8) as u32;
            fields.push(HeaderField::Fixed(name, bits, false));
        }
        let name = self.push_type(SCALARS, fields, None);
        self.add_instance(SCALARS, name, true);
        if self.headers.len() > MAX_HEADERS {
            return not_supported(span, format_args!("more than {MAX_HEADERS} headers"));
        }
        let bits: u64 = self
            .headers
            .iter()
            .map(|h| self.type_bits(&h.header_type))
            .sum();
        if bits > MAX_STATE_BITS {
            let most = MAX_STATE_BITS / 8;
            return not_supported(
                span,
                format_args!("headers, metadata and variables of more than {most} bytes together"),
            );
        }
        Ok(())
    }
}

fn widths(fields: &[HeaderField], expr: impl Fn(String) -> Expr) -> Option<Vec<(Expr, u32)>> {
    let fixed = fields.iter().map(|field| match field {
        HeaderField::Fixed(name, bits, _) => Some((expr(name.clone()), *bits)),
        HeaderField::Variable(..) => None,
    });
    fixed.collect()
}

pub fn leaf(expr: Expr, scalar: Scalar) -> Place {
    Place::Scalar(Leaf {
        expr,
        scalar,
        slice: None,
    })
}
