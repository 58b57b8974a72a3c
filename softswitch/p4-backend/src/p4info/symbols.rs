// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Ids and aliases of P4Info objects, computed as p4c does, so that a controller sees the same ones from either
//! compiler.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use quench_p4_frontend::ast::Annotation;
use quench_p4_frontend::span::Span;

use crate::annotation;
use crate::error::{Error, Result};

/// The first byte of an id: `P4Ids.Prefix` in p4info.proto, and for Tofino's objects in p4c's barefoot/p4info.proto.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Prefix {
    Action = 0x01,
    Table = 0x02,
    ValueSet = 0x03,
    ControllerHeader = 0x04,
    ActionProfile = 0x11,
    Counter = 0x12,
    DirectCounter = 0x13,
    Meter = 0x14,
    DirectMeter = 0x15,
    Register = 0x16,
    Digest = 0x17,
    TofinoActionProfile = 0x81,
    TofinoActionSelector = 0x82,
    TofinoCounter = 0x83,
    TofinoDirectCounter = 0x84,
    TofinoMeter = 0x85,
    TofinoDirectMeter = 0x86,
    TofinoWred = 0x87,
    TofinoDirectWred = 0x88,
    TofinoLpf = 0x89,
    TofinoDirectLpf = 0x8a,
    TofinoRegister = 0x8b,
    TofinoDirectRegister = 0x8c,
    TofinoRegisterParam = 0x8d,
    TofinoDigest = 0x8e,
    TofinoHash = 0x8f,
    TofinoPortMetadata = 0x90,
    TofinoSnapshot = 0x91,
    TofinoValueSet = 0xfe,
}

impl Prefix {
    /// The kind that stands for all whose objects are in one list of the JSON: names differ in each list.
    pub fn namespace(self) -> Prefix {
        match self {
            Prefix::DirectCounter => Prefix::Counter,
            Prefix::DirectMeter => Prefix::Meter,
            Prefix::TofinoDirectCounter => Prefix::TofinoCounter,
            Prefix::TofinoDirectMeter => Prefix::TofinoMeter,
            Prefix::TofinoDirectRegister | Prefix::TofinoRegisterParam => Prefix::TofinoRegister,
            Prefix::TofinoWred | Prefix::TofinoDirectWred | Prefix::TofinoDirectLpf => {
                Prefix::TofinoLpf
            }
            other => other,
        }
    }
}

/// The value of `@id`.
pub fn id_annotation(annotations: &[Annotation]) -> Result<Option<u32>> {
    let Some(found) = annotation::find(annotations, "id") else {
        return Ok(None);
    };
    match annotation::integers(found).as_deref() {
        Some([id]) if u32::try_from(*id).is_ok() => Ok(Some(*id as u32)),
        _ => Err(Error::new(found.span, "@id needs one number of 32 bits")),
    }
}

/// Names first, then ids: an id that a program does not choose depends on all the others.
#[derive(Debug, Default)]
pub struct Symbols {
    ids: BTreeMap<Prefix, BTreeMap<String, u32>>,
    taken: HashSet<u32>,
    /// The number of names that end in each sequence of components.
    suffixes: HashMap<String, usize>,
    names: BTreeSet<String>,
}

const NO_ID: u32 = 0;

impl Symbols {
    /// Makes a name known; the same one again changes nothing.
    pub fn add(
        &mut self,
        prefix: Prefix,
        name: &str,
        annotations: &[Annotation],
        span: Span,
    ) -> Result<()> {
        if self
            .ids
            .get(&prefix)
            .is_some_and(|ids| ids.contains_key(name))
        {
            return Ok(());
        }
        let id = match id_annotation(annotations)? {
            None => NO_ID,
            Some(id) => self.chosen(prefix, id, name, span)?,
        };
        self.ids
            .entry(prefix)
            .or_default()
            .insert(name.to_owned(), id);
        if self.names.insert(name.to_owned()) {
            for suffix in suffixes(name) {
                *self.suffixes.entry(suffix.to_owned()).or_default() += 1;
            }
        }
        Ok(())
    }

