// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Cyclic redundancy checks: under the names that BMv2 knows them by, and with any parameters.
//!
//! The `crc` crate computes them, 16 bytes at a step: 13 bytes take 9 ns and 40 bytes 14 ns, where one byte at a step
//! takes 10 and 47 ns (crc16, release build). The crate's parameters live as long as the process, and so do the tables
//! here: each is made once, all switches share it, and the number of those that programs spell out is limited.

#[cfg(test)]
mod tests;

use std::collections::btree_map::{BTreeMap, Entry};
use std::fmt;
use std::sync::Mutex;

use crc::{Algorithm, Digest, Table};

/// Parameters of the Rocksoft model, of any width up to 64 bits.
type Params = Algorithm<u64>;

/// A CRC's tables: 32 KiB.
type Tables = crc::Crc<u64, Table<16>>;

/// Different CRCs of one process beyond which programs can spell out no new ones: 8 MiB of tables.
const MAX_CRCS: usize = 256;

/// Parameters from the crate's catalogue.
macro_rules! catalogued {
    ($algorithm:ident) => {{
        let Algorithm {
            width,
            poly,
            init,
            refin,
            refout,
            xorout,
            check,
            residue,
        } = crc::$algorithm;
        Algorithm {
            width,
            poly: poly as u64,
            init: init as u64,
            refin,
            refout,
            xorout: xorout as u64,
            check: check as u64,
            residue: residue as u64,
        }
    }};
}

/// Parameters that the crate's catalogue does not have; `check` and `residue` take no part in a computation.
const fn params(width: u8, poly: u64, init: u64, reflected: bool, xorout: u64) -> Params {
    Algorithm {
        width,
        poly,
        init,
        refin: reflected,
        refout: reflected,
        xorout,
        check: 0,
        residue: 0,
    }
}

static CRC_8: Params = catalogued!(CRC_8_SMBUS);
static CRC_16: Params = catalogued!(CRC_16_ARC);
static CRC_32: Params = catalogued!(CRC_32_ISO_HDLC);
static CRC_CCITT: Params = catalogued!(CRC_16_IBM_3740);
/// The polynomial of ISO 3309 without complements, as the Python package crcmod has it under this name.
static CRC_64: Params = params(64, 0x1b, 0, true, 0);

/// BMv2's names.
static CATALOGUE: [(&str, &Params); 43] = [
    ("crc8_custom", &CRC_8),
    ("crc_8", &CRC_8),
    ("crc_8_darc", &catalogued!(CRC_8_DARC)),
    ("crc_8_i_code", &catalogued!(CRC_8_I_CODE)),
    ("crc_8_itu", &catalogued!(CRC_8_I_432_1)),
    ("crc_8_maxim", &catalogued!(CRC_8_MAXIM_DOW)),
    ("crc_8_rohc", &catalogued!(CRC_8_ROHC)),
    ("crc_8_wcdma", &catalogued!(CRC_8_WCDMA)),
    ("crc16", &CRC_16),
    ("crc_16", &CRC_16),
    ("crc_16_buypass", &catalogued!(CRC_16_UMTS)),
    ("crc_16_dds_110", &catalogued!(CRC_16_DDS_110)),
    ("crc_16_dect", &catalogued!(CRC_16_DECT_R)),
    ("crc_16_dnp", &catalogued!(CRC_16_DNP)),
    ("crc_16_en_13757", &catalogued!(CRC_16_EN_13757)),
    ("crc_16_genibus", &catalogued!(CRC_16_GENIBUS)),
    ("crc_16_maxim", &catalogued!(CRC_16_MAXIM_DOW)),
    ("crc_16_mcrf4xx", &catalogued!(CRC_16_MCRF4XX)),
    ("crc_16_riello", &catalogued!(CRC_16_RIELLO)),
    ("crc_16_t10_dif", &catalogued!(CRC_16_T10_DIF)),
    ("crc_16_teledisk", &catalogued!(CRC_16_TELEDISK)),
    ("crc_16_usb", &catalogued!(CRC_16_USB)),
    ("x_25", &catalogued!(CRC_16_IBM_SDLC)),
    ("xmodem", &catalogued!(CRC_16_XMODEM)),
    ("modbus", &catalogued!(CRC_16_MODBUS)),
    ("kermit", &catalogued!(CRC_16_KERMIT)),
    ("crcCCITT", &CRC_CCITT),
    ("crc_ccitt_false", &CRC_CCITT),
    ("crc_aug_ccitt", &catalogued!(CRC_16_SPI_FUJITSU)),
    ("crc32", &CRC_32),
    ("crc_32", &CRC_32),
    ("crc_32_bzip2", &catalogued!(CRC_32_BZIP2)),
    ("crc_32c", &catalogued!(CRC_32_ISCSI)),
    ("crc_32d", &catalogued!(CRC_32_BASE91_D)),
    ("crc_32_mpeg", &catalogued!(CRC_32_MPEG_2)),
    ("posix", &catalogued!(CRC_32_CKSUM)),
    ("crc_32q", &catalogued!(CRC_32_AIXM)),
    ("jamcrc", &catalogued!(CRC_32_JAMCRC)),
    ("xfer", &catalogued!(CRC_32_XFER)),
    ("crc64_custom", &CRC_64),
    ("crc_64", &CRC_64),
    ("crc_64_we", &catalogued!(CRC_64_WE)),
    (
        "crc_64_jones",
        &params(64, 0xad93_d235_94c9_35a9, u64::MAX, true, 0),
    ),
];

