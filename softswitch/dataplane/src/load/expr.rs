// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! From JSON expressions to nodes.

use num_bigint::BigInt;
use num_traits::{Signed, ToPrimitive};

use super::json::Json;
use super::loader::Loader;
use super::value::{hex_number, pair, short, text};
use super::width::Bounds;
use crate::model::ids::{CondId, HeaderId, NodeId, Value};
use crate::model::load_error::{fail, LoadResult};
use crate::program::expr::{Cond, HeaderNode, Node, UnionNode};
use crate::state::loc::Loc;
use crate::state::wide;

/// The meaning of `local` in an expression.
#[derive(Clone, Copy)]
pub enum Locals<'a> {
    None,
    /// The parameters of an action.
    Params(&'a [Loc]),
    /// The fields of a header (the length of its variable-length field).
    Header(HeaderId),
}

/// A compiled expression of any type; headers and unions come with their type.
#[derive(Debug, Clone, Copy)]
pub enum Compiled {
    Data(NodeId),
    Bool(CondId),
    Header(HeaderNode, u32),
    Stack(u32),
    Union(UnionNode, u32),
    UnionStack(u32),
}

impl Compiled {
    pub fn describe(self) -> &'static str {
        match self {
            Self::Data(_) => "a number",
            Self::Bool(_) => "a truth value",
            Self::Header(..) => "a header",
            Self::Stack(_) => "a header stack",
            Self::Union(..) => "a header union",
            Self::UnionStack(_) => "a header union stack",
        }
    }
}

pub fn expected<T>(what: &str, got: Compiled) -> LoadResult<T> {
    fail(format!("expected {what}, found {}", got.describe()))
}

