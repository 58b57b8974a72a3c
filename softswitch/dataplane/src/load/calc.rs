// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Calculations and checksums.

use super::expr::Locals;
use super::headers::Found;
use super::json::{self, Typed};
use super::limits;
use super::loader::Loader;
use super::value::{hex_bits, pair, text};
use crate::arch::Units;
use crate::externs::crc::{CrcParams, HashError};
use crate::externs::hash::Hasher;
use crate::externs::tna_hash::TnaHash;
use crate::model::load_error::{fail, LoadResult, Within};
use crate::program::{CalcInput, Calculation, Checksum, ChecksumKind};
use crate::state::loc::Loc;

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
                    parts.push(match self.headers.find_field(header, field)? {
                        Found::Fixed(header, loc) => CalcInput::Field(header, loc),
                        Found::Var(header) => CalcInput::VarField(header),
                    });
                }
                "header" => parts.push(CalcInput::Header(self.headers.header(text(&part.value)?)?)),
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
        let (header, target) = self.headers.field(&checksum.target.0, &checksum.target.1)?;
        let kind = match (checksum.kind.as_str(), &checksum.calculation) {
            ("generic", Some(name)) => ChecksumKind::Calculation(self.calculation_index(name)?),
            ("ipv4", _) => {
                if target.bits != 16
                    || target.bit != 0
                    || self.headers.layout.headers[header as usize].metadata
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
            json::Json::Null => None,
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
