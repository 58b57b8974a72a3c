// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Part of `Checker`: `a[i]`, fields of structs and tuples by number, and bit slices.

use num_traits::{Signed, ToPrimitive};

use crate::ast::{self, BinaryOp};
use crate::check::checker::Checker;
use crate::check::values::constant::{constant, Known};
use crate::check::values::fold;
use crate::ir::{Expr, ExprKind, Type, Value};
use crate::span::Span;

impl<'a> Checker<'a, '_> {
    pub fn index_expr(
        &mut self,
        base: &'a ast::Expr,
        index: &'a ast::Expr,
        span: Span,
    ) -> Option<Expr> {
        let base = self.expr(base, None)?;
        let index = self.expr(index, None)?;
        let constant_index = match self.value_of(&index) {
            Some(Value::Int(value)) => Some(value),
            _ => None,
        };
        match base.ty.clone() {
            Type::Stack(element, size) => {
                let index = match (&index.ty, constant_index) {
                    (Type::Bit(_) | Type::Int(_) | Type::InfInt, Some(value)) => {
                        if value.is_negative() || value >= size.into() {
                            return self.error(
                                index.span,
                                format!("index {value} is outside: there are {size} elements"),
                            );
                        }
                        constant(Value::Int(value), Type::Bit(32), index.span)
                    }
                    (Type::Bit(_) | Type::Int(_), None) => index,
                    (Type::InfInt, None) => self.convert(index, &Type::Bit(32))?,
                    (ty, _) if self.types.serializable(ty).is_some() => {
                        let repr = self.types.representation(&index.ty);
                        self.convert(index, &repr)?
                    }
                    _ => {
                        let shown = self.types.show(&index.ty);
                        return self.error(
                            index.span,
                            format!("an index must be an integer, not `{shown}`"),
                        );
                    }
                };
                Some(Expr {
                    kind: ExprKind::Index(Box::new(base), Box::new(index)),
                    ty: *element,
                    span,
                })
            }
            Type::Tuple(items) => {
                let Some(value) = constant_index.filter(|_| self.types.is_numeric(&index.ty))
                else {
                    return self.error(
                        index.span,
                        "the index of a tuple must be an integer known at compile time",
                    );
                };
                match value.to_usize().filter(|index| *index < items.len()) {
                    Some(index) => Some(self.field_expr(base, index, items[index].clone(), span)),
                    None => self.error(
                        index.span,
                        format!(
                            "index {value} is outside of the tuple: it has {} elements",
                            items.len()
                        ),
                    ),
                }
            }
            other => {
                let shown = self.types.show(&other);
                self.error(
                    span,
                    format!(
                        "`{shown}` cannot be indexed: only arrays, header stacks and tuples can"
                    ),
                )
            }
        }
    }

    /// Field number `index` of a struct, header, header union or tuple.
    pub fn field_expr(&mut self, base: Expr, index: usize, ty: Type, span: Span) -> Expr {
        if let ExprKind::Const(Value::Aggregate(items)) = &base.kind {
            if let Some(item) = items.get(index) {
                return constant(item.clone(), ty, span);
            }
        }
        if self.known(&base) != Known::RunTime {
            if let ExprKind::Aggregate(items) = &base.kind {
                return Expr {
                    span,
                    ..items[index].clone()
                };
            }
        }
        Expr {
            kind: ExprKind::Field(Box::new(base), index as u32),
            ty,
            span,
        }
    }

    fn bit_index(&mut self, expr: &'a ast::Expr) -> Option<u32> {
        let value = self.constant_int(expr, "a bit index")?;
        match value.to_u32() {
            Some(index) => Some(index),
            None => self.error(expr.span, format!("{value} is not a bit index")),
        }
    }

    fn slice_base(&mut self, base: &'a ast::Expr) -> Option<(Expr, u32)> {
        let base = self.expr(base, None)?;
        let base = match self.types.serializable(&base.ty) {
            Some(repr) => self.convert(base, &repr)?,
            None => base,
        };
        match base.ty {
            Type::Bit(width) | Type::Int(width) => Some((base, width)),
            _ => {
                let shown = self.types.show(&base.ty);
                self.error(
                    base.span,
                    format!("`{shown}` has no bit slices: only `bit` and `int` of a width have"),
                )
            }
        }
    }

    pub fn slice_expr(
        &mut self,
        base: &'a ast::Expr,
        hi: &'a ast::Expr,
        lo: &'a ast::Expr,
        span: Span,
    ) -> Option<Expr> {
        let (base, width) = self.slice_base(base)?;
        let (high, low) = (self.bit_index(hi)?, self.bit_index(lo)?);
        if high >= width {
            let shown = self.types.show(&base.ty);
            return self.error(hi.span, format!("bit {high} is outside of `{shown}`"));
        }
        if low > high {
            return self.error(
                span,
                format!("the slice [{high}:{low}] is empty: the higher bit comes first"),
            );
        }
        Some(make_slice(base, high, low, span))
    }

    pub fn plus_slice_expr(
        &mut self,
        base: &'a ast::Expr,
        lo: &'a ast::Expr,
        width: &'a ast::Expr,
        span: Span,
    ) -> Option<Expr> {
        let (base, total) = self.slice_base(base)?;
        let count = self.bit_index(width)?;
        if count == 0 || count > total {
            let shown = self.types.show(&base.ty);
            return self.error(
                width.span,
                format!("a slice of {count} bits cannot be taken of `{shown}`"),
            );
        }
        let low = self.expr(lo, None)?;
        if !self.types.is_numeric(&low.ty) {
            let shown = self.types.show(&low.ty);
            return self.error(
                lo.span,
                format!("a bit index must be an integer, not `{shown}`"),
            );
        }
        if let Some(Value::Int(value)) = self.value_of(&low) {
            return match value
                .to_u32()
                .filter(|low| low.checked_add(count).is_some_and(|end| end <= total))
            {
                Some(low) => Some(make_slice(base, low + count - 1, low, span)),
                None => {
                    let shown = self.types.show(&base.ty);
                    self.error(
                        span,
                        format!("bits {value} and {count} up are outside of `{shown}`"),
                    )
                }
            };
        }
        let low_type = low.ty.clone();
        if let Type::Int(_) = low_type {
            return self.error(lo.span, "the lowest bit of a slice cannot be signed");
        }
        let ty = base.ty.clone();
        let shifted = Expr {
            kind: ExprKind::Binary(BinaryOp::Shr, Box::new(base), Box::new(low)),
            ty,
            span,
        };
        Some(make_slice(shifted, count - 1, 0, span))
    }
}

fn make_slice(base: Expr, hi: u32, lo: u32, span: Span) -> Expr {
    let ty = Type::Bit(hi - lo + 1);
    if let ExprKind::Const(Value::Int(value)) = &base.kind {
        return constant(Value::Int(fold::slice(value, hi, lo)), ty, span);
    }
    Expr {
        kind: ExprKind::Slice {
            base: Box::new(base),
            hi,
            lo,
        },
        ty,
        span,
    }
}
