// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Calculations, checksums, field lists and digests.

use super::error::{fail, LoadResult, Within};
use super::expr::Locals;
use super::json::{self, Typed};
use super::limits;
use super::value::{hex_bits, hex_bytes, pair, text};
use super::{Found, Loader};
use crate::arch::Units;
use crate::exec::loc::Loc;
use crate::exec::program::{
    CalcInput, Calculation, Checksum, ChecksumKind, CopiedField, DigestField, FieldList,
};
use crate::externs::crc::{CrcParams, HashError};
use crate::externs::hash::Hasher;
use crate::externs::tna_hash::TnaHash;

/// Ids of lists are 16 bits wide in the packet.
const MAX_LIST_ID: u32 = 0xffff;

impl Loader<'_> {
    pub fn load_calculations(&mut self) -> LoadResult<()> {
        for calculation in &self.root.calculations {
            let name = calculation.name.as_str();
            let loaded = self.hasher(name, &calculation.algo, &calculation.crc, calculation.bits);
            let loaded = loaded.and_then(|hasher| self.calculation(hasher, &calculation.input));
            let loaded = loaded.within(|| format!("calculation '{name}'"))?;
            if self
                .calculation_names
                .insert(name, self.calculations.len() as u32)
                .is_some()
            {
                return fail(format!("there are two calculations called '{name}'"));
            }
            self.calculations.push(loaded);
        }
        Ok(())
    }

    pub fn selector_hash(
        &mut self,
        name: &str,
        selector: &json::Selector,
    ) -> LoadResult<Calculation> {
        let hasher = self.hasher(name, &selector.algo, &selector.crc, selector.bits)?;
        self.calculation(hasher, &selector.input)
    }

    fn hasher(
        &self,
        name: &str,
        algorithm: &str,
        crc: &Option<json::Crc>,
        bits: Option<u32>,
    ) -> LoadResult<Hasher> {
        if bits.is_some_and(|bits| !(1..=64).contains(&bits)) {
            return fail("the result of a hash function has 1 to 64 bits");
        }
        let tna = self.kind.units() == Units::Tofino;
        let wide = bits.unwrap_or(64);
        let hash = match (algorithm, crc) {
            ("crc", Some(crc)) => {
                crc_params(crc).and_then(|params| made(TnaHash::crc(params, crc.extended, bits)))?
            }
            ("crc", None) => return fail("a CRC without its parameters, 'crc'"),
            ("identity", _) if tna => TnaHash::identity(wide),
            ("random", _) if tna => TnaHash::random(name, wide),
            ("xor8", _) if tna => TnaHash::xor8(wide),
            _ => return made(Hasher::named(algorithm)),
        };
        Ok(Hasher::Tna(hash))
    }

    fn calculation(&mut self, hasher: Hasher, input: &[Typed]) -> LoadResult<Calculation> {
        let mut parts = Vec::new();
        let mut payload = false;
        for part in input {
            match part.kind.as_str() {
                "field" => {
                    let (header, field) = pair(&part.value)?;
                    parts.push(match self.find_field(header, field)? {
                        Found::Fixed(header, loc) => CalcInput::Field(header, loc),
                        Found::Var(header) => CalcInput::VarField(header),
                    });
                }
                "header" => parts.push(CalcInput::Header(self.header(text(&part.value)?)?)),
                "hexstr" => {
                    let bits = part.bitwidth.unwrap_or(0);
                    limits::WIDTH_BITS
                        .allow_some(bits.into())
                        .within(|| "constant".to_owned())?;
                    parts.push(CalcInput::Constant(
                        self.constant_bytes(&part.value, bits)?,
                        bits,
                    ));
                }
                "payload" => payload = true,
                other => return fail(format!("'{other}' cannot be an input of a hash function")),
            }
        }
        if matches!(&hasher, Hasher::Tna(hash) if hash.fills_in_front()) {
            let bits = parts.iter().map(|part| match part {
                CalcInput::Field(_, loc) => loc.bits,
                CalcInput::Constant(_, bits) => *bits,
                CalcInput::VarField(_) | CalcInput::Header(_) => 0,
            });
            let missing = bits.fold(0, |sum, bits| (sum + bits) % 8).wrapping_neg() % 8;
            if missing > 0 {
                parts.insert(0, CalcInput::Constant(vec![0], missing));
            }
        }
        self.hashers.push(hasher);
        Ok(Calculation {
            input: joined(parts),
            payload,
            hasher: self.hashers.len() as u32 - 1,
        })
    }

    pub fn calculation_index(&self, name: &str) -> LoadResult<u32> {
        match self.calculation_names.get(name) {
            Some(&index) => Ok(index),
            None => fail(format!("there is no calculation called '{name}'")),
        }
    }

    pub fn load_checksums(&mut self) -> LoadResult<Vec<Checksum>> {
        let root = self.root;
        let checksums = root.checksums.iter();
        checksums
            .map(|checksum| {
                self.checksum(checksum)
                    .within(|| format!("checksum '{}'", checksum.name))
            })
            .collect()
    }

    fn checksum(&mut self, checksum: &json::Checksum) -> LoadResult<Checksum> {
        let (header, target) = self.field(&checksum.target.0, &checksum.target.1)?;
        let kind = match (checksum.kind.as_str(), &checksum.calculation) {
            ("generic", Some(name)) => ChecksumKind::Calculation(self.calculation_index(name)?),
            ("ipv4", _) => {
                if target.bits != 16
                    || target.bit != 0
                    || self.layout.headers[header as usize].metadata
                {
                    return fail(
                        "the checksum of an IPv4 header is no whole 16-bit field of a header",
                    );
                }
                ChecksumKind::Ipv4
            }
            ("generic", None) => return fail("without a calculation"),
            (other, _) => return fail(format!("unknown type '{other}'")),
        };
        let condition = match &checksum.if_cond {
            serde_json::Value::Null => None,
            condition => Some(self.cond(condition, Locals::None)?),
        };
        Ok(Checksum {
            target,
            header,
            kind,
            condition,
            verify: checksum.verify.unwrap_or(true),
            update: checksum.update.unwrap_or(true),
        })
    }

    /// Lists of what clones, resubmitted and recirculated packets keep; constants in them mean nothing.
    pub fn load_field_lists(&self) -> LoadResult<Vec<FieldList>> {
        let mut lists = Vec::new();
        for list in &self.root.field_lists {
            let slot = slot(&mut lists, list)?;
            *slot = list
                .elements
                .iter()
                .map(|element| {
                    if element.kind == "hexstr" {
                        return self.constant_field(element);
                    }
                    if element.kind != "field" {
                        return fail(format!("'{}' cannot be in a field list", element.kind));
                    }
                    let (header, field) = pair(&element.value)?;
                    Ok(match self.find_field(header, field)? {
                        Found::Fixed(_, loc) => CopiedField::Field(loc),
                        Found::Var(header) => CopiedField::Var(header),
                    })
                })
                .collect::<LoadResult<_>>()
                .within(|| format!("field list '{}'", list.name))?;
        }
        Ok(lists)
    }

    /// A constant of known width; copies of packets keep no constants, but headers of mirrors have them.
    fn constant_field(&self, element: &Typed) -> LoadResult<CopiedField> {
        let bits = element.bitwidth.unwrap_or(0);
        limits::WIDTH_BITS.allow(u64::from(bits))?;
        let bytes = match bits {
            0 => Vec::new(),
            bits => hex_bytes(text(&element.value)?, bits.div_ceil(8) as usize)?,
        };
        Ok(CopiedField::Constant(bytes, bits))
    }

    pub fn load_digests(&self) -> LoadResult<Vec<Option<Vec<DigestField>>>> {
        let mut lists = Vec::new();
        for list in &self.root.learn_lists {
            let fields = list
                .elements
                .iter()
                .map(|element| self.digest_field(element));
            let fields = fields
                .collect::<LoadResult<_>>()
                .within(|| format!("digest '{}'", list.name))?;
            *slot(&mut lists, list)? = Some(fields);
        }
        Ok(lists)
    }

    fn digest_field(&self, element: &Typed) -> LoadResult<DigestField> {
        match element.kind.as_str() {
            "field" => {
                let (header, field) = pair(&element.value)?;
                Ok(DigestField::Field(self.field(header, field)?.1))
            }
            "hexstr" => {
                let Some(bits) = element.bitwidth else {
                    return fail("a constant has no 'bitwidth'");
                };
                limits::WIDTH_BITS
                    .allow(bits.into())
                    .within(|| "constant".to_owned())?;
                Ok(DigestField::Constant(
                    self.constant_bytes(&element.value, bits)?,
                ))
            }
            other => fail(format!("'{other}' cannot be in a digest")),
        }
    }

    /// A constant as bytes: they may be many more than the text that gives it.
    fn constant_bytes(&self, value: &serde_json::Value, bits: u32) -> LoadResult<Vec<u8>> {
        self.memory.take(bits.div_ceil(8).into())?;
        hex_bits(text(value)?, bits)
    }

    /// Widths of a digest's fields.
    pub fn digest_bits(&self, element: &Typed) -> LoadResult<u32> {
        match self.digest_field(element)? {
            DigestField::Field(loc) => Ok(loc.bits),
            DigestField::Constant(_) => Ok(element.bitwidth.unwrap_or(0)),
        }
    }
}

