// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The parts of the proof that are about primitives, parsers, pipelines and lists.

use super::*;

impl Prover<'_> {
    pub(super) fn op(&self, op: &Op, ops: usize) -> Proof {
        let layout = &self.program.layout;
        match op {
            Op::Assign(loc, value) => {
                self.field(*loc)?;
                self.value(*value)
            }
            Op::AssignTo(target, value) => {
                self.target(target)?;
                self.value(*value)
            }
            Op::AssignVar(a, b) => {
                self.header_node(*a)?;
                self.header_node(*b).map(drop)
            }
            Op::AssignHeader(a, b) => self.copied(*a, *b),
            Op::AssignUnion(a, b) => match self.union_node(*a)? == self.union_node(*b)? {
                true => Ok(()),
                false => Err("unions of two types are copied".to_owned()),
            },
            Op::AssignStack(a, b) => {
                known(*a, layout.stacks.len(), "stack")?;
                known(*b, layout.stacks.len(), "stack")?;
                match layout.stacks[*a as usize].kind == layout.stacks[*b as usize].kind {
                    true => Ok(()),
                    false => Err("stacks of two types are copied".to_owned()),
                }
            }
            Op::AssignUnionStack(a, b) => {
                known(*a, layout.union_stacks.len(), "union stack")?;
                known(*b, layout.union_stacks.len(), "union stack")
            }
            Op::AddHeader(header) | Op::MarkValid(header) | Op::RemoveHeader(header) => {
                self.header_node(*header).map(drop)
            }
            Op::Push(stack, count) | Op::Pop(stack, count) => {
                known(*stack, layout.stacks.len(), "stack")?;
                self.value(*count)
            }
            Op::PushUnion(stack, count) | Op::PopUnion(stack, count) => {
                known(*stack, layout.union_stacks.len(), "union stack")?;
                self.value(*count)
            }
            Op::MarkToDrop(egress_spec, mcast_grp) => {
                self.field(*egress_spec)?;
                mcast_grp.map_or(Ok(()), |loc| self.field(loc))
            }
            Op::Count(counter, index) => {
                known(*counter, self.externs.counters.len(), "counter")?;
                self.value(*index)
            }
            Op::ExecuteMeter(meter, index, target) => {
                known(*meter, self.externs.meters.len(), "meter")?;
                self.value(*index)?;
                self.target(target)
            }
            Op::ReadRegister(target, register, index) => {
                self.register(*register)?;
                self.value(*index)?;
                self.target(target)
            }
            Op::WriteRegister(register, index, value) => {
                self.register(*register)?;
                self.value(*index)?;
                self.value(*value)
            }
            Op::Random(target, lo, hi) => {
                self.target(target)?;
                self.value(*lo)?;
                self.value(*hi)
            }
            Op::Time(target) => self.target(target),
            Op::Enqueued(targets) => targets.iter().try_for_each(|target| self.target(target)),
            Op::QueueDepth(queue, targets) => {
                queue.iter().try_for_each(|&value| self.value(value))?;
                targets.iter().try_for_each(|target| self.target(target))
            }
            Op::Hash(target, base, calculation, size) => {
                self.target(target)?;
                known(*calculation, self.program.calculations.len(), "calculation")?;
                self.value(*base)?;
                self.value(*size)
            }
            Op::Clone(a, b) => {
                self.value(*a)?;
                self.value(*b)
            }
            Op::Resubmit(value)
            | Op::Recirculate(value)
            | Op::Digest(value)
            | Op::Truncate(value)
            | Op::Assert(value, _) => self.value(*value),
            Op::Unit(unit) => self.unit(unit),
            Op::Nop | Op::Exit => Ok(()),
            Op::Jump(jump) => known(jump.to, ops + 1, "primitive"),
            Op::JumpIfZero(value, jump) => {
                self.value(*value)?;
                known(jump.to, ops + 1, "primitive")
            }
            Op::Log(_, values) => values.iter().try_for_each(|&value| self.value(value)),
        }
    }

    /// Headers of one type that lie in the packet state in one way.
    fn copied(&self, a: HeaderNode, b: HeaderNode) -> Proof {
        let metadata = |node| match node {
            HeaderNode::Fixed(id) => self.header(id).map(|def| def.metadata),
            _ => Ok(false),
        };
        let alike = self.header_node(a)? == self.header_node(b)? && metadata(a)? == metadata(b)?;
        match alike {
            true => Ok(()),
            false => Err("headers of two types are copied".to_owned()),
        }
    }

    pub(super) fn parsers(&self) -> Proof {
        let states = &self.program.states;
        let next = |state: u32| match state {
            END => Ok(()),
            state => known(state, states.len(), "parser state"),
        };
        for parser in &self.program.parsers {
            next(parser.first)?;
            if parser.states.end as usize > states.len() {
                return Err("a parser has states that there are not".to_owned());
            }
        }
        for state in states {
            state.ops.iter().try_for_each(|op| self.parse_op(op))?;
            for part in &state.key {
                let end = u64::from(part.at) + u64::from(part.bits.div_ceil(8));
                if part.bits == 0 || end > state.key_bytes as u64 {
                    return Err("a part of a key is outside".to_owned());
                }
                match part.source {
                    KeySource::Field(loc) => self.field(loc)?,
                    KeySource::HeaderField(header, rel) => self.header_field(header, rel)?,
                    KeySource::Lookahead(_) => (),
                }
            }
            next(state.default)?;
            for case in &state.cases {
                match case {
                    ParseCase::Masked(_, _, to) | ParseCase::ValueSet(_, _, to) => next(*to)?,
                }
            }
        }
        Ok(())
    }

    fn parse_op(&self, op: &ParseOp) -> Proof {
        let layout = &self.program.layout;
        let length = |length: &Option<Value>| length.map_or(Ok(()), |value| self.value(value));
        match op {
            ParseOp::Extract(header) => self.extracted(*header),
            ParseOp::ExtractVar(header, value) => {
                self.extracted(*header)?;
                self.value(*value)
            }
            ParseOp::ExtractNext(stack, value) => {
                known(*stack, layout.stacks.len(), "stack")?;
                length(value)
            }
            ParseOp::ExtractNextUnion(stack, member, value) => {
                let kind = self.union_node(UnionNode::StackLast(*stack))?;
                let members = &layout.union_types[kind as usize].members;
                known(*member, members.len(), "member")?;
                length(value)
            }
            ParseOp::SetVar(a, b) => self.all_headers(&[*a, *b]),
            ParseOp::Lookahead(loc, ..) => self.field(*loc),
            ParseOp::Verify(cond, error) => {
                self.cond(*cond)?;
                self.value(*error)
            }
            ParseOp::Advance(value) => self.value(*value),
            ParseOp::Primitive(op) => self.op(op, 0),
        }
    }

    fn extracted(&self, header: HeaderId) -> Proof {
        match self.header(header)?.metadata {
            true => Err("metadata is extracted".to_owned()),
            false => Ok(()),
        }
    }

    pub(super) fn pipeline(&self, pipeline: &Pipeline) -> Proof {
        let next = |node: u32| match node {
            END => Ok(()),
            node => known(node, pipeline.nodes.len(), "node"),
        };
        next(pipeline.first)?;
        for node in &pipeline.nodes {
            match *node {
                ControlNode::Table(table) => {
                    known(table, self.program.tables.len(), "table")?;
                    let def = &self.program.tables[table as usize];
                    def.next.all().try_for_each(next)?;
                }
                ControlNode::Branch(cond, yes, no) => {
                    self.cond(cond)?;
                    next(yes)?;
                    next(no)?;
                }
                ControlNode::Call(action, to) => {
                    known(action, self.program.actions.len(), "action")?;
                    if !self.program.actions[action as usize].params.is_empty() {
                        return Err("an action is called without its parameters".to_owned());
                    }
                    next(to)?;
                }
            }
        }
        Ok(())
    }

    pub(super) fn tables(&self) -> Proof {
        let program = self.program;
        for table in &program.tables {
            for field in &table.key {
                self.field(field.loc)?;
                let end = u64::from(field.at) + u64::from(field.nbytes());
                if end > 8 * table.key_words as u64 {
                    return Err(format!("a part of the key of '{}' is outside", table.name));
                }
            }
            for &action in &table.actions {
                known(action, program.actions.len(), "action")?;
            }
            if let Some(meter) = table.direct_meter {
                self.field(meter.target)?;
            }
            if let Some(place) = table.entry_index {
                self.field(place)?;
            }
            table
                .direct_cells
                .iter()
                .try_for_each(|&cells| self.direct_cells(cells))?;
        }
        Ok(())
    }

    fn calculation(&self, calculation: &Calculation) -> Proof {
        known(
            calculation.hasher,
            self.externs.hashers.len(),
            "hash function",
        )?;
        for part in &calculation.input {
            match part {
                CalcInput::Field(header, loc) => {
                    self.header(*header)?;
                    self.field(*loc)?;
                }
                CalcInput::VarField(header) | CalcInput::Header(header) => {
                    self.header(*header)?;
                }
                CalcInput::Constant(bytes, bits) => {
                    if u64::from(*bits) > 8 * bytes.len() as u64 {
                        return Err("a constant has too few bytes".to_owned());
                    }
                }
            }
        }
        Ok(())
    }

    /// Calculations, checksums, field lists and digests.
    pub(super) fn lists(&self) -> Proof {
        let program = self.program;
        let selectors = program.selectors.iter().flatten();
        for calculation in program.calculations.iter().chain(selectors) {
            self.calculation(calculation)?;
        }
        for checksum in &program.checksums {
            self.header(checksum.header)?;
            self.field(checksum.target)?;
            if let ChecksumKind::Calculation(index) = checksum.kind {
                known(index, program.calculations.len(), "calculation")?;
            }
            checksum.condition.map_or(Ok(()), |cond| self.cond(cond))?;
        }
        for field in program.field_lists.iter().flatten() {
            match field {
                CopiedField::Field(loc) => self.field(*loc)?,
                CopiedField::Var(header) => self.header(*header).map(drop)?,
                CopiedField::Constant(bytes, bits) => {
                    if u64::from(*bits) > bytes.len() as u64 * 8 {
                        return Err("a constant is shorter than its width".to_owned());
                    }
                }
            }
        }
        for field in program.digests.iter().flatten().flatten() {
            if let DigestField::Field(loc) = field {
                self.field(*loc)?;
            }
        }
        Ok(())
    }

    /// Metadata that the switch itself reads and writes.
    pub(super) fn slots(&self, mut slots: impl Iterator<Item = Slot>) -> Proof {
        let end = self.program.layout.metadata.end as u64;
        match slots.find(|slot| slot.end() > end) {
            Some(slot) => Err(format!("{slot:?} is not in the {end} bytes of metadata")),
            None => Ok(()),
        }
    }
}
