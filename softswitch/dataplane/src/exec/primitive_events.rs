// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The events of a traced packet's primitives: what they read, and their targets before and after.

use super::env::Env;
use super::shown::name_of;
use super::written::Written;
use crate::externs::faults::Faults;
use crate::externs::hash::Hasher;
use crate::model::ids::{HeaderId, Value};
use crate::program::expr::HeaderNode;
use crate::program::unit::Unit;
use crate::program::{Op, ParseOp, Target};
use crate::state::loc::Loc;
use crate::trace::message::{
    ArrayAccess, ConditionEvent, CounterReading, Event, FieldValue, NumberRange, PrimitiveEvent,
    Source,
};
use crate::trace::Place;

/// A primitive before it runs.
pub struct Seen<'a> {
    event: PrimitiveEvent,
    source: Option<&'a Source>,
    /// The fields that it may change.
    targets: Vec<Written>,
    /// Fields that did not change are left out.
    only_changed: bool,
    /// The register's cell that it reads or writes.
    cell: Option<(u32, u64)>,
    /// The counter's cell.
    counter: Option<(u32, u64)>,
}

/// The parts of a primitive that its event shows.
#[derive(Default)]
struct Parts {
    name: &'static str,
    values: Vec<Value>,
    targets: Vec<Target>,
    headers: Vec<HeaderNode>,
    register: Option<(u32, Value)>,
}

impl Parts {
    fn of(name: &'static str, values: &[Value]) -> Self {
        Self {
            name,
            values: values.to_vec(),
            ..Self::default()
        }
    }

    fn to(name: &'static str, target: Target, values: &[Value]) -> Self {
        Self::to_all(name, &[target], values)
    }

    fn to_all(name: &'static str, targets: &[Target], values: &[Value]) -> Self {
        Self {
            targets: targets.to_vec(),
            ..Self::of(name, values)
        }
    }

    fn headers(name: &'static str, headers: &[HeaderNode]) -> Self {
        Self {
            headers: headers.to_vec(),
            ..Self::of(name, &[])
        }
    }
}

fn parts(op: &Op) -> Parts {
    match op {
        Op::Assign(loc, value) => Parts::to("assign", Target::Field(*loc), &[*value]),
        Op::AssignTo(target, value) => Parts::to("assign", *target, &[*value]),
        Op::AssignVar(dst, src) => Parts::headers("assign_VL", &[*dst, *src]),
        Op::AssignHeader(dst, src) => Parts::headers("assign_header", &[*dst, *src]),
        Op::AssignUnion(..) => Parts::of("assign_union", &[]),
        Op::AssignStack(..) => Parts::of("assign_header_stack", &[]),
        Op::AssignUnionStack(..) => Parts::of("assign_union_stack", &[]),
        Op::AddHeader(header) => Parts::headers("add_header", &[*header]),
        Op::MarkValid(header) => Parts::headers("add_header_fast", &[*header]),
        Op::RemoveHeader(header) => Parts::headers("remove_header", &[*header]),
        Op::Push(_, count) | Op::PushUnion(_, count) => Parts::of("push", &[*count]),
        Op::Pop(_, count) | Op::PopUnion(_, count) => Parts::of("pop", &[*count]),
        Op::MarkToDrop(egress_spec, mcast_grp) => {
            let fields = [*egress_spec].into_iter().chain(*mcast_grp);
            let targets: Vec<Target> = fields.map(Target::Field).collect();
            Parts::to_all("mark_to_drop", &targets, &[])
        }
        Op::Count(_, index) => Parts::of("count", &[*index]),
        Op::ExecuteMeter(_, index, target) => Parts::to("execute_meter", *target, &[*index]),
        Op::ReadRegister(target, register, index) => Parts {
            register: Some((*register, *index)),
            ..Parts::to("register_read", *target, &[*index])
        },
        Op::WriteRegister(register, index, value) => Parts {
            register: Some((*register, *index)),
            ..Parts::of("register_write", &[*index, *value])
        },
        Op::Random(target, low, high) => {
            Parts::to("modify_field_rng_uniform", *target, &[*low, *high])
        }
        Op::Time(target) => Parts::to("time_ns", *target, &[]),
        Op::Enqueued(targets) => Parts::to_all("enqueued", targets, &[]),
        Op::QueueDepth(queue, targets) => Parts::to_all("queue_depth", targets, queue),
        Op::Hash(target, base, _, size) => Parts::to(
            "modify_field_with_hash_based_offset",
            *target,
            &[*base, *size],
        ),
        Op::Unit(unit) => {
            let (target, values) = unit.parts();
            Parts {
                targets: target.into_iter().collect(),
                ..Parts::of(unit.name(), &values)
            }
        }
        Op::Clone(session, list) => Parts::of("clone", &[*session, *list]),
        Op::Resubmit(list) => Parts::of("resubmit", &[*list]),
        Op::Recirculate(list) => Parts::of("recirculate", &[*list]),
        Op::Digest(list) => Parts::of("generate_digest", &[*list]),
        Op::Truncate(length) => Parts::of("truncate", &[*length]),
        Op::Log(_, values) => Parts::of("log_msg", values),
        Op::Assert(value, _) => Parts::of("assert", &[*value]),
        Op::Exit => Parts::of("exit", &[]),
        Op::Nop => Parts::of("no_op", &[]),
        Op::Jump(_) => Parts::of("jump", &[]),
        Op::JumpIfZero(value, _) => Parts::of("if", &[*value]),
    }
}

