// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The primitives of simple_switch and of BMv2's core.

use super::expr::{Compiled, Locals};
use super::headers::Found;
use super::json;
use super::json::Json;
use super::lists::LIST_ID_BITS;
use super::loader::Loader;
use super::value::{short, text};
use crate::arch::Kind;
use crate::model::ids::{NodeId, Value};
use crate::model::load_error::{fail, LoadResult};
use crate::program::expr::{HeaderNode, Node, UnionNode};
use crate::program::{Jump, Op, Target};

/// Width that BMv2 reads arguments with.
const ARGUMENT_BITS: u32 = 64;

const STANDARD: &str = "standard_metadata";

impl Loader<'_> {
    pub fn primitive(&mut self, primitive: &json::Primitive, locals: Locals<'_>) -> LoadResult<Op> {
        let args = primitive.parameters.as_slice();
        Ok(match (primitive.op.as_str(), args) {
            ("assign" | "modify_field" | "set", [dst, src]) => self.assign(dst, src, locals)?,
            ("assign_VL", [dst, src]) => {
                Op::AssignVar(self.headers.var_header(dst)?, self.headers.var_header(src)?)
            }
            ("assign_header" | "copy_header", [dst, src]) => {
                let (to, kind) = self.header_operand(dst, locals)?;
                let (from, other) = self.header_operand(src, locals)?;
                if kind != other {
                    return fail("the headers are not of one type");
                }
                // The same fields lie elsewhere in metadata than in headers.
                if self.headers.is_metadata(to) != self.headers.is_metadata(from) {
                    return fail("metadata and a header that packets carry are not of one type");
                }
                Op::AssignHeader(to, from)
            }
            ("assign_union", [dst, src]) => self.assign_union(dst, src, locals)?,
            ("assign_header_stack" | "assign_union_stack", [dst, src]) => {
                self.assign_stack(dst, src, locals)?
            }
            ("add_header", [header]) => Op::AddHeader(self.header_operand(header, locals)?.0),
            ("add_header_fast", [header]) => Op::MarkValid(self.header_operand(header, locals)?.0),
            ("remove_header", [header]) => Op::RemoveHeader(self.header_operand(header, locals)?.0),
            ("push" | "pop", [stack, count]) => {
                self.push_pop(primitive.op == "push", stack, count, locals)?
            }
            ("mark_to_drop", [header]) => {
                self.header_operand(header, locals)?;
                self.mark_to_drop(header["value"].as_str().unwrap_or(STANDARD))?
            }
            ("drop" | "mark_to_drop", []) => self.mark_to_drop(STANDARD)?,
            ("no_op", []) => Op::Nop,
            ("count", [counter, index]) => {
                let counter = self.arrays.counter(reference(counter, "counter_array")?)?;
                Op::Count(counter, self.index(index, locals)?)
            }
            ("execute_meter", [meter, index, dst]) => {
                let meter = self.arrays.meter(reference(meter, "meter_array")?)?;
                Op::ExecuteMeter(meter, self.index(index, locals)?, self.target(dst, locals)?)
            }
            ("register_read", [dst, register, index]) => {
                let register = self
                    .arrays
                    .register(reference(register, "register_array")?)?;
                Op::ReadRegister(
                    self.target(dst, locals)?,
                    register,
                    self.index(index, locals)?,
                )
            }
            ("register_write", [register, index, src]) => {
                let register = self
                    .arrays
                    .register(reference(register, "register_array")?)?;
                let index = self.index(index, locals)?;
                let node = self.data(src, locals)?;
                let value = self.b.low_bits(node, self.arrays.register_bits(register))?;
                Op::WriteRegister(register, index, value)
            }
            ("modify_field_rng_uniform", [dst, lo, hi]) => {
                let target = self.target(dst, locals)?;
                Op::Random(
                    target,
                    self.low(lo, ARGUMENT_BITS, locals)?,
                    self.low(hi, ARGUMENT_BITS, locals)?,
                )
            }
            ("time_ns", [dst]) if self.kind == Kind::V1Model => Op::Time(self.target(dst, locals)?),
            ("enqueued", [ns, pkts, bytes]) if self.kind == Kind::V1Model => Op::Enqueued([
                self.target(ns, locals)?,
                self.target(pkts, locals)?,
                self.target(bytes, locals)?,
            ]),
            ("queue_depth", [port, queue, pkts, bytes]) if self.kind == Kind::V1Model => {
                let port = self.low(port, ARGUMENT_BITS, locals)?;
                let queue = self.low(queue, ARGUMENT_BITS, locals)?;
                let targets = [self.target(pkts, locals)?, self.target(bytes, locals)?];
                Op::QueueDepth([port, queue], targets)
            }
            ("modify_field_with_hash_based_offset", [dst, base, calculation, size]) => {
                let target = self.target(dst, locals)?;
                let base = self.low(base, ARGUMENT_BITS, locals)?;
                let calculation = self.calculation_index(reference(calculation, "calculation")?)?;
                Op::Hash(
                    target,
                    base,
                    calculation,
                    self.low(size, ARGUMENT_BITS, locals)?,
                )
            }
            (
                "clone_ingress_pkt_to_egress" | "clone_egress_pkt_to_egress",
                [session, rest @ ..],
            ) if rest.len() <= 1 => {
                let session = self.low(session, LIST_ID_BITS, locals)?;
                let list = match rest {
                    [list] => self.low(list, LIST_ID_BITS, locals)?,
                    _ => self.zero()?,
                };
                Op::Clone(session, list)
            }
            ("mirror", [session, list]) => {
                let session = self.low(session, LIST_ID_BITS, locals)?;
                Op::Clone(session, self.low(list, LIST_ID_BITS, locals)?)
            }
            ("resubmit", [list]) => Op::Resubmit(self.resubmit_list(list, locals)?),
            ("recirculate", [list]) => Op::Recirculate(self.low(list, LIST_ID_BITS, locals)?),
            ("generate_digest", [_receiver, list]) => {
                Op::Digest(self.low(list, LIST_ID_BITS, locals)?)
            }
            ("truncate", [length]) => Op::Truncate(self.exact(length, locals)?),
            ("exit", []) => Op::Exit,
            ("_jump", [to]) => Op::Jump(self.jump_target(to, locals)?),
            ("_jump_if_zero", [value, to]) => {
                Op::JumpIfZero(self.exact(value, locals)?, self.jump_target(to, locals)?)
            }
            ("assert" | "assume", [condition]) => Op::Assert(
                self.exact(condition, locals)?,
                source(&primitive.source_info),
            ),
            ("log_msg", [format, values]) => self.log_msg(format, values, locals)?,
            ("add_to_field" | "subtract_from_field", [dst, src]) => {
                let (a, b) = (self.data(dst, locals)?, self.data(src, locals)?);
                let node = if primitive.op == "add_to_field" {
                    Node::Add(a, b)
                } else {
                    Node::Sub(a, b)
                };
                self.assign_node(dst, node, locals)?
            }
            ("shift_left" | "shift_right", [dst, a, amount]) => {
                let (a, amount) = (self.data(a, locals)?, self.index(amount, locals)?);
                let node = if primitive.op == "shift_left" {
                    Node::Shl(a, amount)
                } else {
                    Node::Shr(a, amount)
                };
                self.assign_node(dst, node, locals)?
            }
            ("add" | "subtract" | "bit_xor" | "bit_or" | "bit_and", [dst, a, b]) => {
                let (a, b) = (self.data(a, locals)?, self.data(b, locals)?);
                let node = match primitive.op.as_str() {
                    "add" => Node::Add(a, b),
                    "subtract" => Node::Sub(a, b),
                    "bit_xor" => Node::Xor(a, b),
                    "bit_or" => Node::Or(a, b),
                    _ => Node::And(a, b),
                };
                self.assign_node(dst, node, locals)?
            }
            (op, args) => match self.unit(op, args, locals)? {
                Some(unit) => Op::Unit(unit),
                None => return fail(format!("is not known with {} parameters", args.len())),
            },
        })
    }

    /// An argument of which BMv2 looks at the low bits.
    pub(super) fn low(&mut self, json: &Json, bits: u32, locals: Locals<'_>) -> LoadResult<Value> {
        let node = self.data(json, locals)?;
        self.b.low_bits(node, bits)
    }

    fn zero(&mut self) -> LoadResult<Value> {
        let node = self.constant(&0.into());
        self.b.low_bits(node, LIST_ID_BITS)
    }

    /// Compilers keep copies of the standard metadata where it is an argument: such a copy is marked, not the packet.
    fn mark_to_drop(&self, header: &str) -> LoadResult<Op> {
        let fixed = |header, field| match self.headers.find_field(header, field)? {
            Found::Fixed(_, loc) => Ok(loc),
            Found::Var(_) => fail(format!("'{header}.{field}' has a variable length")),
        };
        let mcast_grp = fixed(header, "mcast_grp").or_else(|_| match header {
            STANDARD => fixed("intrinsic_metadata", "mcast_grp"),
            _ => fail("no group"),
        });
        Ok(Op::MarkToDrop(
            fixed(header, "egress_spec")?,
            mcast_grp.ok(),
        ))
    }

    fn assign(&mut self, dst: &Json, src: &Json, locals: Locals<'_>) -> LoadResult<Op> {
        if let (Some(to), Some(from)) = (self.headers.var_field(dst)?, self.headers.var_field(src)?)
        {
            return Ok(Op::AssignVar(
                HeaderNode::Fixed(to),
                HeaderNode::Fixed(from),
            ));
        }
        let node = self.data(src, locals)?;
        self.assign_to(dst, node, locals)
    }

    fn assign_node(&mut self, dst: &Json, node: Node, locals: Locals<'_>) -> LoadResult<Op> {
        let node = self.b.inner(node);
        self.assign_to(dst, node, locals)
    }

    fn assign_to(&mut self, dst: &Json, node: NodeId, locals: Locals<'_>) -> LoadResult<Op> {
        let target = self.target(dst, locals)?;
        let shape = target.shape(|register| self.arrays.register_bits(register));
        let value = self.for_field(node, shape)?;
        Ok(match target {
            Target::Field(loc) => Op::Assign(loc, value),
            target => Op::AssignTo(target, value),
        })
    }

    /// Somewhere that a number can be written to.
    pub fn target(&mut self, json: &Json, locals: Locals<'_>) -> LoadResult<Target> {
        let Compiled::Data(node) = self.expr(json, locals)? else {
            return fail(format!("cannot write to {}", short(json)));
        };
        match self.b.exprs.nodes[node as usize] {
            Node::Field(loc) if self.headers.is_fixed_validity(loc) => {
                fail("the validity of metadata, or of a member of a union, cannot be assigned to")
            }
            Node::Field(loc) => Ok(Target::Field(loc)),
            Node::HeaderField(header, loc) => Ok(Target::HeaderField(header, loc)),
            Node::Register(register, index) => Ok(Target::Register(register, index)),
            _ => fail(format!("cannot write to {}", short(json))),
        }
    }

    fn union_operand(&mut self, json: &Json, locals: Locals<'_>) -> LoadResult<(UnionNode, u32)> {
        match self.expr(json, locals)? {
            Compiled::Union(union, kind) => Ok((union, kind)),
            _ => fail(format!("{} is no header union", short(json))),
        }
    }

    fn assign_union(&mut self, dst: &Json, src: &Json, locals: Locals<'_>) -> LoadResult<Op> {
        let (to, kind) = self.union_operand(dst, locals)?;
        let (from, other) = self.union_operand(src, locals)?;
        if kind == other {
            Ok(Op::AssignUnion(to, from))
        } else {
            fail("the header unions are not of one type")
        }
    }

    fn assign_stack(&mut self, dst: &Json, src: &Json, locals: Locals<'_>) -> LoadResult<Op> {
        match (self.expr(dst, locals)?, self.expr(src, locals)?) {
            (Compiled::Stack(to), Compiled::Stack(from)) => {
                let (a, b) = (
                    &self.headers.layout.stacks[to as usize],
                    &self.headers.layout.stacks[from as usize],
                );
                if a.kind == b.kind && a.headers.len() == b.headers.len() {
                    return Ok(Op::AssignStack(to, from));
                }
            }
            (Compiled::UnionStack(to), Compiled::UnionStack(from)) => {
                let (a, b) = (
                    &self.headers.layout.union_stacks[to as usize],
                    &self.headers.layout.union_stacks[from as usize],
                );
                if a.kind == b.kind && a.unions.len() == b.unions.len() {
                    return Ok(Op::AssignUnionStack(to, from));
                }
            }
            _ => (),
        }
        fail("the two sides are no stacks of one type and size")
    }

    fn push_pop(
        &mut self,
        push: bool,
        stack: &Json,
        count: &Json,
        locals: Locals<'_>,
    ) -> LoadResult<Op> {
        let stack = self.expr(stack, locals)?;
        let count = self.index(count, locals)?;
        Ok(match (stack, push) {
            (Compiled::Stack(stack), true) => Op::Push(stack, count),
            (Compiled::Stack(stack), false) => Op::Pop(stack, count),
            (Compiled::UnionStack(stack), true) => Op::PushUnion(stack, count),
            (Compiled::UnionStack(stack), false) => Op::PopUnion(stack, count),
            _ => return fail("works on stacks only"),
        })
    }

    fn jump_target(&mut self, json: &Json, locals: Locals<'_>) -> LoadResult<Jump> {
        let node = self.data(json, locals)?;
        match self.b.exprs.nodes[node as usize] {
            Node::Const(to) if (0..1 << 30).contains(&to) => Ok(Jump {
                to: to as u32,
                work: 0,
            }),
            _ => fail("the target of a jump is no constant"),
        }
    }

    fn log_msg(&mut self, format: &Json, values: &Json, locals: Locals<'_>) -> LoadResult<Op> {
        let format = text(&format["value"])?.to_owned();
        let mut args = Vec::new();
        for value in values["value"].as_array().into_iter().flatten() {
            args.push(self.exact(value, locals)?);
        }
        Ok(Op::Log(format, args))
    }
}

/// The name of an object of a kind.
pub(super) fn reference<'j>(json: &'j Json, kind: &str) -> LoadResult<&'j str> {
    if json["type"] == kind {
        text(&json["value"])
    } else {
        fail(format!("expected a {kind}, found {}", short(json)))
    }
}

/// The place and text of a statement.
fn source(info: &Json) -> String {
    let part = |name: &str| info[name].as_str().unwrap_or("");
    format!(
        "{}:{}: {}",
        part("filename"),
        info["line"].as_u64().unwrap_or(0),
        part("source_fragment")
    )
}
