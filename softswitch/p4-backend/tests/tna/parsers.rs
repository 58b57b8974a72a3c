// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Parsers: port metadata, the counter, checksum units, rejection.

use serde_json::json;

use super::program::Program;

#[test]
fn reject_is_a_state_that_ends_parsing() {
    let program = Program {
        start: "transition select(hdr.data.a) { 1: accept; default: reject; }",
        ..Program::default()
    };
    let json = program.json();
    assert_eq!(json.state(0, "reject"), ["reject"]);
    let start = &json.0["parsers"][0]["parse_states"][0];
    assert_eq!(start["transitions"][1]["next_state"], "reject");
    assert!(!json.0["parsers"][1].to_string().contains("reject"));
}

#[test]
fn ingress_drops_packets_with_errors_unless_the_program_reads_the_error() {
    let json = Program::default().json();
    assert_eq!(json.0["parsers"][0]["drop_on_error"], true);
    assert!(json.0["parsers"][1].get("drop_on_error").is_none());
    let program = Program {
        apply: "if (prsr.parser_err != 0) { dprsr.drop_ctl = 1; }",
        ..Program::default()
    };
    assert!(program.json().0["parsers"][0]
        .get("drop_on_error")
        .is_none());
}

#[test]
fn port_metadata_are_the_next_8_bytes() {
    let program = Program {
        types: "header port_t { bit<16> vrf; bit<8> zone; }",
        metadata: "port_t port;",
        start: "md.port = port_metadata_unpack<port_t>(pkt); transition accept;",
        ..Program::default()
    };
    let json = program.json();
    let start = json.state(0, "start");
    assert_eq!(
        start[start.len() - 5..],
        [
            "add_header tmp",
            "set tmp.vrf 0.16",
            "set tmp.zone 16.8",
            "advance 0x00000040",
            "assign_header ingress_metadata.port tmp"
        ]
    );
    let large = Program {
        types: "header port_t { bit<72> vrf; }",
        metadata: "port_t port;",
        start: "md.port = port_metadata_unpack<port_t>(pkt); transition accept;",
        ..Program::default()
    };
    assert_eq!(
        large.error(),
        "not supported: port metadata of more than 64 bits"
    );
}

#[test]
fn the_counter_has_8_bits_and_a_sign() {
    let program = Program {
        parser_locals: "ParserCounter() counter; ParserPriority() priority;",
        start: "priority.set(2); counter.set(8w3); transition next;",
        states: "state next { counter.decrement(1); counter.increment(2);
                transition select(counter.is_zero(), counter.is_negative()) {
                    (true, _): accept; (_, true): reject; default: next; } }",
        ..Program::default()
    };
    let json = program.json();
    assert_eq!(
        json.state(0, "start").last().map(String::as_str),
        Some("set scalars.ingress_parser_counter 0x03")
    );
    let counter = "scalars.ingress_parser_counter";
    assert_eq!(
        json.state(0, "next"),
        [
            format!("set {counter} (({counter} - 0x01) two_comp_mod 0x8)"),
            format!("set {counter} (({counter} + 0x02) two_comp_mod 0x8)"),
            format!("set scalars.tmp b2d(({counter} == 0x00))"),
            format!("set scalars.tmp_1 b2d(({counter} < 0x00))"),
        ]
    );
}

#[test]
fn the_counter_from_a_field_is_checked_rotated_and_masked() {
    let program = Program {
        parser_locals: "ParserCounter() counter;",
        start: "counter.set(hdr.data.d, 15, 2, 3, 0xfb); transition accept;",
        ..Program::default()
    };
    let json = program.json();
    let errors = super::program::list(&json.0["errors"]);
    let code = errors
        .iter()
        .find(|error| error[0] == "CounterRange")
        .expect("an error");
    let code = code[1].as_u64().expect("a code");
    let start = json.state(0, "start");
    assert_eq!(
        start[start.len() - 2..],
        [
            format!("verify (ingress.data.d <= 0x0f) 0x{code:08x}"),
            "set scalars.ingress_parser_counter (((((ingress.data.d >> 0x02) | (ingress.data.d << 0x06)) & 0x0f) + 0xfb) two_comp_mod 0x8)".to_owned(),
        ]
    );
}

#[test]
fn a_checksum_unit_adds_and_says_whether_the_sum_is_wrong() {
    let program = Program {
        parser_locals: "Checksum() sum;",
        metadata: "bool bad; bit<16> rest;",
        start: "sum.add(hdr.data); md.bad = sum.verify(); md.rest = sum.get(); transition accept;",
        ..Program::default()
    };
    let json = program.json();
    let start = json.state(0, "start");
    let sum = "scalars.checksum_sum";
    assert_eq!(
        start[start.len() - 4..],
        [
            format!("hash {sum} calc"),
            format!("set {sum} ({sum} ^ 0xffff)"),
            format!("set scalars.ingress_metadata.bad b2d(({sum} != 0xffff))"),
            format!("set scalars.ingress_metadata.rest ({sum} ^ 0xffff)"),
        ]
    );
    let calculation = json.object("calculations", "calc");
    assert_eq!(calculation["algo"], "csum16");
    assert_eq!(
        calculation["input"][0],
        json!({"type": "field", "value": ["scalars", "checksum_sum"]})
    );
    assert_eq!(super::program::list(&calculation["input"]).len(), 6);
}

