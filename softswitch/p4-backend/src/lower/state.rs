// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The state of lowering, and the seam between what P4-16 itself defines and what an architecture adds. Each calls
//! the other, so both stand here.

use std::any::Any;
use std::collections::{BTreeMap, HashMap};

use quench_p4_frontend::ir::{self, ExternId, Type, VarId};
use quench_p4_frontend::limits::MAX_OPERATIONS;
use quench_p4_frontend::span::Span;
use quench_p4_frontend::SourceMap;

use super::lowered::{Block, LoweredAction, LoweredTable};
use super::objects::Objects;
use crate::error::{not_supported, Result, Warnings};
use crate::flat::{Label, Stmt, StmtKind};
use crate::json::{self, Expr};
use crate::layout::Layout;
use crate::place::Place;

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
pub(super) enum Binding {
    Place(Place),
    Value(Value),
}

/// A call that is being inlined.
pub(super) struct Frame {
    /// The label to which `return` goes.
    pub(super) end: Label,
    pub(super) result: Option<(Place, Type)>,
    /// Argument's place and parameter's place, copied on the way out; also before `exit`.
    pub(super) copy_out: Vec<(Place, Place)>,
}

/// The additions of an architecture to the language: the programmable blocks, the functions and objects that it
/// declares, and the properties of tables that name them.
pub trait Architecture {
    /// The JSON model of a program, and warnings with their places.
    fn translate(
        &self,
        ir: &ir::Program,
        sources: &SourceMap,
        program_name: &str,
    ) -> Result<(json::Program, Warnings)>;

    /// A call of a function of the architecture, or of the core library's `verify`.
    fn function(
        &self,
        lower: &mut Lower<'_>,
        name: &str,
        type_args: &[Type],
        call: &ir::Call,
    ) -> Result<Option<Value>>;

    /// A call of a method of an object.
    fn method(
        &self,
        lower: &mut Lower<'_>,
        instance: ExternId,
        method: &str,
        call: &ir::Call,
    ) -> Result<Option<Value>>;

    /// The meaning of a table's property that is not the language's.
    fn property(
        &self,
        lower: &mut Lower<'_>,
        property: &ir::Property,
        table: &mut LoweredTable,
    ) -> Result<()>;

    /// Warns about what a lowered table does differently from what its source says.
    fn check_table(&self, lower: &mut Lower<'_>, table: &ir::Table, lowered: &LoweredTable);

    /// The kind of match in the JSON, apart from `selector`; `None` where there is none.
    fn match_kind(&self, kind: &str) -> Option<&'static str>;

    /// Looks at a parser's state that can go to `reject`.
    fn rejects(&self, lower: &mut Lower<'_>, state: &ir::State);

    /// Whether headers that are not whole bytes get bits at their end.
    fn pads_headers(&self) -> bool;

    /// The primitive that makes a header valid.
    fn set_valid(&self) -> &'static str;
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
    pub(super) bindings: HashMap<VarId, Binding>,
    /// Places of the parameters that had to be copied.
    pub(super) parameters: HashMap<VarId, Place>,
    /// Objects that are arguments of inlined controls.
    pub(super) extern_params: HashMap<VarId, ir::ExternId>,
    /// Statements so far of the block that is being lowered.
    pub(super) out: Vec<Stmt>,
    pub(crate) span: Span,
    pub(super) labels: u32,
    pub(super) frames: Vec<Frame>,
    /// Ends of the loops around, for `break` and `continue`.
    pub(super) loops: Vec<(Label, Label)>,
    pub block: Block,
    /// Inside the body of a table's action.
    pub(crate) in_action: bool,
    /// Number of operations lowered so far. It is limited: functions that each call the next twice grow exponentially.
    pub(super) operations: usize,
    /// Calls around.
    pub(super) call_depth: usize,
    /// The target of `target op= value`, which the typed program contains twice but which is evaluated once.
    pub(super) evaluated: Option<(Span, Place)>,
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

    pub(super) fn new_label(&mut self) -> Label {
        self.labels += 1;
        Label(self.labels)
    }

    /// Counts a statement, call or part of an expression; an error beyond the limit.
    pub(super) fn count_operation(&mut self) -> Result<()> {
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
