// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Cyclic redundancy checks by table, for any polynomial of 8, 16, 32 or 64 bits.
//!
//! Parameters are those of the Rocksoft model, under the names that BMv2 knows them by.

use std::fmt;

/// Parameters of a CRC; `reflected` holds for input and output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CrcParams {
    pub width: u32,
    pub poly: u64,
    pub init: u64,
    pub xor_out: u64,
    pub reflected: bool,
}

const fn crc(width: u32, poly: u64, init: u64, xor_out: u64, reflected: bool) -> CrcParams {
    CrcParams {
        width,
        poly,
        init,
        xor_out,
        reflected,
    }
}

const ONES64: u64 = u64::MAX;

/// Names and parameters.
const CATALOGUE: &[(&str, CrcParams)] = &[
    ("crc8_custom", crc(8, 0x07, 0, 0, false)),
    ("crc_8", crc(8, 0x07, 0, 0, false)),
    ("crc_8_darc", crc(8, 0x39, 0, 0, true)),
    ("crc_8_i_code", crc(8, 0x1d, 0xfd, 0, false)),
    ("crc_8_itu", crc(8, 0x07, 0, 0x55, false)),
    ("crc_8_maxim", crc(8, 0x31, 0, 0, true)),
    ("crc_8_rohc", crc(8, 0x07, 0xff, 0, true)),
    ("crc_8_wcdma", crc(8, 0x9b, 0, 0, true)),
    ("crc16", crc(16, 0x8005, 0, 0, true)),
    ("crc16_custom", crc(16, 0x8005, 0, 0, true)),
    ("crc_16", crc(16, 0x8005, 0, 0, true)),
    ("crc_16_buypass", crc(16, 0x8005, 0, 0, false)),
    ("crc_16_dds_110", crc(16, 0x8005, 0x800d, 0, false)),
    ("crc_16_dect", crc(16, 0x0589, 0, 0x0001, false)),
    ("crc_16_dnp", crc(16, 0x3d65, 0, 0xffff, true)),
    ("crc_16_en_13757", crc(16, 0x3d65, 0, 0xffff, false)),
    ("crc_16_genibus", crc(16, 0x1021, 0xffff, 0xffff, false)),
    ("crc_16_maxim", crc(16, 0x8005, 0, 0xffff, true)),
    ("crc_16_mcrf4xx", crc(16, 0x1021, 0xffff, 0, true)),
    ("crc_16_riello", crc(16, 0x1021, 0xb2aa, 0, true)),
    ("crc_16_t10_dif", crc(16, 0x8bb7, 0, 0, false)),
    ("crc_16_teledisk", crc(16, 0xa097, 0, 0, false)),
    ("crc_16_usb", crc(16, 0x8005, 0xffff, 0xffff, true)),
    ("x_25", crc(16, 0x1021, 0xffff, 0xffff, true)),
    ("xmodem", crc(16, 0x1021, 0, 0, false)),
    ("modbus", crc(16, 0x8005, 0xffff, 0, true)),
    ("kermit", crc(16, 0x1021, 0, 0, true)),
    ("crcCCITT", crc(16, 0x1021, 0xffff, 0, false)),
    ("crc_ccitt_false", crc(16, 0x1021, 0xffff, 0, false)),
    ("crc_aug_ccitt", crc(16, 0x1021, 0x1d0f, 0, false)),
    (
        "crc32",
        crc(32, 0x04c1_1db7, 0xffff_ffff, 0xffff_ffff, true),
    ),
    (
        "crc32_custom",
        crc(32, 0x04c1_1db7, 0xffff_ffff, 0xffff_ffff, true),
    ),
    (
        "crc_32",
        crc(32, 0x04c1_1db7, 0xffff_ffff, 0xffff_ffff, true),
    ),
    (
        "crc_32_bzip2",
        crc(32, 0x04c1_1db7, 0xffff_ffff, 0xffff_ffff, false),
    ),
    (
        "crc_32c",
        crc(32, 0x1edc_6f41, 0xffff_ffff, 0xffff_ffff, true),
    ),
    (
        "crc_32d",
        crc(32, 0xa833_982b, 0xffff_ffff, 0xffff_ffff, true),
    ),
    ("crc_32_mpeg", crc(32, 0x04c1_1db7, 0xffff_ffff, 0, false)),
    ("posix", crc(32, 0x04c1_1db7, 0, 0xffff_ffff, false)),
    ("crc_32q", crc(32, 0x8141_41ab, 0, 0, false)),
    ("jamcrc", crc(32, 0x04c1_1db7, 0xffff_ffff, 0, true)),
    ("xfer", crc(32, 0x0000_00af, 0, 0, false)),
    ("crc64_custom", crc(64, 0x1b, 0, 0, true)),
    ("crc_64", crc(64, 0x1b, 0, 0, true)),
    (
        "crc_64_we",
        crc(64, 0x42f0_e1eb_a9ea_3693, ONES64, ONES64, false),
    ),
    (
        "crc_64_jones",
        crc(64, 0xad93_d235_94c9_35a9, ONES64, 0, true),
    ),
];

impl CrcParams {
    /// A catalogue name, or `poly_0x1..._init_0x..._xout_0x...` with `not_rev` for one that is not reflected.
    pub fn named(name: &str) -> Option<Self> {
        let known = CATALOGUE.iter().find(|(known, _)| *known == name);
        known
            .map(|&(_, params)| params)
            .or_else(|| Self::spelled(name))
    }

