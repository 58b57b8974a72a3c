// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Part of [`Flow`]: reads and writes of values, and the validity of headers.

use super::{meet, Flow, Parts, Place, State, Validity, CELLS_IN_BLOCK};
use crate::ir::{BinaryOp, Expr, ExprKind};
use crate::warnings::Warning;

impl<'p> Flow<'p, '_, '_> {
    /// The value of an expression is used.
    pub(super) fn read(&mut self, e: &'p Expr) {
        self.work += 1;
        match &e.kind {
            ExprKind::Var(_)
            | ExprKind::Field(..)
            | ExprKind::Index(..)
            | ExprKind::StackNext(_)
            | ExprKind::StackLast(_) => {
                self.path(e);
                if let ExprKind::StackNext(_) = e.kind {
                    let message = format!(
                        "`{}` is read before a header is in it",
                        self.report.text(e.span)
                    );
                    self.warning(Warning::Uninitialized, e.span, message);
                } else {
                    self.check_written(e);
                }
            }
            ExprKind::IsValid(header) => {
                self.path(header);
                self.asked(header);
            }
            ExprKind::StackLastIndex(stack) => self.path(stack),
            ExprKind::Call(call) => self.call(call),
            ExprKind::TableHit(table) | ExprKind::TableMiss(table) => self.apply(*table),
            ExprKind::Binary(BinaryOp::And | BinaryOp::Or, left, right) => {
                self.read(left);
                self.maybe(&[right]);
            }
            ExprKind::Ternary {
                condition,
                then,
                otherwise,
            } => {
                self.read(condition);
                self.maybe(&[then, otherwise]);
            }
            _ => e.operands().for_each(|operand| self.read(operand)),
        }
    }