impl Loader<'_> {
    /// Any expression; `{"type": "expression", "value": ...}` may be wrapped any number of times.
    pub fn expr(&mut self, json: &Json, locals: Locals<'_>) -> LoadResult<Compiled> {
        let Some(kind) = json.get("type").and_then(Json::as_str) else {
            return fail(format!("expression without a type: {}", short(json)));
        };
        let value = &json["value"];
        match kind {
            "expression" if value.get("op").is_some() => self.operation(value, locals),
            "expression" => self.expr(value, locals),
            "field" => {
                let (header, field) = pair(value)?;
                let (_, loc) = self.headers.field(header, field)?;
                Ok(Compiled::Data(self.field_node(loc)))
            }
            "hexstr" => {
                let number = hex_number(text(value)?)?;
                Ok(Compiled::Data(self.constant(&number)))
            }
            "bool" => match value.as_bool() {
                Some(value) => Ok(Compiled::Bool(self.b.cond(Cond::Const(value)))),
                None => fail(format!("not a truth value: {}", short(value))),
            },
            "local" | "runtime_data" => self.local(value, locals),
            "register" => {
                let Some([name, index]) = value.as_array() else {
                    return fail("a register reference is not [name, index]");
                };
                let register = self.arrays.register(text(name)?)?;
                let index = self.index(index, locals)?;
                let bits = self.arrays.register_bits(register);
                Ok(Compiled::Data(self.b.leaf(
                    Node::Register(register, index),
                    Bounds::unsigned(bits),
                )))
            }
            "header" => {
                let id = self.headers.header(text(value)?)?;
                Ok(Compiled::Header(
                    HeaderNode::Fixed(id),
                    self.headers.layout.headers[id as usize].kind,
                ))
            }
            "header_stack" => Ok(Compiled::Stack(self.headers.names.stack(text(value)?)?)),
            "header_union" => {
                let id = self.headers.names.union(text(value)?)?;
                Ok(Compiled::Union(
                    UnionNode::Fixed(id),
                    self.headers.layout.unions[id as usize].kind,
                ))
            }
            "header_union_stack" => Ok(Compiled::UnionStack(
                self.headers.names.union_stack(text(value)?)?,
            )),
            "stack_field" => {
                if let Some(header) = self.last_header(value)? {
                    return Ok(header);
                }
                let (header, loc) = self.headers.stack_field(value)?;
                Ok(Compiled::Data(self.header_field(header, loc)))
            }
            "union_stack_field" => {
                let (header, loc) = self.headers.union_stack_field(value)?;
                Ok(Compiled::Data(self.header_field(header, loc)))
            }
            other => fail(format!("'{other}' cannot stand in an expression")),
        }
    }

    pub fn constant(&mut self, number: &BigInt) -> NodeId {
        let inverted: BigInt = -number - 1;
        let magnitude = if number.is_negative() {
            inverted
        } else {
            number.clone()
        };
        let bounds = Bounds {
            bits: magnitude.bits(),
            negative: number.is_negative(),
        };
        let node = match number.to_i64() {
            Some(small) => Node::Const(small),
            None => {
                let mut limbs = vec![0; (bounds.bits / 64 + 1) as usize];
                wide::from_bigint(number, &mut limbs);
                self.b.exprs.constants.push(limbs.into());
                Node::BigConst(self.b.exprs.constants.len() as u32 - 1)
            }
        };
        self.b.leaf(node, bounds)
    }

    pub fn field_node(&mut self, loc: Loc) -> NodeId {
        self.b
            .leaf(Node::Field(loc), Bounds::of(loc.bits, loc.signed))
    }

    pub fn header_field(&mut self, header: HeaderNode, rel: Loc) -> NodeId {
        match header {
            HeaderNode::Fixed(id) => {
                let base = self.headers.layout.headers[id as usize].byte;
                self.field_node(rel.rebased(base))
            }
            _ => self.b.leaf(
                Node::HeaderField(header, rel),
                Bounds::of(rel.bits, rel.signed),
            ),
        }
    }

    /// `[stack, "last"]`, which p4c writes for the last element as a whole.
    fn last_header(&self, value: &Json) -> LoadResult<Option<Compiled>> {
        let (stack, field) = pair(value)?;
        let id = self.headers.names.stack(stack)?;
        let kind = self.headers.layout.stacks[id as usize].kind;
        let whole = field == "last"
            && self.headers.layout.types[kind as usize]
                .field(field)
                .is_none();
        Ok(whole.then_some(Compiled::Header(HeaderNode::StackLast(id), kind)))
    }

    fn local(&mut self, value: &Json, locals: Locals<'_>) -> LoadResult<Compiled> {
        let index = value.as_u64().unwrap_or(u64::MAX) as usize;
        let node = match locals {
            Locals::Params(params) => match params.get(index) {
                Some(&loc) => self
                    .b
                    .leaf(Node::Param(loc), Bounds::of(loc.bits, loc.signed)),
                None => {
                    return fail(format!(
                        "the action has {} parameters, no number {value}",
                        params.len()
                    ))
                }
            },
            Locals::Header(id) => {
                match self.headers.layout.headers[id as usize].fields.get(index) {
                    Some(&loc) => self.field_node(loc),
                    None => return fail(format!("the header has no field number {value}")),
                }
            }
            Locals::None => return fail("a parameter is used where there are none"),
        };
        Ok(Compiled::Data(node))
    }

    /// A number; a truth value becomes 0 or 1.
    pub fn data(&mut self, json: &Json, locals: Locals<'_>) -> LoadResult<NodeId> {
        match self.expr(json, locals)? {
            Compiled::Data(node) => Ok(node),
            Compiled::Bool(cond) => Ok(self.b.inner(Node::FromBool(cond))),
            other => expected("a number", other),
        }
    }

    pub fn cond(&mut self, json: &Json, locals: Locals<'_>) -> LoadResult<CondId> {
        match self.expr(json, locals)? {
            Compiled::Bool(cond) => Ok(cond),
            Compiled::Data(node) => {
                let value = self.b.exact(node, 0)?;
                Ok(self.b.cond(Cond::NonZero(value)))
            }
            other => expected("a truth value", other),
        }
    }

    /// A number whose value counts.
    pub fn exact(&mut self, json: &Json, locals: Locals<'_>) -> LoadResult<Value> {
        let node = self.data(json, locals)?;
        self.b.exact(node, 0)
    }

    /// An index or a shift amount.
    pub fn index(&mut self, json: &Json, locals: Locals<'_>) -> LoadResult<Value> {
        self.exact(json, locals)
    }

    /// A number that is stored in a field.
    pub fn for_field(&mut self, node: NodeId, loc: Loc) -> LoadResult<Value> {
        if loc.saturating {
            self.b.exact(node, u64::from(loc.bits) + 1)
        } else {
            self.b.low_bits(node, loc.bits)
        }
    }
}