    fn spelled(name: &str) -> Option<Self> {
        let mut params = crc(0, 0, 0, 0, true);
        let number = |token: &str| {
            let digits = token.strip_prefix("0x").unwrap_or(token);
            u64::from_str_radix(digits, 16).ok()
        };
        let mut tokens = name.split('_');
        while let Some(token) = tokens.next() {
            let value = tokens.next()?;
            match token {
                "poly" => {
                    let digits = value.strip_prefix("0x1")?;
                    params.width = 4 * digits.len() as u32;
                    params.poly = number(digits)?;
                }
                "init" => params.init = number(value)?,
                "xout" => params.xor_out = number(value)?,
                "not" if value == "rev" => params.reflected = false,
                _ => return None,
            }
        }
        let mask = u64::MAX >> (64 - params.width.clamp(1, 64));
        params.init &= mask;
        params.xor_out &= mask;
        matches!(params.width, 8 | 16 | 32 | 64).then_some(params)
    }
}

/// A CRC with its table.
#[derive(Clone)]
pub struct Crc {
    params: CrcParams,
    mask: u64,
    table: Box<[u64; 256]>,
}

impl fmt::Debug for Crc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.params.fmt(f)
    }
}

impl Crc {
    pub fn new(params: CrcParams) -> Self {
        let mask = u64::MAX >> (64 - params.width);
        let top = 1u64 << (params.width - 1);
        let reversed_poly = params.poly.reverse_bits() >> (64 - params.width);
        let mut table = Box::new([0u64; 256]);
        for (byte, entry) in table.iter_mut().enumerate() {
            let mut rest = byte as u64;
            if params.reflected {
                for _ in 0..8 {
                    rest = if rest & 1 == 1 {
                        rest >> 1 ^ reversed_poly
                    } else {
                        rest >> 1
                    };
                }
            } else {
                rest <<= params.width - 8;
                for _ in 0..8 {
                    rest = if rest & top != 0 {
                        rest << 1 ^ params.poly
                    } else {
                        rest << 1
                    };
                }
            }
            *entry = rest & mask;
        }
        Self {
            params,
            mask,
            table,
        }
    }

    pub fn compute(&self, data: &[u8]) -> u64 {
        let CrcParams {
            width,
            init,
            xor_out,
            reflected,
            ..
        } = self.params;
        let rest = if reflected {
            let start = init.reverse_bits() >> (64 - width);
            data.iter().fold(start, |rest, &byte| {
                rest >> 8 ^ self.table[usize::from(rest as u8 ^ byte)]
            })
        } else {
            data.iter().fold(init, |rest, &byte| {
                rest << 8 ^ self.table[usize::from((rest >> (width - 8)) as u8 ^ byte)]
            })
        };
        (rest ^ xor_out) & self.mask
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Check values (the CRC of "123456789") from the catalogue of parametrised CRC algorithms (reveng.sourceforge.io).
    #[test]
    fn check_values() {
        for (name, check) in [
            ("crc_8", 0xf4),
            ("crc_8_itu", 0xa1),
            ("crc_8_maxim", 0xa1),
            ("crc_8_rohc", 0xd0),
            ("crc_8_wcdma", 0x25),
            ("crc_8_darc", 0x15),
            ("crc_8_i_code", 0x7e),
            ("crc16", 0xbb3d),
            ("crc_16_buypass", 0xfee8),
            ("crc_16_dds_110", 0x9ecf),
            ("crc_16_dect", 0x007e),
            ("crc_16_dnp", 0xea82),
            ("crc_16_en_13757", 0xc2b7),
            ("crc_16_genibus", 0xd64e),
            ("crc_16_maxim", 0x44c2),
            ("crc_16_mcrf4xx", 0x6f91),
            ("crc_16_riello", 0x63d0),
            ("crc_16_t10_dif", 0xd0db),
            ("crc_16_teledisk", 0x0fb3),
            ("crc_16_usb", 0xb4c8),
            ("x_25", 0x906e),
            ("xmodem", 0x31c3),
            ("modbus", 0x4b37),
            ("kermit", 0x2189),
            ("crcCCITT", 0x29b1),
            ("crc_aug_ccitt", 0xe5cc),
            ("crc32", 0xcbf4_3926),
            ("crc_32_bzip2", 0xfc89_1918),
            ("crc_32c", 0xe306_9283),
            ("crc_32d", 0x8731_5576),
            ("crc_32_mpeg", 0x0376_e6e7),
            ("posix", 0x765e_7680),
            ("crc_32q", 0x3010_bf7f),
            ("jamcrc", 0x340b_c6d9),
            ("xfer", 0xbd0b_e338),
            ("crc_64_we", 0x62ec_59e3_f1a4_f00a),
            (
                "poly_0x104c11db7_init_0xffffffff_xout_0xffffffff",
                0xcbf4_3926,
            ),
            ("poly_0x11021_not_rev", 0x31c3),
        ] {
            let crc = Crc::new(CrcParams::named(name).unwrap());
            assert_eq!(crc.compute(b"123456789"), check, "{name}");
        }
        for unknown in [
            "crc7",
            "poly_0x11",
            "poly_0x8005",
            "poly_0x11021_lsb_x",
            "init_0x1",
        ] {
            assert_eq!(CrcParams::named(unknown), None, "{unknown}");
        }
    }
}