    /// Expressions that are evaluated or not.
    fn maybe(&mut self, of: &[&'p Expr]) {
        if !of.iter().any(|e| has_call(e)) {
            of.iter().for_each(|e| self.read(e));
            return;
        }
        let start = self.copy();
        let mut after = self.copy();
        for e in of {
            self.state = start.clone();
            self.read(e);
            meet(&mut after, self.state.take());
        }
        self.state = after;
    }

    /// Indices, and headers on the way to the place that an expression names.
    fn path(&mut self, e: &'p Expr) {
        match &e.kind {
            ExprKind::Field(base, _) => {
                self.path(base);
                if let Parts::Header(_) = self.places.parts(&base.ty) {
                    self.check_valid(base);
                }
            }
            ExprKind::Index(base, index) => {
                self.path(base);
                self.read(index);
            }
            ExprKind::StackNext(base) | ExprKind::StackLast(base) => self.path(base),
            ExprKind::Slice { base, .. } => self.path(base),
            ExprKind::Var(_) | ExprKind::DontCare => {}
            _ => self.read(e),
        }
    }

    /// The place that an expression names is about to be written.
    pub(super) fn write_path(&mut self, e: &'p Expr) {
        match &e.kind {
            // The other bits stay.
            ExprKind::Slice { base, .. } => self.read(base),
            _ => self.path(e),
        }
    }

    fn check_valid(&mut self, header: &'p Expr) {
        let Some(place) = self.places.of(header) else {
            return;
        };
        self.work += place.starts().len();
        let is = match self.validity(place) {
            Validity::No => "is invalid",
            Validity::Maybe => "may be invalid",
            Validity::Yes => return,
        };
        let message = format!(
            "header `{}`, a field of which is accessed, {is} here",
            self.report.text(header.span)
        );
        self.warning(Warning::InvalidHeader, header.span, message);
    }

    fn asked(&mut self, header: &'p Expr) {
        let Some(place) = self.places.of(header) else {
            return;
        };
        if let Parts::Union(_) = self.places.parts(place.ty) {
            for member in self.places.all_parts(place) {
                self.set_asked(member);
            }
        }
        self.set_asked(place);
    }

    fn set_asked(&mut self, place: Place<'p>) {
        if let Some(state) = &mut self.state {
            place.starts().for_each(|cell| state.set_asked(cell));
        }
    }

    fn check_written(&mut self, e: &'p Expr) {
        let Some(place) = self.places.of(e) else {
            return;
        };
        if !self.has_unwritten(place, true) {
            return;
        }
        let text = self.report.text(e.span);
        let fields = match self.places.parts(place.ty) {
            Parts::Struct(fields) | Parts::Header(fields) | Parts::Union(fields) => fields,
            parts => {
                let message = match parts {
                    Parts::None => format!("`{text}` may be uninitialized"),
                    _ => format!("`{text}` may not be completely initialized"),
                };
                return self.warning(Warning::UninitializedUse, e.span, message);
            }
        };
        let parts = self.places.all_parts(place);
        let unwritten: Vec<bool> = parts
            .iter()
            .map(|&part| self.has_unwritten(part, true))
            .collect();
        for (field, _) in fields
            .iter()
            .zip(unwritten)
            .filter(|&(_, unwritten)| unwritten)
        {
            let message = format!("`{text}.{}` may be uninitialized", field.name);
            self.warning(Warning::UninitializedUse, e.span, message);
        }
    }

    /// Whether some cell of the place may be without value; those in headers count only `in_headers`.
    pub(super) fn has_unwritten(&mut self, place: Place<'p>, in_headers: bool) -> bool {
        let size = self.places.size(place.ty);
        let any = |state: &State| {
            let mut starts = place.starts();
            starts.any(|start| state.any_unwritten(start..start + size))
        };
        self.work += 1 + place.starts().len() * size / CELLS_IN_BLOCK;
        if !self.state.as_ref().is_some_and(any) {
            return false;
        }
        match self.places.parts(place.ty) {
            Parts::None => return true,
            Parts::Header(_) | Parts::Union(_) if !in_headers => return false,
            _ => {}
        }
        let is_union = matches!(self.places.parts(place.ty), Parts::Union(_));
        let mut parts = self.places.all_parts(place).into_iter();
        let mut unwritten = |part| self.has_unwritten(part, in_headers);
        match is_union {
            // One member that is written is all that a union holds.
            true => parts.all(unwritten),
            false => parts.any(&mut unwritten),
        }
    }

    pub(super) fn set_written(&mut self, place: Place<'p>, written: bool) {
        let size = self.places.size(place.ty);
        let Some(state) = &mut self.state else {
            return;
        };
        for start in place.starts() {
            self.work += size;
            (start..start + size).for_each(|cell| state.set_written(cell, written));
        }
    }

    /// Sets the validity of all headers in the place.
    pub(super) fn set_validity(&mut self, place: Place<'p>, validity: Validity) {
        match self.places.parts(place.ty) {
            Parts::None => return,
            Parts::Header(_) => return self.set_cells(place, validity),
            Parts::Union(_) => self.set_cells(place, validity),
            _ => {}
        }
        for part in self.places.all_parts(place) {
            self.set_validity(part, validity);
        }
    }

    fn set_cells(&mut self, place: Place<'p>, validity: Validity) {
        let Some(state) = &mut self.state else {
            return;
        };
        for cell in place.starts() {
            self.work += 1;
            state.set_validity(cell, validity);
        }
    }

    /// `e` names the place. One header of a union makes the others invalid; which element of a stack becomes invalid is known
    /// only for a constant index.
    pub(super) fn set_header(&mut self, e: &'p Expr, place: Place<'p>, validity: Validity) {
        if place.spread.is_some() && validity != Validity::Yes {
            return;
        }
        if let ExprKind::Field(base, _) = &e.kind {
            if let (Parts::Union(_), Some(union)) =
                (self.places.parts(&base.ty), self.places.of(base))
            {
                if union.spread.is_none() {
                    self.set_validity(union, Validity::No);
                }
                self.set_cells(union, validity);
            }
        }
        self.set_validity(place, validity);
    }

    pub(super) fn assign_to(&mut self, target: &'p Expr, value: &'p Expr) {
        let Some(place) = self.places.of(target) else {
            return;
        };
        if let Some(from) = self.places.of(value) {
            return self.assign_place(target, from);
        }
        if let Parts::Header(_) = self.places.parts(place.ty) {
            self.set_written(place, true);
            let validity = match value.kind {
                ExprKind::Invalid => Validity::No,
                _ => Validity::Yes,
            };
            return self.set_header(target, place, validity);
        }
        self.assign(place, value);
    }

    pub(super) fn assign_place(&mut self, target: &'p Expr, from: Place<'p>) {
        let Some(place) = self.places.of(target) else {
            return;
        };
        self.set_written(place, true);
        if let Parts::Header(_) = self.places.parts(place.ty) {
            let validity = self.validity(from);
            return self.set_header(target, place, validity);
        }
        self.copy_validity(place, from);
    }

    /// The validity of the one header, or of the one of several that is most likely valid.
    fn validity(&self, header: Place<'p>) -> Validity {
        let state = self.state.as_ref();
        let known = |cell| state.map_or(Validity::Yes, |state| state.validity(cell));
        header.starts().map(known).max().unwrap_or(Validity::Yes)
    }

    /// `value` becomes that of the place.
    pub(super) fn assign(&mut self, place: Place<'p>, value: &'p Expr) {
        self.work += 1;
        if let Some(from) = self.places.of(value) {
            self.set_written(place, true);
            return self.copy_validity(place, from);
        }
        match (&value.kind, self.places.parts(place.ty)) {
            (ExprKind::Aggregate(items), Parts::Struct(_) | Parts::Tuple(_) | Parts::Stack(..)) => {
                let parts = self.places.all_parts(place);
                for (part, item) in parts.into_iter().zip(items) {
                    self.assign(part, item);
                }
            }
            (ExprKind::Invalid, _) => {
                self.set_written(place, true);
                self.set_validity(place, Validity::No);
            }
            (_, Parts::None) => self.set_written(place, true),
            _ => {
                self.set_written(place, true);
                self.set_validity(place, Validity::Yes);
            }
        }
    }

    fn copy_validity(&mut self, to: Place<'p>, from: Place<'p>) {
        match (self.places.parts(to.ty), self.places.parts(from.ty)) {
            (Parts::None, _) => return,
            (Parts::Header(_), Parts::Header(_)) => {
                let validity = self.validity(from);
                return self.set_cells(to, validity);
            }
            (Parts::Union(_), Parts::Union(_)) => {
                let validity = self.validity(from);
                self.set_cells(to, validity);
            }
            (Parts::Struct(_), Parts::Struct(_))
            | (Parts::Tuple(_), Parts::Tuple(_))
            | (Parts::Stack(..), Parts::Stack(..)) => {}
            _ => return self.set_validity(to, Validity::Yes),
        }
        let pairs = self.places.all_parts(to);
        let pairs = pairs.into_iter().zip(self.places.all_parts(from));
        pairs.for_each(|(to, from)| self.copy_validity(to, from));
    }
}

fn has_call(e: &Expr) -> bool {
    match e.kind {
        ExprKind::Call(_) | ExprKind::TableHit(_) | ExprKind::TableMiss(_) => true,
        _ => e.operands().any(has_call),
    }
}
