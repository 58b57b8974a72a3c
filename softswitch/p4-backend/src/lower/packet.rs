// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Part of `Lower`: the core library: the methods of `packet_in` and `packet_out`, and `verify`.

use quench_p4_frontend::ir::{self, ExprKind, Type};
use quench_p4_frontend::limits::MAX_LOOKAHEAD_BITS;

use super::lowered::BlockKind;
use super::ops;
use super::state::{Lower, Value};
use crate::error::{not_supported, Result};
use crate::flat::{Extract, ExtractTarget, StmtKind};
use crate::json::Expr;
use crate::place::{HeaderAt, Place, Scalar};

impl Lower<'_> {
    pub(crate) fn packet_method(
        &mut self,
        extern_type: &str,
        method: &str,
        call: &ir::Call,
    ) -> Result<Option<Value>> {
        let args: Vec<&ir::Expr> = call.args.iter().map(|a| &a.expr).collect();
        match (extern_type, method, args.as_slice()) {
            ("packet_in", "extract", [header]) => self.extract(header, None)?,
            ("packet_in", "extract", [header, bits]) => self.extract(header, Some(bits))?,
            ("packet_in", "lookahead", []) => return self.lookahead(&call.result).map(Some),
            ("packet_in", "advance", [bits]) => {
                let bits = self.scalar(bits)?;
                self.push(StmtKind::Advance(bits));
            }
            ("packet_in", "length", []) => {
                return not_supported(
                    call.span,
                    "packet_in.length(); standard_metadata.packet_length has the packet's bytes",
                )
            }
            ("packet_out", "emit", [data]) => {
                let place = if self.is_place(data) {
                    self.place(data, false)?
                } else {
                    let value = self.value(data)?;
                    let copy = self.temporary(&data.ty)?;
                    self.assign(&copy, value)?;
                    copy
                };
                self.emit(&place)?;
            }
            _ => return not_supported(call.span, format_args!("{extern_type}.{method}")),
        }
        Ok(None)
    }

    pub(crate) fn verify(&mut self, call: &ir::Call) -> Result<()> {
        if self.block.kind != BlockKind::Parser {
            return not_supported(call.span, format_args!("verify in {}", self.block.name));
        }
        let mut values = self.values(call.args.iter().map(|a| &a.expr))?.into_iter();
        if let (Some(Value::Scalar(c)), Some(Value::Scalar(e))) = (values.next(), values.next()) {
            self.push(StmtKind::Verify(c, e));
        }
        Ok(())
    }

    fn extract(&mut self, target: &ir::Expr, variable_bits: Option<&ir::Expr>) -> Result<()> {
        let place = match &target.kind {
            ExprKind::DontCare => self.temporary(&target.ty)?,
            ExprKind::StackNext(stack) => self.end_of_stack(stack, false, true)?,
            ExprKind::Field(union, index) => match &union.kind {
                ExprKind::StackNext(stack) => {
                    let union = self.end_of_stack(stack, false, true)?;
                    self.member(&union, *index as usize, target)?
                }
                _ => self.place(target, true)?,
            },
            _ => self.place(target, true)?,
        };
        let variable_bits = match variable_bits {
            Some(bits) => Some(self.scalar(bits)?),
            None => None,
        };
        if let Place::Choice(index, places) = &place {
            return self.with_chosen(index, places, |lower, place| {
                lower.extract_into(place, variable_bits.clone(), target)
            });
        }
        self.extract_into(&place, variable_bits, target)
    }

    fn extract_into(
        &mut self,
        place: &Place,
        variable_bits: Option<Expr>,
        target: &ir::Expr,
    ) -> Result<()> {
        let Place::Header(header) = place.clone() else {
            return not_supported(target.span, "extracting anything but a header");
        };
        // Also adds the type, which reports errors in it.
        self.layout.header_type(header.ty)?;
        let target = match header.at {
            HeaderAt::Instance(name) => ExtractTarget::Header(name),
            HeaderAt::Next(stack) => ExtractTarget::Stack(stack),
            HeaderAt::NextMember(stack, member) => ExtractTarget::UnionStack(stack, member),
            HeaderAt::Element(stack, index) => {
                let size = self.layout.stack_size(&stack);
                return self.extract_at(&stack, size, &index, variable_bits.as_ref());
            }
            _ => return not_supported(target.span, "extracting into a stack's `last`"),
        };
        self.push(StmtKind::Extract(Extract {
            target,
            variable_bits,
        }));
        Ok(())
    }

    /// BMv2 extracts only into a header known at compile time, so each comparison of the index chooses one of them.
    fn extract_at(
        &mut self,
        stack: &str,
        size: u32,
        index: &Expr,
        variable_bits: Option<&Expr>,
    ) -> Result<()> {
        let mut arms = Vec::new();
        for element in 0..size {
            let then = self.nested(|lower| {
                lower.push(StmtKind::Extract(Extract {
                    target: ExtractTarget::Header(format!("{stack}[{element}]")),
                    variable_bits: variable_bits.cloned(),
                }));
                Ok(())
            })?;
            arms.push((
                Expr::binary("==", index.clone(), Expr::hex(element, 32)),
                then,
            ));
        }
        let otherwise = Vec::new();
        self.push(StmtKind::If { arms, otherwise });
        Ok(())
    }

    pub(crate) fn lookahead(&mut self, ty: &Type) -> Result<Value> {
        let place = self.temporary(ty)?;
        let mut offset = 0;
        self.look(&place, &mut offset)?;
        Ok(self.read(&place))
    }

    /// Fills a place with the packet's next bits, from `offset` on.
    fn look(&mut self, place: &Place, offset: &mut u32) -> Result<()> {
        match place {
            Place::Scalar(leaf) => {
                let bits = leaf.scalar.bits();
                if offset.saturating_add(bits) > MAX_LOOKAHEAD_BITS {
                    return not_supported(
                        self.span,
                        format_args!("lookahead of more than {MAX_LOOKAHEAD_BITS} bits"),
                    );
                }
                let source = Expr::Lookahead(*offset, bits);
                *offset += bits;
                match leaf.scalar {
                    Scalar::Varbit(_) => not_supported(self.span, "lookahead of a varbit"),
                    Scalar::Int(_) => {
                        let Place::Scalar(raw) = self.temporary(&Type::Bit(bits))? else {
                            unreachable!("bits are one field");
                        };
                        self.primitive("assign", vec![raw.expr.clone(), source]);
                        let value = ops::cast(raw.expr, Scalar::Bit(bits), leaf.scalar);
                        self.primitive("assign", vec![leaf.expr.clone(), value]);
                        Ok(())
                    }
                    Scalar::Bit(_) | Scalar::Bool => {
                        self.primitive("assign", vec![leaf.expr.clone(), source]);
                        Ok(())
                    }
                }
            }
            Place::Struct(members) => members.iter().try_for_each(|m| self.look(m, offset)),
            Place::Header(header) => {
                let expr = self.header_expr(header)?;
                self.primitive("add_header", vec![expr]);
                (0..self.layout.fields(header.ty).len()).try_for_each(|index| {
                    let field = self.layout.header_field(header, index, self.span)?;
                    self.look(&field, offset)
                })
            }
            Place::Stack(stack) => self
                .elements(stack)
                .iter()
                .try_for_each(|element| self.look(element, offset)),
            Place::Union(_) | Place::Choice(..) => {
                not_supported(self.span, "lookahead of a header union")
            }
        }
    }

    fn emit(&mut self, place: &Place) -> Result<()> {
        match place {
            Place::Struct(members) => members.iter().try_for_each(|m| self.emit(m)),
            Place::Header(header) => match &header.at {
                HeaderAt::Instance(name) => {
                    let name = name.clone();
                    self.push(StmtKind::Emit(name));
                    Ok(())
                }
                _ => not_supported(self.span, "emitting a header at an index known at run time"),
            },
            Place::Union(union) => (0..self.layout.fields(union.ty).len()).try_for_each(|index| {
                let member = self.union_member(union, index)?;
                self.emit(&member)
            }),
            Place::Stack(stack) => self.elements(stack).iter().try_for_each(|e| self.emit(e)),
            Place::Choice(..) => {
                not_supported(self.span, "emitting a header at an index known at run time")
            }
            Place::Scalar(_) => not_supported(self.span, "emitting anything but headers"),
        }
    }
}
