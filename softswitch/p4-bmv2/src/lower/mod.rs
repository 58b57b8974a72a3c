// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! From the typed program to flat statements: calls inlined, aggregates taken apart, side effects in their order.
//!
//! A variable is a [`Place`]. A parameter is bound to its argument's place where that has the same effect as copy-in and
//! copy-out, and has a place of its own elsewhere.
//!
//! In: a parser, control or action of the typed program. Out: its statements as in `flat.rs`. Begin with `stmt.rs`,
//! then `call.rs`. Most methods belong to [`Lower`]; each file has those for one thing:
//!
//! | thing | files |
//! |---|---|
//! | statements | `stmt`; `assign`; `table` where one is applied; `parser` states, `select` with computed key sets |
//! | calls | `call` all kinds; `inline` bodies; `packet` the core library; `results` what primitives read and write |
//! | expressions | `expr`; `ops` arithmetic, `equality`, `hash` lists of fields |
//! | places | `place`; `choice` one of several; `atoms` and `reach` for whether two overlap |
//! | objects | `objects` the JSON's numbered ones |

mod assign;
mod atoms;
mod call;
mod choice;
mod equality;
mod expr;
mod hash;
mod inline;
mod objects;
pub(crate) mod ops;
mod packet;
mod parser;
mod place;
mod reach;
mod results;
mod select;
mod stmt;
mod table;

use std::any::Any;
use std::collections::{BTreeMap, HashMap};

use quench_p4_frontend::ir::{self, Type, VarId};
use quench_p4_frontend::limits::MAX_OPERATIONS;
use quench_p4_frontend::span::Span;

use crate::arch::Architecture;
use crate::error::{not_supported, Result, Warnings};
use crate::flat::{Label, Stmt, StmtKind};
use crate::json::Expr;
use crate::layout::Layout;
use crate::place::Place;

pub(crate) use hash::Parts;
pub use objects::{Calculation, FieldList, Objects};
pub use ops::{and as conjunction, constant_bits, data as truth_as_data, mask, not as negation};
pub(crate) use parser::unsigned_ranges;
pub use table::{Key, LoweredAction, LoweredTable, Profile};

/// A value of any type, read at once or not at all: nothing in it has side effects.
#[derive(Clone, Debug)]
pub enum Value {
    /// One number or truth value, in its type's range.
    Scalar(Expr),
    /// A composite, or a varbit.
    Place(Place),
    /// Struct, tuple or list.
    Struct(Vec<Value>),
    /// A valid header with these fields.
    Header(Vec<Value>),
    /// An invalid header; a union or stack of invalid headers.
    Invalid,
}

/// The meaning of a variable.
#[derive(Clone, Debug)]
enum Binding {
    Place(Place),
    Value(Value),
}

/// A programmable block of an architecture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    pub kind: BlockKind,
    /// As messages have it, such as "the parser".
    pub name: &'static str,
}

/// What a programmable block can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockKind {
    Parser,
    /// Tables and actions.
    Pipeline,
    Checksums,
    Deparser,
}

/// A call that is being inlined.
struct Frame {
    /// Where `return` goes.
    end: Label,
    result: Option<(Place, Type)>,
    /// Argument's place and parameter's place, copied on the way out; also before `exit`.
    copy_out: Vec<(Place, Place)>,
}

pub struct Lower<'a> {
    pub ir: &'a ir::Program,
    pub arch: &'static dyn Architecture,
    pub layout: Layout<'a>,
    pub objects: Objects,
    /// The architecture's own notes, of a type that it alone knows.
    pub notes: Box<dyn Any>,
    pub warnings: Warnings,
    pub tables: BTreeMap<ir::TableId, LoweredTable>,
    pub actions: Vec<LoweredAction>,
    bindings: HashMap<VarId, Binding>,
    /// Places of the parameters that had to be copied.
    parameters: HashMap<VarId, Place>,
    /// Objects that are arguments of inlined controls.
    extern_params: HashMap<VarId, ir::ExternId>,
    /// Statements so far of the block that is being lowered.
    out: Vec<Stmt>,
    pub(crate) span: Span,
    labels: u32,
    frames: Vec<Frame>,
    /// Ends of the loops around, for `break` and `continue`.
    loops: Vec<(Label, Label)>,
    pub block: Block,
    /// Inside the body of a table's action.
    pub(crate) in_action: bool,
    /// Number of operations lowered so far. It is limited: functions that each call the next twice grow exponentially.
    operations: usize,
    /// Calls around.
    call_depth: usize,
    /// The target of `target op= value`, which the typed program contains twice but which is evaluated once.
    evaluated: Option<(Span, Place)>,
}