#[test]
fn a_residual_subtracts_the_headers_that_follow() {
    let program = Program {
        parser_locals: "Checksum() sum;",
        types: "header tail_t { bit<8> t; }",
        headers: "tail_t tail; tail_t end;",
        metadata: "bit<16> rest;",
        start:
            "sum.subtract({hdr.data.c}); sum.subtract_all_and_deposit(md.rest); transition more;",
        states: "state more { pkt.extract(hdr.tail); pkt.extract(hdr.end); transition accept; }",
        ..Program::default()
    };
    let json = program.json();
    let inputs: Vec<String> = super::program::list(&json.0["calculations"])
        .iter()
        .map(|calculation| {
            let input = super::program::list(&calculation["input"]).iter();
            input
                .map(super::program::expression)
                .collect::<Vec<_>>()
                .join(" ")
        })
        .collect();
    let expected = [
        "scalars.checksum_sum ingress.data.c",
        "scalars.checksum_sum ingress.tail.t",
        // Behind an odd number of bytes.
        "scalars.checksum_sum 0x00 ingress.tail.t",
        "scalars.checksum_sum 0x00 ingress.end.t",
    ];
    for input in expected {
        assert!(
            inputs.iter().any(|found| found == input),
            "{input} in {inputs:?}"
        );
    }
    let parser = json.0["parsers"][0].to_string();
    assert!(parser.contains("checksum_deposits") && parser.contains("checksum_odd"));
}

/// A program whose unit deposits in the states `one` and `two`.
fn two_deposits(transitions: [&str; 2]) -> String {
    let [one, two] = transitions;
    format!(
        "state one {{ pkt.extract(hdr.tail); sum.subtract_all_and_deposit(md.rest); transition {one}; }}
         state two {{ pkt.extract(hdr.tail); sum.subtract_all_and_deposit(md.other); transition {two}; }}
         state more {{ pkt.extract(hdr.end); transition accept; }}"
    )
}

fn with_states(states: &str) -> Program<'_> {
    Program {
        parser_locals: "Checksum() sum;",
        types: "header tail_t { bit<16> t; }",
        headers: "tail_t tail; tail_t end;",
        metadata: "bit<16> rest; bit<16> other;",
        start: "transition select(hdr.data.a) { 1: one; 2: two; default: accept; }",
        states,
        ..Program::default()
    }
}

#[test]
fn deposits_of_one_unit_in_states_that_exclude_each_other() {
    let states = two_deposits(["more", "more"]);
    let json = with_states(&states).json();
    let parser = json.0["parsers"][0].to_string();
    assert!(parser.contains("checksum_deposits") && parser.contains("ingress_metadata.other"));
}

#[test]
fn deposits_of_one_unit_for_one_packet_are_refused() {
    for transitions in [["two", "more"], ["more", "one"], ["one", "two"]] {
        let states = two_deposits(transitions);
        let program = with_states(&states);
        match transitions {
            // Each of them again and again.
            ["one", "two"] => drop(program.json()),
            _ => assert_eq!(
                program.error(),
                "not supported: a packet for which subtract_all_and_deposit of one checksum unit is called twice"
            ),
        }
    }
}

#[test]
fn one_unit_either_adds_or_subtracts() {
    let program = Program {
        parser_locals: "Checksum() sum;",
        start: "sum.add(hdr.data); sum.subtract({hdr.data.c}); transition accept;",
        ..Program::default()
    };
    assert_eq!(
        program.error(),
        "not supported: both `add` and `subtract` of one checksum unit"
    );
}

#[test]
fn verify_has_no_effect() {
    let program = Program {
        start: "verify(hdr.data.a == 1, error.NoMatch); transition accept;",
        ..Program::default()
    };
    assert_eq!(
        program.json().state(0, "start").last().map(String::as_str),
        Some("extract ingress.data")
    );
}

#[test]
fn a_value_set_can_match_one_of_several_keys() {
    let program = Program {
        parser_locals: "value_set<bit<32>>(4) known;",
        start: "transition select(hdr.data.a, hdr.data.d) {
            (1, 2): accept; (known, 3): reject; (known, _): more; default: accept; }",
        states: "state more { transition accept; }",
        ..Program::default()
    };
    let json = program.json();
    assert_eq!(json.0["parse_vsets"][0]["compressed_bitwidth"], 32);
    let states = super::program::list(&json.0["parsers"][0]["parse_states"]);
    let chosen = |name: &str| {
        let state = states.iter().find(|state| state["name"] == name);
        let state = state.expect("the parser has the state");
        let transitions = super::program::list(&state["transitions"]).iter();
        let chosen = transitions.map(|t| (t["value"].as_str(), t["next_state"].as_str()));
        (
            super::program::list(&state["transition_key"]).len(),
            chosen.collect::<Vec<_>>(),
        )
    };
    // The case before it; then the set alone, the other key, and the cases after it in the same way.
    let known = Some("pipe.IP.known");
    assert_eq!(
        chosen("start"),
        (
            2,
            vec![(Some("0x0000000102"), None), (None, Some("start_3"))]
        )
    );
    assert_eq!(
        chosen("start_3"),
        (1, vec![(known, Some("start_2")), (None, Some("start_1"))])
    );
    assert_eq!(
        chosen("start_2"),
        (
            2,
            vec![
                (Some("0x0000000003"), Some("reject")),
                (None, Some("start_1"))
            ]
        )
    );
    assert_eq!(
        chosen("start_1"),
        (1, vec![(known, Some("more")), (None, None)])
    );
}