/// The reason why a name gives no hash function.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HashError {
    #[error("the hash function '{0}' is not known")]
    Unknown(String),
    #[error("no more than {0} different CRCs are kept in one process: use one of the standard names, or start the process again")]
    TooMany(usize),
}

/// The parameters of a CRC that a program spells out (`CRCPolynomial` of TNA).
#[derive(Debug, Clone, Copy)]
pub struct CrcParams {
    /// 8 to 64 bits.
    pub width: u32,
    /// The polynomial without its leading 1.
    pub poly: u64,
    /// The bits of each byte and of the result are taken in reverse.
    pub reversed: bool,
    pub init: u64,
    /// Applied before the result is reversed.
    pub xor: u64,
}

impl CrcParams {
    fn params(&self) -> Params {
        let shift = 64 - self.width;
        let low = |value: u64| value & u64::MAX >> shift;
        let xor = match self.reversed {
            true => self.xor.reverse_bits() >> shift,
            false => low(self.xor),
        };
        let width = self.width as u8;
        params(width, low(self.poly), low(self.init), self.reversed, xor)
    }
}

/// A CRC before the first byte.
#[derive(Clone)]
pub struct Crc(Digest<'static, u64, Table<16>>);

impl fmt::Debug for Crc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Crc").finish_non_exhaustive()
    }
}

impl Crc {
    /// A name of the catalogue, or `poly_0x1..._init_0x..._xout_0x...` with `not_rev` for one that is not reflected.
    pub fn named(name: &str) -> Result<Self, HashError> {
        let known = CATALOGUE.iter().find(|(known, _)| *known == name);
        let (params, limit) = match known {
            Some((_, params)) => (**params, usize::MAX),
            None => match spelled(name) {
                Some(params) => (params, MAX_CRCS),
                None => return Err(HashError::Unknown(name.to_owned())),
            },
        };
        Self::made(params, limit)
    }

    pub fn with(params: CrcParams) -> Result<Self, HashError> {
        Self::made(params.params(), MAX_CRCS)
    }

    /// The tables of a CRC, of which at most `limit` may be in the process where it is new.
    fn made(params: Params, limit: usize) -> Result<Self, HashError> {
        let mut made = MADE.lock().expect("nothing panics while it has the lock");
        match find_or_make(&mut made, params, limit) {
            Some(tables) => Ok(Self(tables.digest())),
            None => Err(HashError::TooMany(limit)),
        }
    }

    pub fn compute(&self, data: &[u8]) -> u64 {
        let mut digest = self.0.clone();
        digest.update(data);
        digest.finalize()
    }
}

/// The parameters of a custom CRC that the control plane may set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CustomCrcParams {
    /// The polynomial without its leading 1.
    pub polynomial: u64,
    pub initial_remainder: u64,
    /// Applied after the remainder is reflected.
    pub final_xor: u64,
    /// The bits of each byte are taken in reverse.
    pub reflects_data: bool,
    /// The bits of the remainder are, after the last byte.
    pub reflects_remainder: bool,
}

/// A CRC whose parameters change while the program runs. The table is its own, and goes with it.
#[derive(Clone)]
pub struct CustomCrc {
    name: &'static str,
    width: u32,
    params: CustomCrcParams,
    /// Remainders by the next byte; they are at the top of their 64 bits.
    table: Box<[u64; 256]>,
}