impl<'a> Lower<'a> {
    /// `block` is the first that is lowered.
    pub fn new(
        ir: &'a ir::Program,
        arch: &'static dyn Architecture,
        notes: impl Any,
        block: Block,
    ) -> Lower<'a> {
        Lower {
            ir,
            arch,
            layout: Layout::new(ir, arch.pads_headers()),
            objects: Objects::default(),
            notes: Box::new(notes),
            warnings: Vec::new(),
            tables: BTreeMap::new(),
            actions: Vec::new(),
            bindings: HashMap::new(),
            parameters: HashMap::new(),
            extern_params: HashMap::new(),
            out: Vec::new(),
            span: Span::default(),
            labels: 0,
            frames: Vec::new(),
            loops: Vec::new(),
            block,
            in_action: false,
            operations: 0,
            call_depth: 0,
            evaluated: None,
        }
    }

    /// Binds a programmable block's parameter.
    pub fn bind(&mut self, var: VarId, place: Place) {
        self.bindings.insert(var, Binding::Place(place));
    }

    /// A top-level control's body.
    pub fn control(&mut self, id: ir::ControlId, block: Block) -> Result<Vec<Stmt>> {
        self.block = block;
        let ir = self.ir;
        let control = &ir.controls[id.index()];
        self.span = control.span;
        let end = self.new_label();
        self.frames.push(Frame {
            end,
            result: None,
            copy_out: Vec::new(),
        });
        let body = self.nested(|lower| {
            lower.stmts(&control.locals)?;
            lower.stmts(&control.body)
        });
        self.frames.pop();
        Ok(vec![Stmt {
            kind: StmtKind::Block(end, body?),
            span: control.span,
        }])
    }

    fn new_label(&mut self) -> Label {
        self.labels += 1;
        Label(self.labels)
    }

    /// Counts a statement, call or part of an expression; an error beyond the limit.
    fn count_operation(&mut self) -> Result<()> {
        self.operations += 1;
        if self.operations > MAX_OPERATIONS {
            return not_supported(
                self.span,
                format_args!(
                    "more than {MAX_OPERATIONS} operations, once each call is replaced by what it calls"
                ),
            );
        }
        Ok(())
    }

    pub(crate) fn push(&mut self, kind: StmtKind) {
        self.operations += 1;
        self.out.push(Stmt {
            kind,
            span: self.span,
        });
    }

    pub(crate) fn primitive(&mut self, op: &'static str, parameters: Vec<Expr>) {
        self.push(StmtKind::Primitive(op, parameters));
    }

    /// The statements that `body` produces, apart from those so far.
    pub(crate) fn nested(
        &mut self,
        body: impl FnOnce(&mut Self) -> Result<()>,
    ) -> Result<Vec<Stmt>> {
        let outer = std::mem::take(&mut self.out);
        let result = body(self);
        let inner = std::mem::replace(&mut self.out, outer);
        result.map(|()| inner)
    }

    /// A new place, invalid or undefined.
    pub(crate) fn temporary(&mut self, ty: &Type) -> Result<Place> {
        self.layout.allocate("tmp", ty, self.span)
    }

    /// Copies a value that could change before it is read.
    pub(crate) fn spill(&mut self, value: Value, ty: &Type) -> Result<Value> {
        if let Value::Scalar(expr) = &value {
            if expr.is_constant() {
                return Ok(value);
            }
        }
        let place = self.temporary(ty)?;
        self.assign(&place, value)?;
        Ok(self.read(&place))
    }
}
