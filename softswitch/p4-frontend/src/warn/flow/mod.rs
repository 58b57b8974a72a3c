// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Values that are read before anything has written them, and fields of headers that are invalid: by data flow through each
//! parser, control and function.
//!
//! A call of an action, function or table is followed. Other calls write all their `out` and `inout` arguments, and make their headers
//! valid. What comes from outside is written, and its headers are valid: `in` and `inout` parameters, except in what an
//! `isValid()` asks about. So a control that does not ask is right, and warnings are about what it does itself.
//!
//! | file | part |
//! |---|---|
//! | `state`, `places` | what is known about each cell of a variable, and which cells an expression names |
//! | `parsers` | states until nothing changes |
//! | `statements`, `calls` | the way through the code |
//! | `values` | reads, writes and the validity of headers |

mod calls;
mod parsers;
mod places;
mod state;
mod statements;
mod values;

use super::report::Report;
use crate::ir::{Control, Direction, Function, Program, VarId, VarKind};
use crate::warnings::Warning;

use places::{Parts, Place, Places};
use state::{State, Validity};

/// The limit of work on one program: pieces of code, cells that are written, and blocks of cells that are copied.
/// Beyond it the warnings end with one that says so.
const MAX_WORK: usize = 1 << 22;
const CELLS_IN_BLOCK: usize = 64;

pub(super) fn check(program: &Program, report: &mut Report) {
    let mut flow = Flow {
        program,
        report,
        places: Places::new(program),
        state: None,
        quiet: 0,
        depth: 0,
        work: 0,
        returned: None,
        exited: None,
        loops: Vec::new(),
    };
    // First, because the methods of externs are functions that see the variables of a control, which are not followed there.
    for function in &program.functions {
        flow.function(function);
    }
    for parser in &program.parsers {
        flow.parser(parser);
    }
    for control in &program.controls {
        flow.control(control);
    }
    if flow.gave_up() {
        let message = "the program is too large to look for reads of unwritten values and fields of invalid headers in all of it";
        let kind = Warning::UninitializedUse;
        flow.report
            .warning(kind, program.main_span, message.to_owned());
    }
}

/// The places to which the ways out of a loop's body lead.
#[derive(Default)]
struct Loop {
    broken: Option<State>,
    continued: Option<State>,
}

struct Flow<'p, 'r, 'd> {
    program: &'p Program,
    report: &'r mut Report<'d>,
    places: Places<'p>,
    /// `None` where the code cannot be reached.
    state: Option<State>,
    /// Runs that only find the state at some point, which is not the last one yet.
    quiet: usize,
    /// The depth of actions in each other.
    depth: usize,
    work: usize,
    /// At each `return` of the action or function so far.
    returned: Option<State>,
    exited: Option<State>,
    loops: Vec<Loop>,
}

/// Adds the state of another way to the same point.
fn meet(one: &mut Option<State>, other: Option<State>) {
    match (one, other) {
        (_, None) => {}
        (Some(one), Some(other)) => one.join(&other),
        (one, other) => *one = other,
    }
}

impl<'p> Flow<'p, '_, '_> {
    fn gave_up(&self) -> bool {
        self.work + self.places.work > MAX_WORK
    }

    fn count_copy(&mut self, cells: usize) {
        self.work += 1 + cells / CELLS_IN_BLOCK;
    }

    /// A copy of the current state, which costs as much as it has cells.
    fn copy(&mut self) -> Option<State> {
        self.count_copy(self.state.as_ref().map_or(0, State::len));
        self.state.clone()
    }

    fn function(&mut self, function: &'p Function) {
        self.begin(&function.params);
        self.body(&function.body);
        self.end(&function.params, &function.name);
    }

    fn control(&mut self, control: &'p Control) {
        self.begin(&control.params);
        self.statements(&control.locals);
        self.body(&control.body);
        let exited = self.exited.take();
        meet(&mut self.state, exited);
        self.end(&control.params, &control.type_name);
    }

    fn begin(&mut self, params: &[VarId]) {
        self.places.begin();
        self.state = Some(State::default());
        self.exited = None;
        for &param in params {
            let place = self.places.declare(param);
            self.fresh(place, !self.is_out(param));
        }
    }

    fn is_out(&self, param: VarId) -> bool {
        let kind = self.program.vars[param.index()].kind;
        kind == VarKind::Param(Direction::Out)
    }

    /// Checks that `out` parameters are written. Headers may be left invalid.
    fn end(&mut self, params: &[VarId], name: &str) {
        for &param in params {
            if !self.is_out(param) {
                continue;
            }
            let place = self.places.declare(param);
            if self.has_unwritten(place, false) {
                let var = &self.program.vars[param.index()];
                let message = format!(
                    "out parameter `{}` may be uninitialized when `{name}` ends",
                    var.name
                );
                self.warning(Warning::UninitializedOutParam, var.span, message);
            }
        }
    }

    /// The cells of a variable that begins to live.
    fn fresh(&mut self, place: Place<'p>, written: bool) {
        let validity = match written {
            true => Validity::Yes,
            false => Validity::No,
        };
        self.set_written(place, written);
        self.set_validity(place, validity);
    }

    fn warning(&mut self, kind: Warning, span: crate::span::Span, message: String) {
        if self.quiet == 0 && !self.gave_up() {
            self.report.warning(kind, span, message);
        }
    }
}