    /// An id from the program: its first byte may be left out.
    fn chosen(&mut self, prefix: Prefix, id: u32, name: &str, span: Span) -> Result<u32> {
        let first_byte = id >> 24;
        if first_byte != 0 && first_byte != prefix as u32 {
            let message = format!(
                "the @id of '{name}' must start with 0x{:02x}, or with 0x00",
                prefix as u32
            );
            return Err(Error::new(span, message));
        }
        let id = id | (prefix as u32) << 24;
        if !self.taken.insert(id) {
            return Err(Error::new(
                span,
                format!("the @id of '{name}', {id}, is used twice"),
            ));
        }
        Ok(id)
    }

    /// Gives an id to every name that has none: the prefix and 24 bits of the name's hash, or the next free number.
    pub fn assign(&mut self) {
        for (prefix, ids) in &mut self.ids {
            for (name, id) in ids.iter_mut().filter(|(_, id)| **id == NO_ID) {
                let mut hash = one_at_a_time(name.as_bytes());
                let of = |hash: u32| (*prefix as u32) << 24 | (hash & 0x00ff_ffff);
                while !self.taken.insert(of(hash)) {
                    hash = hash.wrapping_add(1);
                }
                *id = of(hash);
            }
        }
    }

    /// 0 for a name that was never added.
    pub fn id(&self, prefix: Prefix, name: &str) -> u32 {
        let ids = self.ids.get(&prefix);
        ids.and_then(|ids| ids.get(name)).copied().unwrap_or(NO_ID)
    }

    /// The shortest end of the name, in whole components, that no other name ends in.
    pub fn alias<'a>(&self, name: &'a str) -> &'a str {
        let unique = |suffix: &&str| self.suffixes.get(*suffix).is_none_or(|&count| count < 2);
        suffixes(name).find(unique).unwrap_or(name)
    }
}

/// `c`, `b.c`, `a.b.c` of `a.b.c`.
fn suffixes(name: &str) -> impl Iterator<Item = &str> {
    let ends = name.rmatch_indices('.').map(|(dot, _)| &name[dot + 1..]);
    ends.chain(std::iter::once(name))
}

/// Bob Jenkins's one-at-a-time hash.
fn one_at_a_time(bytes: &[u8]) -> u32 {
    let mut hash: u32 = 0;
    for &byte in bytes {
        hash = hash.wrapping_add(u32::from(byte));
        hash = hash.wrapping_add(hash << 10);
        hash ^= hash >> 6;
    }
    hash = hash.wrapping_add(hash << 3);
    hash ^= hash >> 11;
    hash.wrapping_add(hash << 15)
}

/// Ids of the parts of one object: from `@id`, the others counted from 1 in order, without those that are taken.
pub fn field_ids<'a>(fields: impl Iterator<Item = (&'a [Annotation], Span)>) -> Result<Vec<u32>> {
    let mut taken = HashSet::new();
    let mut chosen = Vec::new();
    for (annotations, span) in fields {
        let id = id_annotation(annotations)?;
        if id == Some(0) {
            return Err(Error::new(span, "an @id cannot be 0"));
        }
        if id.is_some_and(|id| !taken.insert(id)) {
            return Err(Error::new(span, "this @id is used twice"));
        }
        chosen.push(id);
    }
    let mut next = 1;
    let ids = chosen.into_iter().map(|id| {
        if let Some(id) = id {
            next += 1;
            return id;
        }
        while !taken.insert(next) {
            next += 1;
        }
        next
    });
    Ok(ids.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_prefix_and_hash() {
        let mut symbols = Symbols::default();
        symbols
            .add(Prefix::Action, "NoAction", &[], Span::default())
            .expect("no @id");
        symbols.assign();
        // p4c gives this id to NoAction in every program.
        assert_eq!(symbols.id(Prefix::Action, "NoAction"), 21_257_015);
    }

    #[test]
    fn aliases_are_the_shortest_unique_ends() {
        let mut symbols = Symbols::default();
        for name in ["a.b.c", "d.b.c", "a.x", "y"] {
            symbols
                .add(Prefix::Table, name, &[], Span::default())
                .expect("no @id");
        }
        let aliases = ["a.b.c", "d.b.c", "a.x", "y"].map(|name| symbols.alias(name));
        assert_eq!(aliases, ["a.b.c", "d.b.c", "x", "y"]);
    }
}
