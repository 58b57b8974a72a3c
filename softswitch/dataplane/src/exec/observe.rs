// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The events of a traced packet. The interpreter's functions take `TRACED` as a constant: without it, none of this is
//! in their code.

use super::calc;
use super::env::Env;
use super::parser::Failed;
use super::shown::{hex, hex_words, name_of};
use crate::model::ids::{CondId, END};
use crate::model::values::MatchField;
use crate::program::labels::NodeLabel;
use crate::program::table::KeyField;
use crate::program::{Deparser, ParseOp, ParseState, Pipeline};
use crate::state::loc::Loc;
use crate::tables::bound::Bound;
use crate::tables::entry::EntryAction;
use crate::tables::Tables;
use crate::trace::message::{
    ActionCallEvent, ChecksumEvent, ConditionEvent, DeparseEvent, Direction, EntryMatch, Event,
    FieldChange, FieldValue, HeaderEvent, KeyFieldValue, ParserErrorEvent, ParserStateEvent,
    SelectEvent, Source, StageKind, TableEvent,
};
use crate::trace::Place;

impl<'a> Env<'a> {
    /// Adds an event that is made only where there is room for it.
    pub(super) fn note(
        &mut self,
        source: Option<&'a Source>,
        event: impl FnOnce(&Self) -> Option<Event>,
    ) {
        let is_full = self
            .packet
            .trace
            .as_mut()
            .is_none_or(|trace| trace.is_full());
        if is_full {
            return;
        }
        let event = event(self);
        if let (Some(trace), Some(event)) = (&mut self.packet.trace, event) {
            trace.add(source, event);
        }
    }

    pub fn note_stage(&mut self, name: &str, kind: StageKind, direction: Direction) {
        if let Some(trace) = &mut self.packet.trace {
            trace.place = Place::Nowhere;
            trace.stage(name, kind, direction);
        }
    }

    fn go_to(&mut self, place: Place) {
        if let Some(trace) = &mut self.packet.trace {
            trace.place = place;
        }
    }

    pub(super) fn place(&self) -> Place {
        let trace = self.packet.trace.as_ref();
        trace.map_or(Place::Nowhere, |trace| trace.place)
    }

    pub(super) fn read_field(&self, loc: Loc) -> String {
        let mut bytes = Vec::new();
        loc.append_bytes(&self.packet.phv.bytes, &mut bytes);
        hex(&bytes)
    }

    pub(super) fn field_name(&self, loc: Loc) -> String {
        self.program.labels.fields.name(&self.program.layout, loc)
    }

    // -- Parser -------------------------------------------------------------------------------------------

    pub fn note_state(&mut self, state: u32) {
        self.go_to(Place::Parser(state, 0));
        let label = &self.program.labels.states[state as usize];
        self.note(label.source.as_ref(), |_| {
            let name = label.name.clone();
            Some(Event::ParserState(ParserStateEvent { name }))
        });
    }

    /// An operation of the parser has been carried out.
    pub fn note_parser_op(&mut self, op: &ParseOp) {
        let Place::Parser(state, at) = self.place() else {
            return;
        };
        let layout = &self.program.layout;
        let last = |slot: u32| (self.packet.phv.next[slot as usize] as usize).checked_sub(1);
        let header = match op {
            ParseOp::Extract(header) | ParseOp::ExtractVar(header, _) => Some(*header),
            ParseOp::ExtractNext(stack, _) => {
                let stack = &layout.stacks[*stack as usize];
                last(stack.next).map(|at| stack.headers[at])
            }
            ParseOp::ExtractNextUnion(stack, member, _) => {
                let stack = &layout.union_stacks[*stack as usize];
                let union = last(stack.next).map(|at| stack.unions[at]);
                union.map(|union| layout.unions[union as usize].headers[*member as usize])
            }
            _ => None,
        };
        let source = self.program.labels.states[state as usize].ops[at as usize].as_ref();
        if let Some(header) = header {
            self.note(source, |env| {
                Some(Event::Extract(HeaderEvent {
                    name: name_of(env.program, header),
                    fields: env.fields(header).collect(),
                }))
            });
        } else if let ParseOp::Verify(condition, _) = op {
            self.note_verify(*condition, source, true);
        } else if !matches!(op, ParseOp::Primitive(_)) {
            self.note(source, |env| env.parser_primitive(op));
        }
        self.go_to(Place::Parser(state, at + 1));
    }

