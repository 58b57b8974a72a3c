// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Places: where values live in BMv2's packet state. It has no structs, so a struct is a tree of places.

use quench_p4_frontend::ir::TypeId;

use crate::json::Expr;

/// A type that one field holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scalar {
    /// One bit; converted where it is read and written.
    Bool,
    /// Also `error` and enums without a representation, which have 32 bits.
    Bit(u32),
    Int(u32),
    Varbit(u32),
}

impl Scalar {
    pub fn bits(self) -> u32 {
        match self {
            Scalar::Bool => 1,
            Scalar::Bit(w) | Scalar::Int(w) | Scalar::Varbit(w) => w,
        }
    }
}

/// A part of the packet state that can be read and written.
#[derive(Clone, Debug, PartialEq)]
pub enum Place {
    Scalar(Leaf),
    /// Struct or tuple.
    Struct(Vec<Place>),
    Header(HeaderPlace),
    Union(UnionPlace),
    Stack(StackPlace),
    /// One of these, by an index known at run time. They are no structs.
    Choice(Box<Expr>, Vec<Place>),
}

/// One field, or bits of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Leaf {
    /// An expression for data: a field, runtime data, or a field of a computed header.
    pub expr: Expr,
    /// The scalar of the whole field.
    pub scalar: Scalar,
    /// Highest and lowest bit.
    pub slice: Option<(u32, u32)>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct HeaderPlace {
    pub ty: TypeId,
    pub at: HeaderAt,
}

#[derive(Clone, Debug, PartialEq)]
pub enum HeaderAt {
    /// A header instance.
    Instance(String),
    /// Stack and index known at run time only.
    Element(String, Expr),
    Next(String),
    Last(String),
    /// Member of the next or last union of a stack.
    NextMember(String, String),
    LastMember(String, String),
}

#[derive(Clone, Debug, PartialEq)]
pub struct UnionPlace {
    pub ty: TypeId,
    pub at: UnionAt,
}

#[derive(Clone, Debug, PartialEq)]
pub enum UnionAt {
    Instance(String),
    Next(String),
    Last(String),
}

#[derive(Clone, Debug, PartialEq)]
pub struct StackPlace {
    pub name: String,
    pub element: TypeId,
    pub of_unions: bool,
    pub size: u32,
}

impl StackPlace {
    /// The stack as an expression.
    pub fn expr(&self) -> Expr {
        match self.of_unions {
            true => Expr::HeaderUnionStack(self.name.clone()),
            false => Expr::HeaderStack(self.name.clone()),
        }
    }

    /// Name of the instance at a known index.
    pub fn instance(&self, index: u32) -> String {
        format!("{}[{index}]", self.name)
    }
}

impl HeaderPlace {
    /// The header as an expression; `None` where BMv2 has none.
    pub fn expr(&self) -> Option<Expr> {
        match &self.at {
            HeaderAt::Instance(name) => Some(Expr::Header(name.clone())),
            HeaderAt::Element(stack, index) => Some(element(stack, index.clone())),
            HeaderAt::Last(stack) => Some(element(
                stack,
                Expr::unary("last_stack_index", Expr::HeaderStack(stack.clone())),
            )),
            HeaderAt::Next(_) | HeaderAt::NextMember(..) | HeaderAt::LastMember(..) => None,
        }
    }
}

fn element(stack: &str, index: Expr) -> Expr {
    Expr::binary(
        "dereference_header_stack",
        Expr::HeaderStack(stack.to_owned()),
        index,
    )
}

impl Place {
    /// All headers, stacks and unions in it, and fields, in order.
    pub fn for_each(&self, visit: &mut impl FnMut(&Place)) {
        match self {
            Place::Struct(members) => members.iter().for_each(|m| m.for_each(visit)),
            _ => visit(self),
        }
    }
}
