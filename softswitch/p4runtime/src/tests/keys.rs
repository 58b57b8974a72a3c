// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

use super::*;

#[test]
fn values_have_the_bytes_of_their_bits() {
    let nine = value("v", 16, 9);
    assert_eq!(nine.decode(&[0, 0, 1, 0xff]).unwrap(), [1, 0xff]);
    assert_eq!(nine.decode(&[7]).unwrap(), [0, 7]);
    assert_eq!(nine.max(), [1, 0xff]);
    assert_eq!(nine.decode_mask(&[0xff, 0xff]).unwrap(), [1, 0xff]);
    assert!(value("v", 0, 0).decode(&[0]).unwrap().is_empty());
    let refused = [
        (&[][..], "v: an empty byte string is not a value"),
        (&[2, 0], "v: 0x200 does not fit the data plane's 9 bits"),
        (&[1, 0, 0], "v: 0x010000 does not fit in 16 bits"),
        (&[9; 33], "v: a value of 33 bytes does not fit in 16 bits"),
    ];
    for (bytes, message) in refused {
        let want = (ErrorCode::OutOfRange, message.to_owned());
        assert_eq!(told(nine.decode(bytes)), want);
    }
    let port = ValueType {
        cpu_port: Some(510),
        ..value("p", 32, 9)
    };
    assert_eq!(port.decode(&[0xff, 0xff, 0xff, 0xfd]).unwrap(), [1, 0xfe]);
    assert!(port.decode(&[0xff, 0xff, 0xff, 0xfe]).is_err());
    let narrow = ValueType { bits: 8, ..port };
    let message = "p: 0x1fe does not fit the data plane's 8 bits".to_owned();
    let want = (ErrorCode::OutOfRange, message);
    assert_eq!(told(narrow.decode(&[0xff, 0xff, 0xff, 0xfd])), want);
}

#[test]
fn keys_have_the_data_planes_order_and_say_what_is_wrong() {
    let form = form_of_each_kind();
    let exact = given(1, MatchType::Exact(one(&[5])));
    let full = [
        given(5, MatchType::Optional(one(&[6]))),
        given(4, MatchType::Range(two(&[1], &[0xf, 0xff]))),
        given(3, MatchType::Ternary(two(&[2], &[2]))),
        given(2, MatchType::Lpm(lpm(&[0xa, 0xb0], 8))),
        exact.clone(),
    ];
    let key = form.decode(&full).unwrap();
    let want = [
        MatchField::Exact(vec![0, 5]),
        MatchField::Lpm(vec![0xa, 0xb0], 8),
        MatchField::Ternary(vec![0, 2], vec![0, 2]),
        MatchField::Range(vec![0, 1], vec![0xf, 0xff]),
        MatchField::Ternary(vec![0, 6], vec![0xf, 0xff]),
    ];
    assert_eq!(key, want);
    let open = form.decode(std::slice::from_ref(&exact)).unwrap();
    assert_eq!(
        open[1..],
        [
            MatchField::DontCare,
            MatchField::DontCare,
            MatchField::DontCare,
            MatchField::DontCare
        ]
    );
    let wrong = [
        (vec![], "field 1 is an exact match and has to be given"),
        (vec![exact.clone(), exact], "field 1 is given twice"),
        (
            vec![given(9, MatchType::Exact(one(&[1])))],
            "table 't' has no match field with id 9",
        ),
        (
            vec![given(1, MatchType::Lpm(lpm(&[1], 1)))],
            "field 1 is matched exact, the request gives lpm",
        ),
        (
            vec![m::FieldMatch {
                field_id: 2,
                given: None,
            }],
            "field 2 is matched lpm, the request gives nothing",
        ),
        (
            vec![given(2, MatchType::Lpm(lpm(&[1], 0)))],
            "field 2: leave a match out instead of giving it a prefix of 0 bits",
        ),
        (
            vec![given(2, MatchType::Lpm(lpm(&[1], -1)))],
            "field 2: a prefix of -1 bits does not fit 12 bits",
        ),
        (
            vec![given(2, MatchType::Lpm(lpm(&[0xa, 0xb8], 8)))],
            "field 2: 0xab8 has bits outside its 8 bit prefix",
        ),
        (
            vec![given(2, MatchType::Lpm(lpm(&[0xa, 0xb8], 2)))],
            "field 2: 0xab8 has bits outside its 2 bit prefix",
        ),
        (
            vec![given(3, MatchType::Ternary(two(&[3], &[2])))],
            "field 3: value 0x3 has bits outside its mask 0x2",
        ),
        (
            vec![given(3, MatchType::Ternary(two(&[0], &[0])))],
            "field 3: leave a match out instead of giving it an empty mask",
        ),
        (
            vec![given(4, MatchType::Range(two(&[3], &[2])))],
            "field 4: range 0x3..0x2 is empty",
        ),
        (
            vec![given(4, MatchType::Range(two(&[0], &[0xf, 0xff])))],
            "field 4: leave a match out instead of giving it the full range",
        ),
    ];
    for (matches, message) in wrong {
        let want = (ErrorCode::InvalidArgument, message.to_owned());
        assert_eq!(told(form.decode(&matches)), want);
    }
}