    fn note_verify(&mut self, condition: CondId, source: Option<&'a Source>, outcome: bool) {
        self.note(source, |env| {
            Some(Event::Condition(ConditionEvent {
                name: "verify".to_owned(),
                outcome,
                operands: env.operands(&[], &[condition], &[]),
            }))
        });
    }

    /// A parser state has ended: with the next one, or with an error.
    pub fn note_outcome(&mut self, state: &ParseState, key: &[u64], outcome: &Result<u32, Failed>) {
        let labels = &self.program.labels;
        match outcome {
            Ok(next) => self.note(None, |_| {
                let key_bytes: u32 = state.key.iter().map(|part| part.bits.div_ceil(8)).sum();
                let next_state = match *next {
                    END => "accept",
                    next => &labels.states[next as usize].name,
                };
                Some(Event::Select(SelectEvent {
                    key: match key_bytes {
                        0 => String::new(),
                        bytes => hex_words(key, bytes as usize),
                    },
                    next_state: next_state.to_owned(),
                }))
            }),
            Err(Failed(code)) => {
                let mut source = None;
                if let Place::Parser(state_index, at) = self.place() {
                    let sources = &labels.states[state_index as usize].ops;
                    source = sources.get(at as usize).and_then(Option::as_ref);
                    if let Some(ParseOp::Verify(condition, _)) = state.ops.get(at as usize) {
                        self.note_verify(*condition, source, false);
                    }
                }
                let error = labels.errors.iter().find(|(_, known)| known == code);
                let error = error.map_or_else(|| code.to_string(), |(name, _)| name.clone());
                self.note(source, |_| {
                    Some(Event::ParserError(ParserErrorEvent { error }))
                });
            }
        }
    }

    /// As [`calc::verify`], with an event for each checksum.
    pub fn verify_and_note(&mut self) -> bool {
        let program = self.program;
        let mut all_right = true;
        for (at, checksum) in program.checksums.iter().enumerate() {
            if !checksum.verify {
                continue;
            }
            let right = calc::holds(program, checksum, self.externs, self.packet);
            all_right &= right;
            self.note(None, |_| {
                let name = program.labels.checksums[at].clone();
                Some(Event::Checksum(ChecksumEvent { name, right }))
            });
        }
        all_right
    }

    // -- Pipelines ----------------------------------------------------------------------------------------

