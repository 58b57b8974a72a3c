// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Part of [`Flow`]: calls of actions, functions and tables, which are followed, and of all others.

use std::ops::Range;

use super::{meet, Flow, State, Validity, MAX_WORK};
use crate::ir::{
    Argument, BuiltinMethod, Call, Callee, Direction, Expr, ExprKind, Stmt, TableId, VarId, VarKind,
};
use crate::limits::MAX_CALL_DEPTH;
use crate::warnings::Warning;

impl<'p> Flow<'p, '_, '_> {
    pub(super) fn call(&mut self, call: &'p Call) {
        match &call.callee {
            Callee::Table(table) => self.apply(*table),
            Callee::Builtin { object, method } => self.built_in(object, *method),
            Callee::Action(action) => {
                let action = &self.program.actions[action.index()];
                let args: Vec<&'p Expr> = call.args.iter().map(|arg| &arg.expr).collect();
                self.follow(&action.params, &args, &action.body, &action.name);
            }
            Callee::Function(function) => {
                let function = &self.program.functions[function.index()];
                let args: Vec<&'p Expr> = call.args.iter().map(|arg| &arg.expr).collect();
                self.follow(&function.params, &args, &function.body, &function.name);
            }
            _ => self.other(&call.args),
        }
    }

    fn built_in(&mut self, object: &'p Expr, method: BuiltinMethod) {
        self.write_path(object);
        let Some(place) = self.places.of(object) else {
            return;
        };
        match method {
            BuiltinMethod::SetValid => self.set_header(object, place, Validity::Yes),
            BuiltinMethod::SetInvalid => self.set_header(object, place, Validity::No),
            BuiltinMethod::PushFront | BuiltinMethod::PopFront => {
                self.set_validity(place, Validity::Yes);
            }
        }
    }

    fn other(&mut self, args: &'p [Argument]) {
        let is_written =
            |arg: &Argument| matches!(arg.direction, Direction::Out | Direction::InOut);
        let written: Vec<_> = args
            .iter()
            .map(|arg| (&arg.expr, is_written(arg)))
            .collect();
        self.check_order(&written);
        for arg in args {
            if arg.direction != Direction::Out {
                self.read(&arg.expr);
            }
        }
        for arg in args {
            if let Direction::Out | Direction::InOut = arg.direction {
                self.write_path(&arg.expr);
                if let Some(place) = self.places.of(&arg.expr) {
                    self.set_written(place, true);
                    self.set_header(&arg.expr, place, Validity::Yes);
                }
            }
        }
    }

    /// An action or function. `args` are those of the first parameters; the control plane gives the others.
    fn follow(&mut self, params: &'p [VarId], args: &[&'p Expr], body: &'p [Stmt], name: &str) {
        if self.depth == MAX_CALL_DEPTH {
            self.work = MAX_WORK + 1;
        }
        if self.gave_up() || self.state.is_none() {
            return;
        }
        self.depth += 1;
        let program = self.program;
        let kind = |param: VarId| program.vars[param.index()].kind;
        let is_written = |param| {
            matches!(
                kind(param),
                VarKind::Param(Direction::Out | Direction::InOut)
            )
        };
        let pairs = params.iter().zip(args);
        let written: Vec<_> = pairs
            .map(|(&param, &arg)| (arg, is_written(param)))
            .collect();
        self.check_order(&written);
        for (number, &param) in params.iter().enumerate() {
            let is_out = kind(param) == VarKind::Param(Direction::Out);
            let arg = args.get(number).copied().filter(|_| !is_out);
            if let Some(arg) = arg {
                self.read(arg);
            }
            let place = self.places.declare(param);
            self.fresh(place, !is_out);
            if let Some(arg) = arg {
                self.assign(place, arg);
            }
        }
        self.body(body);
        self.end(params, name);
        for (&param, arg) in params.iter().zip(args) {
            if let VarKind::Param(Direction::Out | Direction::InOut) = kind(param) {
                let from = self.places.declare(param);
                self.write_path(arg);
                self.assign_place(arg, from);
            }
        }
        self.depth -= 1;
    }

    /// One of the table's actions runs.
    pub(super) fn apply(&mut self, id: TableId) {
        let program = self.program;
        let table = &program.tables[id.index()];
        let before = self.copy();
        table.keys.iter().for_each(|key| self.read(&key.expr));
        let start = self.copy();
        let mut after = None;
        for used in &table.actions {
            if self.gave_up() {
                return;
            }
            self.state = start.clone();
            self.count_copy(start.as_ref().map_or(0, State::len));
            let action = &program.actions[used.action.index()];
            let args: Vec<&'p Expr> = used.args.iter().collect();
            self.follow(&action.params, &args, &action.body, &action.name);
            meet(&mut after, self.state.take());
        }
        if table.actions.is_empty() {
            after = start;
        }
        self.state = after;
        if let (Some(state), Some(before)) = (&mut self.state, &before) {
            state.trust(before);
        }
        self.restore_asked(before);
    }

    /// Arguments of one call that are written share no memory with each other, nor with what calls in the arguments write: the
    /// order in which they are copied back would decide.
    fn check_order(&mut self, args: &[(&'p Expr, bool)]) {
        let mut ranges: Vec<(Range<usize>, &'p Expr, bool)> = Vec::new();
        for &(arg, is_written) in args {
            if is_written {
                self.work += 1;
                let range = self.places.bits_of(arg);
                ranges.extend(range.map(|range| (range, arg, true)));
            }
            self.writes_in(arg, &mut ranges);
        }
        if ranges.len() < 2 {
            return;
        }
        ranges.sort_by_key(|(range, arg, _)| (range.start, arg.span.start));
        // The ends of arguments, and of writes in them.
        let mut ends: [Option<(usize, &'p Expr)>; 2] = [None; 2];
        for (range, arg, is_arg) in ranges {
            let others = if is_arg { &ends[..] } else { &ends[..1] };
            let other = others.iter().flatten().find(|&&(end, _)| range.start < end);
            if let Some((_, other)) = other {
                let message = format!(
                    "`{}` and `{}` are written by one call and share memory: the last one counts",
                    self.report.text(other.span),
                    self.report.text(arg.span)
                );
                self.warning(Warning::Ordering, arg.span, message);
            }
            let end = &mut ends[usize::from(!is_arg)];
            if end.is_none_or(|(end, _)| range.end > end) {
                *end = Some((range.end, arg));
            }
        }
    }

    /// The places that calls in an expression write.
    fn writes_in(&mut self, e: &'p Expr, into: &mut Vec<(Range<usize>, &'p Expr, bool)>) {
        self.work += 1;
        if self.gave_up() {
            return;
        }
        if let ExprKind::Call(call) = &e.kind {
            for arg in &call.args {
                if let Direction::Out | Direction::InOut = arg.direction {
                    let range = self.places.bits_of(&arg.expr);
                    into.extend(range.map(|range| (range, &arg.expr, false)));
                }
                self.writes_in(&arg.expr, into);
            }
        }
        e.operands()
            .for_each(|operand| self.writes_in(operand, into));
    }
}