fn made<T>(hash: Result<T, HashError>) -> LoadResult<T> {
    hash.or_else(|error| fail(error.to_string()))
}

fn crc_params(crc: &json::Crc) -> LoadResult<CrcParams> {
    let width = crc.width;
    if !(8..=64).contains(&width) {
        return fail(format!("a CRC of {width} bits; 8 to 64 are possible"));
    }
    let number = |text: &str| {
        let bytes = hex_bits(text, width)?;
        let bytes = bytes.iter();
        Ok(bytes.fold(0, |number, &byte| number << 8 | u64::from(byte)))
    };
    let or_zero = |text: &Option<String>| text.as_deref().map_or(Ok(0), number);
    Ok(CrcParams {
        width,
        poly: number(&crc.coeff)?,
        reversed: crc.reversed,
        init: or_zero(&crc.init)?,
        xor: or_zero(&crc.xor)?,
    })
}

/// Fields that follow each other in a header become one.
fn joined(parts: Vec<CalcInput>) -> Vec<CalcInput> {
    let mut joined: Vec<CalcInput> = Vec::new();
    for part in parts {
        if let (Some(CalcInput::Field(header, loc)), CalcInput::Field(other, next)) =
            (joined.last_mut(), &part)
        {
            let start = |loc: Loc| loc.byte * 8 + u32::from(loc.bit);
            if header == other && start(*loc) + loc.bits == start(*next) {
                loc.bits += next.bits;
                continue;
            }
        }
        joined.push(part);
    }
    joined
}

/// The place of a list by its id.
fn slot<'l, T: Default>(lists: &'l mut Vec<T>, list: &json::FieldList) -> LoadResult<&'l mut T> {
    if list.id > MAX_LIST_ID {
        return fail(format!(
            "list '{}' has the id {}; ids have 16 bits",
            list.name, list.id
        ));
    }
    let index = list.id as usize;
    if lists.len() <= index {
        lists.resize_with(index + 1, T::default);
    }
    Ok(&mut lists[index])
}