impl CustomCrc {
    /// BMv2's names, with the parameters that BMv2 starts with: those of the plain CRCs.
    pub fn named(name: &str) -> Option<Self> {
        let (name, standard) = match name {
            "crc16_custom" => ("crc16_custom", &CRC_16),
            "crc32_custom" => ("crc32_custom", &CRC_32),
            _ => return None,
        };
        let params = CustomCrcParams {
            polynomial: standard.poly,
            initial_remainder: standard.init,
            final_xor: standard.xorout,
            reflects_data: standard.refin,
            reflects_remainder: standard.refout,
        };
        let mut crc = Self {
            name,
            width: standard.width.into(),
            params,
            table: Box::new([0; 256]),
        };
        crc.set(params);
        Some(crc)
    }

    pub fn width(&self) -> u32 {
        self.width
    }

    /// Bits beyond the width do not count.
    pub fn set(&mut self, params: CustomCrcParams) {
        let shift = 64 - self.width;
        let low = |value: u64| value & u64::MAX >> shift;
        self.params = CustomCrcParams {
            polynomial: low(params.polynomial),
            initial_remainder: low(params.initial_remainder),
            final_xor: low(params.final_xor),
            ..params
        };
        let polynomial = self.params.polynomial << shift;
        for (byte, entry) in (0u64..).zip(self.table.iter_mut()) {
            *entry = (0..8).fold(byte << 56, |rest, _| match rest >> 63 {
                0 => rest << 1,
                _ => rest << 1 ^ polynomial,
            });
        }
    }

    pub fn compute(&self, data: &[u8]) -> u64 {
        let shift = 64 - self.width;
        let params = &self.params;
        let rest = data
            .iter()
            .fold(params.initial_remainder << shift, |rest, &byte| {
                let byte = match params.reflects_data {
                    true => byte.reverse_bits(),
                    false => byte,
                };
                rest << 8 ^ self.table[usize::from((rest >> 56) as u8 ^ byte)]
            });
        let rest = match params.reflects_remainder {
            true => rest.reverse_bits(),
            false => rest >> shift,
        };
        rest ^ params.final_xor
    }
}

/// The name and the parameters, as in BMv2's command that sets them.
impl fmt::Display for CustomCrc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let CustomCrcParams {
            polynomial,
            initial_remainder,
            final_xor,
            reflects_data,
            reflects_remainder,
        } = self.params;
        write!(
            f,
            "{} {polynomial:#x} {initial_remainder:#x} {final_xor:#x} {reflects_data} {reflects_remainder}",
            self.name
        )
    }
}

impl fmt::Debug for CustomCrc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CustomCrc({self})")
    }
}

fn spelled(name: &str) -> Option<Params> {
    let (mut digits_of_poly, mut init, mut xorout, mut reflected) = (None, 0, 0, true);
    let number = |digits: &str| u64::from_str_radix(digits, 16).ok();
    let prefixed = |token: &str| number(token.strip_prefix("0x").unwrap_or(token));
    let mut tokens = name.split('_');
    while let Some(token) = tokens.next() {
        let value = tokens.next()?;
        match token {
            "poly" => digits_of_poly = Some(value.strip_prefix("0x1")?),
            "init" => init = prefixed(value)?,
            "xout" => xorout = prefixed(value)?,
            "not" if value == "rev" => reflected = false,
            _ => return None,
        }
    }
    let digits = digits_of_poly?;
    let width = match digits.len() {
        2 => 8,
        4 => 16,
        8 => 32,
        16 => 64,
        _ => return None,
    };
    let mask = u64::MAX >> (64 - width);
    let poly = number(digits)?;
    Some(params(width, poly, init & mask, reflected, xorout & mask))
}

/// All tables of the process.
type Made = BTreeMap<(u8, u64, u64, bool, u64), &'static Tables>;

static MADE: Mutex<Made> = Mutex::new(Made::new());

/// `None` when there are as many as the limit, and these are not among them.
fn find_or_make(made: &mut Made, params: Params, limit: usize) -> Option<&'static Tables> {
    let Algorithm {
        width,
        poly,
        init,
        refin,
        xorout,
        ..
    } = params;
    let full = made.len() >= limit;
    match made.entry((width, poly, init, refin, xorout)) {
        Entry::Occupied(known) => Some(known.get()),
        Entry::Vacant(_) if full => None,
        Entry::Vacant(new) => {
            let params = Box::leak(Box::new(params));
            Some(new.insert(Box::leak(Box::new(Tables::new(params)))))
        }
    }
}
