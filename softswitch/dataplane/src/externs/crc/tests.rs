// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

use super::*;
use proptest::prelude::*;

const DIGITS: &[u8] = b"123456789";

fn compute(name: &str, data: &[u8]) -> u64 {
    Crc::named(name).expect("a known name").compute(data)
}

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
        assert_eq!(compute(name, DIGITS), check, "{name}");
    }
    for unknown in [
        "crc7",
        "poly_0x11",
        "poly_0x8005",
        "poly_0x11021_lsb_x",
        "init_0x1",
    ] {
        let error = Crc::named(unknown).expect_err(unknown);
        assert_eq!(error, HashError::Unknown(unknown.to_owned()));
    }
}

/// Long division, a bit at a time.
fn by_definition(params: &Params, data: &[u8]) -> u64 {
    let width = u32::from(params.width);
    let (mask, top) = (u64::MAX >> (64 - width), 1 << (width - 1));
    let mut rest = params.init;
    for byte in data {
        let byte = if params.refin {
            byte.reverse_bits()
        } else {
            *byte
        };
        for bit in (0..8).rev() {
            let carry = (rest & top != 0) ^ (byte >> bit & 1 == 1);
            rest = (rest << 1 & mask) ^ if carry { params.poly } else { 0 };
        }
    }
    if params.refout {
        rest = rest.reverse_bits() >> (64 - width);
    }
    rest ^ params.xorout
}

