// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! `FieldMatch` messages as the data plane's keys (specification, "Match Format").

use quench_dataplane::control::{ControlResult, MatchField};

use crate::messages::{FieldMatch, Lpm, MatchType, TableEntry, Two};
use crate::refusal::invalid;
use crate::values::{number, ValueType};

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum FieldKind {
    Exact,
    Lpm,
    Ternary,
    Range,
    Optional,
}

impl FieldKind {
    /// `None` for a name that is no kind's.
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            "exact" => Self::Exact,
            "lpm" => Self::Lpm,
            "ternary" => Self::Ternary,
            "range" => Self::Range,
            "optional" => Self::Optional,
            _ => return None,
        })
    }

    fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Lpm => "lpm",
            Self::Ternary => "ternary",
            Self::Range => "range",
            Self::Optional => "optional",
        }
    }
}

/// One match field.
#[derive(Clone)]
pub struct Field {
    pub id: u32,
    pub kind: FieldKind,
    pub value: ValueType,
    /// Its place in the data plane's key.
    pub position: usize,
    /// The data plane knows an optional field as a ternary one.
    pub is_ternary: bool,
}

/// The match fields of a table or value set.
#[derive(Clone)]
pub struct KeyForm {
    /// The table or value set, for error messages.
    pub what: String,
    pub fields: Vec<Field>,
}

fn given_name(given: Option<&MatchType>) -> &'static str {
    match given {
        None => "nothing",
        Some(MatchType::Exact(_)) => "exact",
        Some(MatchType::Ternary(_)) => "ternary",
        Some(MatchType::Lpm(_)) => "lpm",
        Some(MatchType::Range(_)) => "range",
        Some(MatchType::Optional(_)) => "optional",
        Some(MatchType::Other(_)) => "other",
    }
}

impl KeyForm {
    /// Key and priority of a match entry of a table.
    pub fn entry_key(&self, entry: &TableEntry) -> ControlResult<(Vec<MatchField>, i32)> {
        let (what, priority) = (&self.what, entry.priority);
        let needs_priority = self.fields.iter().any(Field::has_priority);
        if needs_priority && priority <= 0 {
            return invalid(format!(
                "{what}: ternary, range and optional entries need a positive priority"
            ));
        }
        if !needs_priority && priority != 0 {
            return invalid(format!(
                "{what}: entries have no priority here, the request gives {priority}"
            ));
        }
        Ok((self.decode(&entry.matches)?, priority))
    }

    /// The data plane's key. Omitted ternary, LPM, range and optional fields match anything.
    pub fn decode(&self, matches: &[FieldMatch]) -> ControlResult<Vec<MatchField>> {
        let mut key = vec![None; self.fields.len()];
        for given in matches {
            let found = self.fields.iter().find(|field| field.id == given.field_id);
            let Some(field) = found else {
                let id = given.field_id;
                return invalid(format!("{} has no match field with id {id}", self.what));
            };
            if key[field.position].is_some() {
                return invalid(format!("{} is given twice", field.value.what));
            }
            key[field.position] = Some(field.decode(given.given.as_ref())?);
        }
        for field in &self.fields {
            if field.kind == FieldKind::Exact && key[field.position].is_none() {
                let what = &field.value.what;
                return invalid(format!("{what} is an exact match and has to be given"));
            }
        }
        let fields = key.into_iter();
        Ok(fields
            .map(|field| field.unwrap_or(MatchField::DontCare))
            .collect())
    }
}

impl Field {
    /// Whether entries with such a field have a priority.
    pub fn has_priority(&self) -> bool {
        !matches!(self.kind, FieldKind::Exact | FieldKind::Lpm)
    }

    fn decode(&self, given: Option<&MatchType>) -> ControlResult<MatchField> {
        let value = &self.value;
        Ok(match (self.kind, given) {
            (FieldKind::Exact, Some(MatchType::Exact(one))) => {
                MatchField::Exact(value.decode(&one.value)?)
            }
            (FieldKind::Optional, Some(MatchType::Optional(one))) => {
                let bytes = value.decode(&one.value)?;
                match self.is_ternary {
                    true => MatchField::Ternary(bytes, value.max()),
                    false => MatchField::Optional(bytes),
                }
            }
            (FieldKind::Lpm, Some(MatchType::Lpm(lpm))) => self.prefix(lpm)?,
            (FieldKind::Ternary, Some(MatchType::Ternary(two))) => self.ternary(two)?,
            (FieldKind::Range, Some(MatchType::Range(two))) => self.range(two)?,
            _ => {
                return invalid(format!(
                    "{} is matched {}, the request gives {}",
                    value.what,
                    self.kind.name(),
                    given_name(given)
                ))
            }
        })
    }

    fn ternary(&self, given: &Two) -> ControlResult<MatchField> {
        let what = &self.value.what;
        let value = self.value.decode(&given.first)?;
        let mask = self.value.decode_mask(&given.second)?;
        if mask.iter().all(|&byte| byte == 0) {
            return invalid(format!(
                "{what}: leave a match out instead of giving it an empty mask"
            ));
        }
        if value
            .iter()
            .zip(&mask)
            .any(|(value, mask)| value & !mask != 0)
        {
            return invalid(format!(
                "{what}: value {} has bits outside its mask {}",
                number(&value),
                number(&mask)
            ));
        }
        Ok(MatchField::Ternary(value, mask))
    }

    fn prefix(&self, given: &Lpm) -> ControlResult<MatchField> {
        let (what, bits) = (&self.value.what, self.value.bits);
        let value = self.value.decode(&given.value)?;
        let length = given.prefix_len;
        if length == 0 {
            return invalid(format!(
                "{what}: leave a match out instead of giving it a prefix of 0 bits"
            ));
        }
        let Some(length) = u32::try_from(length).ok().filter(|&length| length <= bits) else {
            return invalid(format!(
                "{what}: a prefix of {length} bits does not fit {bits} bits"
            ));
        };
        let behind = (bits - length) as usize;
        let last = value.len() - behind / 8;
        let rest = value[last..].iter().any(|&byte| byte != 0);
        let part = behind % 8 > 0 && value[last - 1] & (0xff >> (8 - behind % 8)) != 0;
        if rest || part {
            return invalid(format!(
                "{what}: {} has bits outside its {length} bit prefix",
                number(&value)
            ));
        }
        Ok(MatchField::Lpm(value, length))
    }

    fn range(&self, given: &Two) -> ControlResult<MatchField> {
        let what = &self.value.what;
        let low = self.value.decode(&given.first)?;
        let high = self.value.decode(&given.second)?;
        if low > high {
            let (low, high) = (number(&low), number(&high));
            return invalid(format!("{what}: range {low}..{high} is empty"));
        }
        if low.iter().all(|&byte| byte == 0) && high == self.value.max() {
            return invalid(format!(
                "{what}: leave a match out instead of giving it the full range"
            ));
        }
        Ok(MatchField::Range(low, high))
    }
}