    fn node(&self, pipeline: &Pipeline, node: u32) -> &'a NodeLabel {
        let pipelines = &self.program.labels.pipelines;
        &pipelines[pipeline.number as usize][node as usize]
    }

    pub fn note_condition(&mut self, pipeline: &Pipeline, node: u32, cond: CondId, outcome: bool) {
        let label = self.node(pipeline, node);
        self.note(label.source.as_ref(), |env| {
            Some(Event::Condition(ConditionEvent {
                name: label.name.clone(),
                outcome,
                operands: env.operands(&[], &[cond], &[]),
            }))
        });
    }

    pub fn note_call(&mut self, pipeline: &Pipeline, node: u32, action: u32) {
        self.go_to(Place::Action(action));
        let label = self.node(pipeline, node);
        let name = &self.program.actions[action as usize].name;
        self.note(label.source.as_ref(), |_| {
            let action = name.clone();
            Some(Event::ActionCall(ActionCallEvent { action }))
        });
    }

    /// As the table looks it up.
    fn key_value(&self, field: &KeyField) -> String {
        let mut bytes = Vec::new();
        field.loc.append_bytes(&self.packet.phv.bytes, &mut bytes);
        for (byte, mask) in bytes.iter_mut().zip(field.mask.iter().flatten()) {
            *byte &= mask;
        }
        hex(&bytes)
    }

    /// A table's key and the row that matched, before the action changes any of it.
    pub fn table_key(&self, index: u32, hit: Option<u32>, tables: &Tables) -> TableEvent {
        let def = &self.program.tables[index as usize];
        let table = &tables.tables[index as usize];
        let entry = hit.map(|hit| table.entry(hit));
        let profile = || table.profile.map(|at| &tables.profiles[at as usize]);
        let key = def.key.iter().enumerate().map(|(at, field)| KeyFieldValue {
            name: field.name.clone(),
            match_kind: field.kind.as_str().to_owned(),
            value: self.key_value(field),
            row: entry.map_or_else(String::new, |entry| row(&entry.key[at])),
        });
        TableEvent {
            table: def.name.clone(),
            key: key.collect(),
            hit: hit.is_some(),
            entry: entry.zip(hit).map(|(entry, handle)| EntryMatch {
                handle,
                priority: entry.priority,
                member: match entry.action {
                    EntryAction::Member(slot) => profile().map(|all| all.member(slot).id),
                    _ => None,
                },
                group: match entry.action {
                    EntryAction::Group(slot) => profile().map(|all| all.group(slot).config.id),
                    _ => None,
                },
            }),
            counter: def.direct_counter.then(|| {
                let mut counted = entry.map_or(table.default_counter, |entry| entry.counter);
                counted.count(self.packet.ingress_bytes);
                (&counted).into()
            }),
            meter: entry.and(def.direct_meter).map(|meter| FieldChange {
                name: self.field_name(meter.target),
                before: self.read_field(meter.target),
                after: String::new(),
            }),
            ..TableEvent::default()
        }
    }

    /// A table was applied, and chose an action.
    pub fn note_table(&mut self, index: u32, mut seen: TableEvent, call: Option<&Bound>) {
        let program = self.program;
        let meter = program.tables[index as usize].direct_meter;
        if let (Some(meter), Some(change)) = (meter, &mut seen.meter) {
            change.after = self.read_field(meter.target);
        }
        self.go_to(call.map_or(Place::Nowhere, |call| Place::Action(call.action)));
        // Each table is one node, and no table is in two pipelines.
        let labels = &program.labels;
        let mut nodes = program.pipelines.iter().zip(&labels.pipelines);
        let source = nodes.find_map(|(pipeline, labels)| {
            let at = pipeline.tables().position(|table| table == index)?;
            labels[at].source.as_ref()
        });
        self.note(source, |_| {
            let (action, parameters) = call.map_or_else(Default::default, |call| {
                let names = &labels.params[call.action as usize];
                let values = call.call(&program.actions);
                let params = names.iter().zip(&values.params);
                let params = params.map(|(name, value)| FieldValue {
                    name: name.clone(),
                    value: hex(value),
                });
                (values.name, params.collect())
            });
            Some(Event::Table(TableEvent {
                action,
                parameters,
                ..seen
            }))
        });
    }

    // -- Deparser -----------------------------------------------------------------------------------------

    /// As [`calc::update`], with an event for the checksums and the headers that are sent.
    pub fn update_and_note(&mut self, deparser: &Deparser) {
        let program = self.program;
        let mut checksums = Vec::new();
        for checksum in program.checksums.iter().filter(|checksum| checksum.update) {
            let before = self.read_field(checksum.target);
            calc::renew(program, checksum, self.externs, self.packet);
            checksums.push(FieldChange {
                name: self.field_name(checksum.target),
                before,
                after: self.read_field(checksum.target),
            });
        }
        checksums.retain(|change| change.before != change.after);
        self.go_to(Place::Deparser(deparser.number));
        self.note(None, |env| {
            let phv = &env.packet.phv;
            let order = deparser.order.iter().copied();
            let valid = order.filter(|&header| phv.is_valid(&program.layout, header));
            Some(Event::Deparse(DeparseEvent {
                headers: valid.map(|header| name_of(program, header)).collect(),
                payload_bytes: env.packet.payload_bytes() as u32,
                checksums,
            }))
        });
    }
}

/// The row of a table, as far as one field of the key goes.
fn row(field: &MatchField) -> String {
    match field {
        MatchField::Exact(value) | MatchField::Optional(value) => hex(value),
        MatchField::Lpm(value, bits) => format!("{}/{bits}", hex(value)),
        MatchField::Ternary(value, mask) => format!("{} &&& {}", hex(value), hex(mask)),
        MatchField::Range(low, high) => format!("{}..{}", hex(low), hex(high)),
        MatchField::DontCare => "*".to_owned(),
    }
}