#[test]
fn every_name_has_the_parameters_of_the_definition() {
    for (name, params) in CATALOGUE {
        let got = compute(name, DIGITS);
        assert_eq!(got, by_definition(params, DIGITS), "{name}");
        assert!(params.check == 0 || got == params.check, "{name}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn spelled_parameters_of_any_width(
        digits in prop::sample::select(vec![2usize, 4, 8, 16]),
        numbers in any::<[u64; 3]>(),
        reflected in any::<bool>(),
        data in prop::collection::vec(any::<u8>(), 0..40),
    ) {
        let width = 4 * digits as u8;
        let [poly, init, xorout] = numbers.map(|number| number >> (64 - width));
        let not_rev = if reflected { "" } else { "_not_rev" };
        let name = format!("poly_0x1{poly:0digits$x}_init_0x{init:x}_xout_0x{xorout:x}{not_rev}");
        let spelled = spelled(&name).expect("a name of this form");
        prop_assert_eq!(spelled, params(width, poly, init, reflected, xorout));
        // Not by name: that would use up the process's CRCs.
        let tables = find_or_make(&mut Made::new(), spelled, 1).expect("there is room");
        prop_assert_eq!(Crc(tables.digest()).compute(&data), by_definition(&spelled, &data));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// The xor comes before the result is reversed.
    #[test]
    fn parameters_of_any_width(
        width in 8u32..=64,
        numbers in any::<[u64; 3]>(),
        reversed in any::<bool>(),
        data in prop::collection::vec(any::<u8>(), 0..40),
    ) {
        let [poly, init, xor] = numbers;
        let params = CrcParams { width, poly, reversed, init, xor }.params();
        let tables = find_or_make(&mut Made::new(), params, 1).expect("there is room");
        let plain = Params { refout: false, xorout: 0, ..params };
        let mask = u64::MAX >> (64 - width);
        let want = by_definition(&plain, &data) ^ xor & mask;
        let want = if reversed { want.reverse_bits() >> (64 - width) } else { want };
        prop_assert_eq!(Crc(tables.digest()).compute(&data), want);
    }
}

fn custom(name: &str, numbers: [u64; 3], reflections: [bool; 2]) -> CustomCrc {
    let mut crc = CustomCrc::named(name).expect("a custom CRC");
    let [polynomial, initial_remainder, final_xor] = numbers;
    let [reflects_data, reflects_remainder] = reflections;
    crc.set(CustomCrcParams {
        polynomial,
        initial_remainder,
        final_xor,
        reflects_data,
        reflects_remainder,
    });
    crc
}

/// The check values are those of the catalogue of parametrised CRC algorithms.
#[test]
fn custom_crcs_have_the_known_check_values() {
    for (name, numbers, reflections, check) in [
        ("crc16_custom", [0x8005, 0, 0], [true; 2], 0xbb3d),
        ("crc16_custom", [0x8005, 0xffff, 0], [true; 2], 0x4b37),
        ("crc16_custom", [0x1021, 0xffff, 0], [false; 2], 0x29b1),
        ("crc16_custom", [0x1021, 0, 0], [false; 2], 0x31c3),
        ("crc16_custom", [0x1021, 0, 0], [true; 2], 0x2189),
        ("crc16_custom", [0x1021, 0xffff, 0xffff], [true; 2], 0x906e),
        ("crc16_custom", [0x3d65, 0, 0xffff], [true; 2], 0xea82),
        (
            "crc32_custom",
            [0x04c1_1db7, u64::MAX, u64::MAX],
            [true; 2],
            0xcbf4_3926,
        ),
        (
            "crc32_custom",
            [0x1edc_6f41, 0xffff_ffff, 0xffff_ffff],
            [true; 2],
            0xe306_9283,
        ),
        (
            "crc32_custom",
            [0x04c1_1db7, 0xffff_ffff, 0xffff_ffff],
            [false; 2],
            0xfc89_1918,
        ),
        (
            "crc32_custom",
            [0x04c1_1db7, 0xffff_ffff, 0],
            [false; 2],
            0x0376_e6e7,
        ),
        ("crc32_custom", [0x8141_41ab, 0, 0], [false; 2], 0x3010_bf7f),
        ("crc32_custom", [0x0000_00af, 0, 0], [false; 2], 0xbd0b_e338),
    ] {
        let crc = custom(name, numbers, reflections);
        assert_eq!(crc.compute(DIGITS), check, "{crc}");
    }
    assert_eq!(custom_default("crc16_custom"), compute("crc16", DIGITS));
    assert_eq!(custom_default("crc32_custom"), compute("crc32", DIGITS));
    assert!(CustomCrc::named("crc64_custom").is_none());
}

fn custom_default(name: &str) -> u64 {
    let crc = CustomCrc::named(name).expect("a custom CRC");
    crc.compute(DIGITS)
}

#[test]
fn a_custom_crc_is_shown_as_it_is_set() {
    let crc = custom("crc16_custom", [0x1_1021, 0xffff, 0], [false, true]);
    assert_eq!(crc.to_string(), "crc16_custom 0x1021 0xffff 0x0 false true");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn custom_crcs_are_the_division_by_their_polynomial(
        wide in any::<bool>(),
        numbers in any::<[u64; 3]>(),
        reflections in any::<[bool; 2]>(),
        data in prop::collection::vec(any::<u8>(), 0..60),
    ) {
        let (name, width) = if wide { ("crc32_custom", 32) } else { ("crc16_custom", 16) };
        let [poly, init, xorout] = numbers.map(|number| number & ((1 << width) - 1));
        let [refin, refout] = reflections;
        let params = Params { refin, refout, ..params(width, poly, init, false, xorout) };
        prop_assert_eq!(custom(name, numbers, reflections).compute(&data), by_definition(&params, &data));
    }
}

#[test]
fn tables_are_made_once_and_are_limited() {
    let mut made = Made::new();
    let spelled = |poly| params(32, poly, 0, true, 0);
    for poly in 0..3 {
        assert!(find_or_make(&mut made, spelled(poly), 3).is_some());
    }
    assert!(find_or_make(&mut made, spelled(3), 3).is_none());
    let again = find_or_make(&mut made, spelled(1), 3).expect("it is there");
    assert_eq!(*again.algorithm, spelled(1));
    assert_eq!(made.len(), 3);
    assert!(find_or_make(&mut made, CRC_16, usize::MAX).is_some());
}
