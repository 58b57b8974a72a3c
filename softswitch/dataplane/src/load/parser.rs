// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Parsers.

use std::collections::HashMap;

use super::expr::Locals;
use super::headers::Found;
use super::json::{self, Json, Typed};
use super::loader::Loader;
use super::value::{hex_bytes, pair, short, text};
use super::{cost, flow, limits};
use crate::model::ids::{Value, END};
use crate::model::load_error::{fail, LoadResult, Within};
use crate::program::expr::Cond;
use crate::program::{ErrorCodes, KeyPart, KeySource, ParseCase, ParseOp, ParseState, Parser};

impl Loader<'_> {
    /// All parsers; their states go to `states`.
    pub fn load_parsers(&mut self, states: &mut Vec<ParseState>) -> LoadResult<Vec<Parser>> {
        let parsers = self.parsers()?.into_iter();
        parsers
            .map(|parser| {
                self.load_parser(parser, states)
                    .within(|| format!("parser '{}'", parser.name))
            })
            .collect()
    }

    fn load_parser(
        &mut self,
        parser: &json::Parser,
        states: &mut Vec<ParseState>,
    ) -> LoadResult<Parser> {
        let start = states.len() as u32;
        let mut numbers = HashMap::new();
        for (number, state) in (start..).zip(&parser.parse_states) {
            if numbers.insert(state.name.as_str(), number).is_some() {
                return fail(format!(
                    "there are two parser states called '{}'",
                    state.name
                ));
            }
        }
        let find = |name: &Option<String>| match name {
            None => Ok(END),
            Some(name) => numbers.get(name.as_str()).copied().map_or_else(
                || fail(format!("there is no parser state called '{name}'")),
                Ok,
            ),
        };
        for state in &parser.parse_states {
            let loaded = self.parse_state(state, &find);
            states.push(loaded.within(|| format!("parser state '{}'", state.name))?);
        }
        let own = start..states.len() as u32;
        Ok(Parser {
            name: parser.name.clone(),
            loops: flow::parser_loops(states, own.clone()),
            states: own,
            first: find(&parser.init_state)?,
        })
    }

    /// The program's numbers of the core library's errors; those that it does not declare get the next free ones.
    pub fn error_codes(&self) -> LoadResult<ErrorCodes> {
        let codes = self.root.errors.iter().map(|&(_, code)| u64::from(code));
        let mut free = codes.max().map_or(0, |last| last + 1);
        let mut code = |name: &str| {
            let known = self.root.errors.iter().find(|(known, _)| known == name);
            if let Some(&(_, code)) = known {
                return Ok(code);
            }
            let Ok(code) = u32::try_from(free) else {
                return fail(format!("no number is left for the error '{name}'"));
            };
            free += 1;
            Ok(code)
        };
        Ok(ErrorCodes {
            no_error: code("NoError")?,
            packet_too_short: code("PacketTooShort")?,
            stack_out_of_bounds: code("StackOutOfBounds")?,
            header_too_short: code("HeaderTooShort")?,
            parser_timeout: code("ParserTimeout")?,
            parser_invalid_argument: code("ParserInvalidArgument")?,
            counter_range: self.declared_error("CounterRange"),
        })
    }

    fn declared_error(&self, name: &str) -> Option<u32> {
        let mut errors = self.root.errors.iter();
        errors
            .find(|(known, _)| known == name)
            .map(|&(_, code)| code)
    }

    fn parse_state(
        &mut self,
        state: &json::ParseState,
        find: &dyn Fn(&Option<String>) -> LoadResult<u32>,
    ) -> LoadResult<ParseState> {
        let mark = self.b.mark();
        let mut loaded = ParseState {
            default: END,
            ..ParseState::default()
        };
        for (i, op) in state.parser_ops.iter().enumerate() {
            loaded.ops.push(
                self.parser_op(op)
                    .within(|| format!("operation {i} '{}'", op.op))?,
            );
        }
        let mut at = 0;
        for part in &state.transition_key {
            let place = || "transition key".to_owned();
            let (source, bits) = self.key_part(part).within(place)?;
            limits::WIDTH_BITS.allow(bits.into()).within(place)?;
            if bits == 0 {
                continue;
            }
            loaded.key.push(KeyPart { source, at, bits });
            at += bits.div_ceil(8);
            limits::KEY_BYTES.allow(at.into()).within(place)?;
        }
        loaded.key_bytes = at.next_multiple_of(8) as usize;
        let bits: Vec<u32> = loaded.key.iter().map(|part| part.bits).collect();
        for (i, transition) in state.transitions.iter().enumerate() {
            let place = || format!("transition {i}");
            let next = find(&transition.next_state).within(place)?;
            let kind = match (transition.kind.as_deref(), transition.value.as_deref()) {
                (None | Some("hexstr"), Some("default")) => "default",
                (kind, _) => kind.unwrap_or("hexstr"),
            };
            // A value and a mask, which may be many more bytes than the text that gives them.
            if kind != "default" {
                self.memory.take_all(2, at.into()).within(place)?;
            }
            match kind {
                "default" => loaded.default = next,
                "hexstr" => {
                    let value = words(transition.value.as_deref(), at).within(place)?;
                    let mask = match &transition.mask {
                        Some(mask) => words(Some(mask), at).within(place)?,
                        None => words(Some(&"ff".repeat(at as usize)), at)?,
                    };
                    loaded.cases.push(ParseCase::Masked(value, mask, next));
                }
                "parse_vset" => {
                    let set = self
                        .value_set(transition.value.as_deref(), &bits)
                        .within(place)?;
                    let mask = transition
                        .mask
                        .as_deref()
                        .map(|mask| words(Some(mask), at))
                        .transpose();
                    loaded
                        .cases
                        .push(ParseCase::ValueSet(set, mask.within(place)?, next));
                }
                other => return fail(format!("unknown type '{other}'")).within(place),
            }
        }
        loaded.work = cost::units(self.work_of_state(&loaded) + self.b.work_since(&mark));
        Ok(loaded)
    }

    fn value_set(&mut self, name: Option<&str>, bits: &[u32]) -> LoadResult<u32> {
        let name = name.unwrap_or("");
        let Some(index) = self
            .root
            .parse_vsets
            .iter()
            .position(|set| set.name == name)
        else {
            return fail(format!("there is no value set called '{name}'"));
        };
        let known = &mut self.value_set_bits[index];
        if known.is_empty() {
            bits.clone_into(known);
        }
        if self.root.parse_vsets[index].compressed_bitwidth != bits.iter().sum::<u32>()
            || known != bits
        {
            return fail(format!(
                "the key does not have the widths of value set '{name}'"
            ));
        }
        Ok(index as u32)
    }

    fn key_part(&self, part: &Typed) -> LoadResult<(KeySource, u32)> {
        match part.kind.as_str() {
            "field" => {
                let (header, field) = pair(&part.value)?;
                let (_, loc) = self.headers.field(header, field)?;
                let loc = crate::state::loc::Loc {
                    signed: false,
                    ..loc
                };
                Ok((KeySource::Field(loc), loc.bits))
            }
            "stack_field" | "union_stack_field" => {
                let (header, mut loc) = if part.kind == "stack_field" {
                    self.headers.stack_field(&part.value)?
                } else {
                    self.headers.union_stack_field(&part.value)?
                };
                loc.signed = false;
                Ok((KeySource::HeaderField(header, loc), loc.bits))
            }
            "lookahead" => {
                let (offset, bits) = lookahead(&part.value)?;
                Ok((KeySource::Lookahead(offset), bits))
            }
            other => fail(format!("'{other}' cannot be a part of it")),
        }
    }

    fn parser_op(&mut self, op: &json::ParserOp) -> LoadResult<ParseOp> {
        match (op.op.as_str(), op.parameters.as_slice()) {
            ("extract", [header]) => self.extract(header, None),
            ("extract_VL", [header, length]) => {
                let length = self.exact(length, Locals::None)?;
                self.extract(header, Some(length))
            }
            ("set", [dst, src]) => self.parser_set(dst, src),
            ("verify", [condition, error]) => {
                let condition = self.cond(condition, Locals::None)?;
                let error = match error.as_i64() {
                    Some(code) => {
                        let node = self.constant(&code.into());
                        self.b.low_bits(node, 32)?
                    }
                    None => {
                        let node = self.data(error, Locals::None)?;
                        self.b.low_bits(node, 32)?
                    }
                };
                Ok(ParseOp::Verify(condition, error))
            }
            ("reject", []) => {
                let never = self.b.cond(Cond::Const(false));
                let Some(error) = self.declared_error("NoMatch") else {
                    return fail("the program does not declare the error 'NoMatch'");
                };
                let error = self.constant(&error.into());
                Ok(ParseOp::Verify(never, self.b.low_bits(error, 32)?))
            }
            ("shift", [bytes]) => match bytes.as_u64() {
                Some(bytes) if bytes < 1 << 32 => {
                    let node = self.constant(&(8 * bytes).into());
                    Ok(ParseOp::Advance(self.b.exact(node, 0)?))
                }
                _ => fail("the number of bytes is no number"),
            },
            ("advance", [bits]) => Ok(ParseOp::Advance(self.exact(bits, Locals::None)?)),
            ("primitive", [primitive]) => Ok(ParseOp::Primitive(self.lone_primitive(primitive)?)),
            (_, parameters) => fail(format!("is not known with {} parameters", parameters.len())),
        }
    }

    fn extract(&mut self, json: &Json, length: Option<Value>) -> LoadResult<ParseOp> {
        let value = &json["value"];
        let (op, kind) = match json["type"].as_str() {
            Some("regular") => {
                let id = self.headers.names.header(text(value)?)?;
                let def = &self.headers.layout.headers[id as usize];
                if def.metadata {
                    return fail(format!(
                        "'{}' is metadata and cannot be extracted",
                        def.name
                    ));
                }
                let op = match (length.or(def.var_length), def.var) {
                    (Some(length), Some(_)) => ParseOp::ExtractVar(id, length),
                    _ => ParseOp::Extract(id),
                };
                (op, def.kind)
            }
            Some("stack") => {
                let id = self.headers.names.stack(text(value)?)?;
                (
                    ParseOp::ExtractNext(id, length),
                    self.headers.layout.stacks[id as usize].kind,
                )
            }
            Some("union_stack") => {
                let (stack, member) = pair(value)?;
                let id = self.headers.names.union_stack(stack)?;
                let (member, kind) = self
                    .headers
                    .union_member(self.headers.layout.union_stacks[id as usize].kind, member)?;
                (ParseOp::ExtractNextUnion(id, member, length), kind)
            }
            _ => return fail(format!("cannot extract {}", short(json))),
        };
        let def = &self.headers.layout.types[kind as usize];
        let has_length =
            length.is_some() || !self.root.header_types[kind as usize].length_exp.is_null();
        if def.var.is_some() && !has_length {
            return fail(format!(
                "nothing gives the length of the variable-length field of '{}'",
                def.name
            ));
        }
        Ok(op)
    }

    fn parser_set(&mut self, dst: &Json, src: &Json) -> LoadResult<ParseOp> {
        if dst["type"] != "field" {
            return fail(format!("cannot set {}", short(dst)));
        }
        let (header, field) = pair(&dst["value"])?;
        match (
            self.headers.find_field(header, field)?,
            src["type"].as_str(),
        ) {
            (Found::Fixed(_, loc), Some("lookahead")) => {
                let (offset, bits) = lookahead(&src["value"])?;
                Ok(ParseOp::Lookahead(loc, offset, bits))
            }
            (Found::Fixed(..), _) => {
                let primitive = json::Primitive {
                    op: "assign".to_owned(),
                    parameters: vec![dst.clone(), src.clone()],
                    source_info: Json::Null,
                };
                Ok(ParseOp::Primitive(
                    self.primitive(&primitive, Locals::None)?,
                ))
            }
            (Found::Var(to), Some("field")) => {
                let (header, field) = pair(&src["value"])?;
                match self.headers.find_field(header, field)? {
                    Found::Var(from) => Ok(ParseOp::SetVar(to, from)),
                    Found::Fixed(..) => fail(format!("'{header}.{field}' has no variable length")),
                }
            }
            (Found::Var(_), _) => fail(format!(
                "cannot set a variable-length field to {}",
                short(src)
            )),
        }
    }

    /// A condition of a pipeline.
    pub fn condition(&mut self, json: &Json) -> LoadResult<u32> {
        if json.is_null() {
            return Ok(self.b.cond(Cond::Const(false)));
        }
        self.cond(json, Locals::None)
    }
}

/// `[offset, width]` in bits.
fn lookahead(value: &Json) -> LoadResult<(u32, u32)> {
    let number = |json: &Json| {
        json.as_u64()
            .filter(|&number| number <= 1 << 16)
            .map(|number| number as u32)
    };
    match value.as_array() {
        Some([offset, bits]) => match (number(offset), number(bits)) {
            (Some(offset), Some(bits)) => Ok((offset, bits)),
            _ => fail(format!(
                "not an offset and a width in bits: {}",
                short(value)
            )),
        },
        _ => fail(format!(
            "not an offset and a width in bits: {}",
            short(value)
        )),
    }
}

/// A `hexstr` of `nbytes` bytes as big-endian words, the last one filled with zeros.
fn words(text: Option<&str>, nbytes: u32) -> LoadResult<Box<[u64]>> {
    let Some(text) = text else {
        return fail("without a value");
    };
    let mut bytes = hex_bytes(text, nbytes as usize)?;
    bytes.resize(nbytes.next_multiple_of(8) as usize, 0);
    let words = bytes
        .chunks_exact(8)
        .map(|word| u64::from_be_bytes(word.try_into().expect("8 bytes")));
    Ok(words.collect())
}
