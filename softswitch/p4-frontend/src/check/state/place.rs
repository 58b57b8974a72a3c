// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The place in the program where the checker is: which statements it allows, and the members of the instance around it.

use crate::ir::{self, Type};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Body {
    /// Outside of every body: the top level, declarations of a parser or control, table properties.
    #[default]
    Declarations,
    ParserState,
    ControlApply,
    Action,
    Function,
}

impl Body {
    pub fn describe(self) -> &'static str {
        match self {
            Body::Declarations => "a declaration",
            Body::ParserState => "a parser state",
            Body::ControlApply => "the `apply` block of a control",
            Body::Action => "an action",
            Body::Function => "a function",
        }
    }
}

/// Members of the control under elaboration, in order of declaration.
#[derive(Clone, Debug, Default)]
pub struct Members {
    pub tables: Vec<ir::TableId>,
    pub actions: Vec<ir::ActionId>,
    pub externs: Vec<ir::ExternId>,
    pub controls: Vec<ir::ControlId>,
}

#[derive(Clone, Debug, Default)]
pub struct Place {
    pub body: Body,
    /// Inside the declaration of a parser or control: which of the two.
    pub object: Option<ObjectKind>,
    /// The type of the value that `return` must have: `Void` for none.
    pub result: Option<Type>,
    pub in_loop: bool,
    /// Control-plane name of the instance around; empty at the top level.
    pub prefix: String,
    /// Number of the instance around.
    pub instance: usize,
    pub members: Members,
    /// The extern instance whose abstract methods are being implemented.
    pub this: Option<ir::Expr>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObjectKind {
    Parser,
    Control,
}
