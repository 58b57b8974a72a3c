// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Operators of expressions.

use num_bigint::BigInt;
use num_traits::Zero;

use super::expr::{expected, Compiled, Locals};
use super::json::Json;
use super::loader::Loader;
use super::value::text;
use crate::model::load_error::{fail, LoadResult, Within};
use crate::program::expr::{CmpOp, Cond, HeaderNode, Node, UnionNode};

impl Loader<'_> {
    pub fn operation(&mut self, json: &Json, locals: Locals<'_>) -> LoadResult<Compiled> {
        let op = text(&json["op"])?;
        self.operator(op, json, locals)
            .within(|| format!("operator '{op}'"))
    }

    fn operator(&mut self, op: &str, json: &Json, locals: Locals<'_>) -> LoadResult<Compiled> {
        let (left, right) = (&json["left"], &json["right"]);
        let cond = match op {
            "+" | "-" if left.is_null() => {
                let zero = self.constant(&BigInt::zero());
                let right = self.data(right, locals)?;
                let node = if op == "+" {
                    Node::Add(zero, right)
                } else {
                    Node::Sub(zero, right)
                };
                return Ok(Compiled::Data(self.b.inner(node)));
            }
            "+" | "-" | "*" | "/" | "%" | "&" | "|" | "^" => {
                let (a, b) = (self.data(left, locals)?, self.data(right, locals)?);
                let node = match op {
                    "+" => Node::Add(a, b),
                    "-" => Node::Sub(a, b),
                    "*" => Node::Mul(a, b),
                    "/" => Node::Div(a, b),
                    "%" => Node::Rem(a, b),
                    "&" => Node::And(a, b),
                    "|" => Node::Or(a, b),
                    _ => Node::Xor(a, b),
                };
                return Ok(Compiled::Data(self.b.inner(node)));
            }
            "~" => {
                let a = self.data(right, locals)?;
                return Ok(Compiled::Data(self.b.inner(Node::Not(a))));
            }
            "<<" | ">>" => {
                let a = self.data(left, locals)?;
                let amount = self.index(right, locals)?;
                let node = if op == "<<" {
                    Node::Shl(a, amount)
                } else {
                    Node::Shr(a, amount)
                };
                return Ok(Compiled::Data(self.b.inner(node)));
            }
            "two_comp_mod" | "usat_cast" | "sat_cast" => {
                let a = self.data(left, locals)?;
                let bits = self.constant_width(right, locals)?;
                let node = match op {
                    "two_comp_mod" => Node::Wrap(a, bits),
                    "usat_cast" => Node::UnsignedSat(a, bits),
                    _ => Node::SignedSat(a, bits),
                };
                return Ok(Compiled::Data(self.b.inner(node)));
            }
            "b2d" => {
                let cond = self.cond(right, locals)?;
                return Ok(Compiled::Data(self.b.inner(Node::FromBool(cond))));
            }
            "?" => return self.ternary(json, locals),
            "dereference_header_stack" | "dereference_stack" => {
                let stack = self.stack_operand(left, locals)?;
                let index = self.index(right, locals)?;
                let kind = self.headers.layout.stacks[stack as usize].kind;
                return Ok(Compiled::Header(HeaderNode::StackAt(stack, index), kind));
            }
            "dereference_union_stack" => {
                let Compiled::UnionStack(stack) = self.expr(left, locals)? else {
                    return fail("expected a header union stack");
                };
                let index = self.index(right, locals)?;
                let kind = self.headers.layout.union_stacks[stack as usize].kind;
                return Ok(Compiled::Union(UnionNode::StackAt(stack, index), kind));
            }
            "last_stack_index" | "size_stack" => {
                let stack = self.stack_operand(right, locals)?;
                let node = if op == "size_stack" {
                    Node::Count(stack)
                } else {
                    Node::LastIndex(stack)
                };
                return Ok(Compiled::Data(self.b.inner(node)));
            }
            "access_field" => {
                let (header, kind) = self.header_operand(left, locals)?;
                let def = &self.headers.layout.types[kind as usize];
                let Some(field) = right
                    .as_u64()
                    .and_then(|index| def.fields.get(index as usize))
                else {
                    return fail(format!(
                        "header type '{}' has no field number {right}",
                        def.name
                    ));
                };
                if field.is_var {
                    return fail("a variable-length field is no number");
                }
                let rel = field.rel;
                return Ok(Compiled::Data(self.header_field(header, rel)));
            }
            "access_union_header" => {
                let Compiled::Union(union, kind) = self.expr(left, locals)? else {
                    return fail("expected a header union");
                };
                let members = &self.headers.layout.union_types[kind as usize].members;
                let Some(member) = right
                    .as_u64()
                    .filter(|&index| (index as usize) < members.len())
                else {
                    return fail(format!("the header union has no member number {right}"));
                };
                let kind = members[member as usize].1;
                return Ok(Compiled::Header(
                    HeaderNode::UnionMember(union, member as u32),
                    kind,
                ));
            }
            "==" | "!=" => {
                let equal = self.equality(left, right, locals)?;
                if op == "==" {
                    equal
                } else {
                    Cond::Not(self.b.cond(equal))
                }
            }
            "<" => self.compare(CmpOp::Lt, left, right, locals)?,
            "<=" => self.compare(CmpOp::Le, left, right, locals)?,
            ">" => self.compare(CmpOp::Gt, left, right, locals)?,
            ">=" => self.compare(CmpOp::Ge, left, right, locals)?,
            "and" => Cond::And(self.cond(left, locals)?, self.cond(right, locals)?),
            "or" => Cond::Or(self.cond(left, locals)?, self.cond(right, locals)?),
            "not" => Cond::Not(self.cond(right, locals)?),
            "d2b" => Cond::NonZero(self.exact(right, locals)?),
            "valid" => Cond::Valid(self.header_operand(right, locals)?.0),
            "valid_union" => match self.expr(right, locals)? {
                Compiled::Union(union, _) => Cond::ValidUnion(union),
                other => return expected("a header union", other),
            },
            _ => return fail("is not known"),
        };
        Ok(Compiled::Bool(self.b.cond(cond)))
    }

    fn stack_operand(&mut self, json: &Json, locals: Locals<'_>) -> LoadResult<u32> {
        match self.expr(json, locals)? {
            Compiled::Stack(stack) => Ok(stack),
            other => expected("a header stack", other),
        }
    }

    pub fn header_operand(
        &mut self,
        json: &Json,
        locals: Locals<'_>,
    ) -> LoadResult<(HeaderNode, u32)> {
        match self.expr(json, locals)? {
            Compiled::Header(header, kind) => Ok((header, kind)),
            other => expected("a header", other),
        }
    }

    fn ternary(&mut self, json: &Json, locals: Locals<'_>) -> LoadResult<Compiled> {
        let cond = self.cond(&json["cond"], locals)?;
        match (
            self.expr(&json["left"], locals)?,
            self.expr(&json["right"], locals)?,
        ) {
            (Compiled::Bool(a), Compiled::Bool(b)) => {
                Ok(Compiled::Bool(self.b.cond(Cond::Select(cond, a, b))))
            }
            (Compiled::Data(a), Compiled::Data(b)) => {
                Ok(Compiled::Data(self.b.inner(Node::Select(cond, a, b))))
            }
            (a, b) => fail(format!(
                "chooses between {} and {}",
                a.describe(),
                b.describe()
            )),
        }
    }

    fn equality(&mut self, left: &Json, right: &Json, locals: Locals<'_>) -> LoadResult<Cond> {
        if let (Some(a), Some(b)) = (
            self.headers.var_field(left)?,
            self.headers.var_field(right)?,
        ) {
            return Ok(Cond::SameVar(a, b));
        }
        Ok(
            match (self.expr(left, locals)?, self.expr(right, locals)?) {
                (Compiled::Data(a), Compiled::Data(b)) => {
                    Cond::Cmp(CmpOp::Eq, a, b, self.b.common(a, b)?)
                }
                (Compiled::Bool(a), Compiled::Bool(b)) => Cond::Same(a, b),
                (Compiled::Header(a, x), Compiled::Header(b, y))
                    if x == y && self.headers.is_metadata(a) == self.headers.is_metadata(b) =>
                {
                    Cond::SameHeader(a, b)
                }
                (Compiled::Union(a, x), Compiled::Union(b, y)) if x == y => Cond::SameUnion(a, b),
                (a, b) => return fail(format!("compares {} with {}", a.describe(), b.describe())),
            },
        )
    }

    fn compare(
        &mut self,
        op: CmpOp,
        left: &Json,
        right: &Json,
        locals: Locals<'_>,
    ) -> LoadResult<Cond> {
        let (a, b) = (self.data(left, locals)?, self.data(right, locals)?);
        Ok(Cond::Cmp(op, a, b, self.b.common(a, b)?))
    }

    fn constant_width(&mut self, json: &Json, locals: Locals<'_>) -> LoadResult<u32> {
        let node = self.data(json, locals)?;
        match self.b.exprs.nodes[node as usize] {
            Node::Const(bits) if (1..=1 << 16).contains(&bits) => Ok(bits as u32),
            _ => fail("the width is no constant between 1 and 65536"),
        }
    }
}
