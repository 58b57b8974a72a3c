// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! A program's headers and fields, which it finds by their names.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};

use super::json::{self, Json};
use super::layout::{self, LayoutNames};
use super::limits::Total;
use super::value::{pair, short, text};
use crate::model::ids::HeaderId;
use crate::model::load_error::{fail, LoadResult};
use crate::program::expr::{HeaderNode, UnionNode};
use crate::state::layout::{HeaderDef, Layout};
use crate::state::loc::Loc;

pub struct Headers<'a> {
    pub layout: Layout,
    pub names: LayoutNames,
    aliases: HashMap<&'a str, (&'a str, &'a str)>,
    /// The fields that something in the program names; without a field, the whole header.
    pub named: RefCell<HashSet<(HeaderId, Option<usize>)>>,
}

/// A field, or the hidden validity bit of a header.
#[derive(Clone, Copy)]
pub enum Found {
    Fixed(HeaderId, Loc),
    Var(HeaderId),
}

impl<'a> Headers<'a> {
    pub fn new(root: &'a json::Root, memory: &Total) -> LoadResult<Self> {
        let (layout, names) = layout::build(root, memory)?;
        let aliases = root.field_aliases.iter();
        let aliases = aliases
            .map(|(name, (header, field))| (name.as_str(), (header.as_str(), field.as_str())));
        Ok(Self {
            layout,
            names,
            aliases: aliases.collect(),
            named: RefCell::default(),
        })
    }

    /// A header as a whole, named by the program.
    pub fn header(&self, name: &str) -> LoadResult<HeaderId> {
        let id = self.names.header(name)?;
        self.named.borrow_mut().insert((id, None));
        Ok(id)
    }

    /// A field that the program names.
    pub fn find_field(&self, header: &str, field: &str) -> LoadResult<Found> {
        let (id, index) = self.place(header, field)?;
        let def = &self.layout.headers[id as usize];
        let Some(index) = index else {
            return Ok(Found::Fixed(id, def.valid));
        };
        self.named.borrow_mut().insert((id, Some(index)));
        Ok(match self.layout.header_type(id).fields[index].is_var {
            true => Found::Var(id),
            false => Found::Fixed(id, def.fields[index]),
        })
    }

    /// A header's field by its names, aliases first; without an index it is the header's validity.
    pub fn place(&self, header: &str, field: &str) -> LoadResult<(HeaderId, Option<usize>)> {
        let full = format!("{header}.{field}");
        let (header, field) = self
            .aliases
            .get(full.as_str())
            .copied()
            .unwrap_or((header, field));
        let id = self.names.header(header)?;
        if field == "$valid$" {
            return Ok((id, None));
        }
        match self.layout.header_type(id).field(field) {
            Some(index) => Ok((id, Some(index))),
            None => fail(format!("header '{header}' has no field '{field}'")),
        }
    }

    /// A field of fixed width.
    pub fn field(&self, header: &str, field: &str) -> LoadResult<(HeaderId, Loc)> {
        match self.find_field(header, field)? {
            Found::Fixed(id, loc) => Ok((id, loc)),
            Found::Var(_) => fail(format!(
                "'{header}.{field}' has a variable length and is no number"
            )),
        }
    }

    /// A field of a header type, relative to the header.
    pub fn type_field(&self, kind: u32, field: &str) -> LoadResult<Loc> {
        let def = &self.layout.types[kind as usize];
        match def.field(field) {
            Some(index) if def.fields[index].is_var => fail(format!(
                "'{field}' of header type '{}' has a variable length and is no number",
                def.name
            )),
            Some(index) => Ok(def.fields[index].rel),
            None => fail(format!("header type '{}' has no field '{field}'", def.name)),
        }
    }

    /// `[stack, field]`: a field of the last element.
    pub fn stack_field(&self, value: &Json) -> LoadResult<(HeaderNode, Loc)> {
        let (stack, field) = pair(value)?;
        let id = self.names.stack(stack)?;
        let kind = self.layout.stacks[id as usize].kind;
        Ok((HeaderNode::StackLast(id), self.type_field(kind, field)?))
    }

    /// `[stack, member, field]`: a field of a member of the last element.
    pub fn union_stack_field(&self, value: &Json) -> LoadResult<(HeaderNode, Loc)> {
        let Some([stack, member, field]) = value.as_array() else {
            return fail("a field of a header union stack is not [stack, member, field]");
        };
        let id = self.names.union_stack(text(stack)?)?;
        let kind = self.layout.union_stacks[id as usize].kind;
        let (member, kind) = self.union_member(kind, text(member)?)?;
        let header = HeaderNode::UnionMember(UnionNode::StackLast(id), member);
        Ok((header, self.type_field(kind, text(field)?)?))
    }

    pub fn union_member(&self, kind: u32, name: &str) -> LoadResult<(u32, u32)> {
        let def = &self.layout.union_types[kind as usize];
        match def.members.iter().position(|(member, _)| member == name) {
            Some(index) => Ok((index as u32, def.members[index].1)),
            None => fail(format!(
                "header union type '{}' has no member '{name}'",
                def.name
            )),
        }
    }

    /// Metadata is always valid, and at most one member of a union is: setting one alone would break that.
    pub fn is_fixed_validity(&self, loc: Loc) -> bool {
        let fixed = |header: &HeaderDef| header.metadata || header.union.is_some();
        self.layout.validity().contains(&(loc.byte as usize))
            && self
                .layout
                .headers
                .iter()
                .any(|header| header.valid.byte == loc.byte && fixed(header))
    }

    /// Elements of stacks and members of unions are no metadata.
    pub fn is_metadata(&self, header: HeaderNode) -> bool {
        matches!(header, HeaderNode::Fixed(id) if self.layout.headers[id as usize].metadata)
    }

    /// The header of a variable-length field.
    pub fn var_field(&self, json: &Json) -> LoadResult<Option<HeaderId>> {
        let json = if json["type"] == "expression" {
            &json["value"]
        } else {
            json
        };
        if json["type"] != "field" {
            return Ok(None);
        }
        let (header, field) = pair(&json["value"])?;
        Ok(match self.find_field(header, field)? {
            Found::Var(header) => Some(header),
            Found::Fixed(..) => None,
        })
    }

    pub fn var_header(&self, json: &Json) -> LoadResult<HeaderNode> {
        match self.var_field(json)? {
            Some(header) => Ok(HeaderNode::Fixed(header)),
            None => fail(format!("{} is no variable-length field", short(json))),
        }
    }
}