impl<'a> Env<'a> {
    fn source_of(&self, at: usize) -> Option<&'a Source> {
        let labels = &self.program.labels;
        let sources = match self.place() {
            Place::Nowhere => return None,
            Place::Action(action) => &labels.actions[action as usize],
            Place::Deparser(deparser) => &labels.deparsers[deparser as usize],
            Place::Parser(state, op) => {
                return labels.states[state as usize].ops[op as usize].as_ref()
            }
        };
        sources.get(at)?.as_ref()
    }

    /// A primitive that is about to run. The event of one that only decides is added at once.
    pub fn look(&mut self, op: &Op, at: usize, params: &[u8]) -> Option<Seen<'a>> {
        let source = self.source_of(at);
        match op {
            Op::Jump(_) | Op::Nop => None,
            Op::JumpIfZero(value, _) | Op::Assert(value, _) => {
                self.note(source, |env| {
                    let faults = Faults::default();
                    Some(Event::Condition(ConditionEvent {
                        name: parts(op).name.to_owned(),
                        outcome: env.quiet(params, &faults).non_zero(*value),
                        operands: env.operands(&[*value], &[], params),
                    }))
                });
                None
            }
            Op::Exit => {
                self.note(source, |_| {
                    let name = "exit".to_owned();
                    Some(Event::Primitive(PrimitiveEvent {
                        name,
                        ..PrimitiveEvent::default()
                    }))
                });
                None
            }
            _ if self
                .packet
                .trace
                .as_mut()
                .is_none_or(|trace| trace.is_full()) =>
            {
                None
            }
            _ => Some(self.seen(op, source, params)),
        }
    }

    fn seen(&self, op: &Op, source: Option<&'a Source>, params: &[u8]) -> Seen<'a> {
        let Parts {
            name,
            values,
            targets: results,
            headers,
            register,
        } = parts(op);
        let faults = Faults::default();
        let ctx = self.quiet(params, &faults);
        let mut targets: Vec<Written> = Vec::new();
        let mut cell = register.map(|(register, index)| (register, ctx.index(index)));
        for target in results {
            match target {
                Target::Field(loc) => targets.push(Written::Field(loc)),
                Target::HeaderField(header, rel) => {
                    let id = ctx.header(header);
                    targets.extend(id.map(|id| Written::Field(rel.rebased(self.base(id)))));
                }
                Target::Register(register, index) => cell = Some((register, ctx.index(index))),
            }
        }
        let ids: Vec<HeaderId> = headers
            .iter()
            .filter_map(|&node| ctx.header(node))
            .collect();
        if let Some(&id) = ids.first() {
            match op {
                Op::AssignVar(..) => targets.push(Written::Var(id)),
                Op::AssignHeader(..) => targets.extend(self.whole(id)),
                _ => targets.push(self.validity_of(id)),
            }
        }
        let groups = self.groups(op, params);
        if let Some(group) = groups.first() {
            targets.extend(group.iter().flat_map(|&header| self.whole(header)));
        }
        let headers = ids.iter().map(|&id| name_of(self.program, id));
        let group_names = groups.iter().map(|group| self.group_name(group));
        let mut event = PrimitiveEvent {
            name: name.to_owned(),
            changes: targets.iter().map(|&at| self.before(at)).collect(),
            operands: self.operands(&values, &[], params),
            headers: headers.chain(group_names).collect(),
            array: cell.map(|(register, index)| self.access(register, index)),
            ..PrimitiveEvent::default()
        };
        let info = &self.program.info;
        let array = |name: &str, index: Value, size: usize| {
            let index = ctx.index(index);
            ArrayAccess {
                name: name.to_owned(),
                index,
                out_of_range: index >= size as u64,
                ..ArrayAccess::default()
            }
        };
        let mut counted = None;
        match op {
            Op::Random(_, low, high) => {
                let (low, high) = (ctx.low64(*low), ctx.low64(*high));
                event.range = Some(NumberRange { low, high });
            }
            Op::Hash(_, _, calculation, _) | Op::Unit(Unit::Hash(_, calculation)) => {
                let name = &self.program.labels.calculations[*calculation as usize];
                let hasher = self.program.calculations[*calculation as usize].hasher;
                event.calculation = match &self.externs.hashers[hasher as usize] {
                    Hasher::CustomCrc(crc) => format!("{name}: {crc}"),
                    _ => name.clone(),
                };
            }
            Op::Count(counter, index) | Op::Unit(Unit::Count(counter, index, _)) => {
                let size = self.externs.counters[*counter as usize].cells.len();
                let name = &info.counters[*counter as usize].name;
                counted = Some((*counter, ctx.index(*index)));
                event.array = Some(array(name, *index, size));
            }
            Op::ExecuteMeter(meter, index, _) | Op::Unit(Unit::Meter(meter, index, ..)) => {
                let size = self.externs.meters[*meter as usize].cells.len();
                event.array = Some(array(&info.meters[*meter as usize].name, *index, size));
            }
            Op::Unit(Unit::Filter(_, filter, _, index)) => {
                let filters = &self.externs.filters[*filter as usize];
                let size = filters.cells.len();
                event.name = filters.kind.as_str().to_owned();
                let name = &info.filters[*filter as usize].name;
                event.array = Some(array(name, *index, size));
            }
            _ => (),
        }
        Seen {
            event,
            source,
            targets,
            only_changed: !groups.is_empty(),
            cell,
            counter: counted,
        }
    }

    fn base(&self, header: HeaderId) -> u32 {
        self.program.layout.headers[header as usize].byte
    }

    fn access(&self, register: u32, index: u64) -> ArrayAccess {
        let before = self.cell(register, index);
        ArrayAccess {
            name: self.register_name(register).to_owned(),
            index,
            out_of_range: before.is_none(),
            before: before.unwrap_or_default(),
            ..ArrayAccess::default()
        }
    }

    /// A primitive has run.
    pub fn note_primitive(&mut self, seen: Option<Seen<'a>>) {
        let Some(Seen {
            mut event,
            source,
            targets,
            only_changed,
            cell,
            counter,
        }) = seen
        else {
            return;
        };
        self.note(source, |env| {
            for (change, &target) in event.changes.iter_mut().zip(&targets) {
                change.after = env.after(target);
            }
            if only_changed {
                event.changes.retain(|change| change.before != change.after);
            }
            if let (Some(array), Some((register, index))) = (&mut event.array, cell) {
                array.after = env.cell(register, index).unwrap_or_default();
            }
            if let (Some(array), Some((counter, index))) = (&mut event.array, counter) {
                array.counter = env.counted(counter, index);
            }
            Some(Event::Primitive(event))
        });
    }

    fn counted(&self, counter: u32, index: u64) -> Option<CounterReading> {
        let cells = &self.externs.counters[counter as usize].cells;
        cells.get(usize::try_from(index).ok()?).map(Into::into)
    }

    /// The event of a parser's operation that takes no header.
    pub(super) fn parser_primitive(&self, op: &ParseOp) -> Option<Event> {
        let field = |loc: Loc| FieldValue {
            name: self.field_name(loc),
            value: self.read_field(loc),
        };
        let (name, operands, headers) = match op {
            ParseOp::Lookahead(loc, ..) => ("lookahead", vec![field(*loc)], vec![]),
            ParseOp::Advance(bits) => ("advance", self.operands(&[*bits], &[], &[]), vec![]),
            ParseOp::SetVar(dst, src) => (
                "set_VL",
                self.var_field(*dst).into_iter().collect(),
                vec![name_of(self.program, *dst), name_of(self.program, *src)],
            ),
            _ => return None,
        };
        Some(Event::Primitive(PrimitiveEvent {
            name: name.to_owned(),
            operands,
            headers,
            ..PrimitiveEvent::default()
        }))
    }
}
