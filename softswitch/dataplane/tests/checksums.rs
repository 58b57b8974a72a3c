// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Checksums and deparsers as machine code against the interpreter: random programs with random packets.
//!
//! The bits of `h.a` say which headers follow; ingress writes into `h.b` whether a checksum was wrong.

use std::cell::Cell;

use crate::common::*;
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::TestRunner;
use quench_dataplane::Switch;
use serde_json::{json, Value};

/// A header of fixed length: the widths of its fields.
type Fields = Vec<u32>;

/// One part of a checksum's input; a part that does not exist stands for another field.
#[derive(Clone, Debug)]
enum Part {
    Field(Index, Index),
    Header(Index),
    Constant(u64, u32),
    VarField,
    VarHeader,
    Payload,
}

#[derive(Clone, Debug)]
enum Condition {
    None,
    Valid(Index),
    /// A bound for `h.b`.
    Less(u8),
}

#[derive(Clone, Debug)]
struct Checksum {
    parts: Vec<Part>,
    condition: Condition,
    target: (Index, Index),
    algorithm: &'static str,
    verify: bool,
    update: bool,
}

#[derive(Clone, Debug)]
struct Shape {
    headers: Vec<Fields>,
    checksums: Vec<Checksum>,
    /// Changes of headers in ingress.
    added: Option<Index>,
    removed: Option<Index>,
    /// Primitives of the deparser.
    last_assigned: bool,
    /// The parser may come back to its first state, where the interpreter runs it.
    loops: bool,
}

fn fields() -> impl Strategy<Value = Fields> {
    let group = prop_oneof![
        Just(vec![8]),
        Just(vec![16]),
        Just(vec![24]),
        Just(vec![32]),
        Just(vec![48]),
        Just(vec![64]),
        Just(vec![4, 4]),
        Just(vec![3, 13]),
        Just(vec![1, 90, 5]),
    ];
    let small = prop::collection::vec(group, 1..5).prop_map(|groups| groups.concat());
    // Longer than what is copied by machine code.
    prop_oneof![9 => small, 1 => Just(vec![16; 70])]
}

fn part() -> impl Strategy<Value = Part> {
    prop_oneof![
        12 => any::<(Index, Index)>().prop_map(|(header, field)| Part::Field(header, field)),
        3 => any::<Index>().prop_map(Part::Header),
        2 => (any::<u64>(), 1u32..=8).prop_map(|(value, nbytes)| Part::Constant(value, 8 * nbytes)),
        1 => Just(Part::Constant(5, 3)),
        1 => Just(Part::VarField),
        1 => Just(Part::VarHeader),
        1 => Just(Part::Payload),
    ]
}

fn checksum() -> impl Strategy<Value = Checksum> {
    let condition = prop_oneof![
        Just(Condition::None),
        any::<Index>().prop_map(Condition::Valid),
        any::<u8>().prop_map(Condition::Less),
    ];
    let algorithm = prop_oneof![6 => Just("csum16"), 1 => Just("crc16")];
    let parts = prop::collection::vec(part(), 1..8);
    (
        parts,
        condition,
        any::<(Index, Index)>(),
        algorithm,
        any::<bool>(),
        any::<bool>(),
    )
        .prop_map(
            |(parts, condition, target, algorithm, verify, update)| Checksum {
                parts,
                condition,
                target,
                algorithm,
                verify,
                update: update || !verify,
            },
        )
}

fn shapes() -> impl Strategy<Value = Shape> {
    let headers = prop::collection::vec(fields(), 1..4);
    let checksums = prop::collection::vec(checksum(), 0..4);
    let changes = any::<(Option<Index>, Option<Index>, bool)>();
    (headers, checksums, changes, prop::bool::weighted(0.2)).prop_map(
        |(headers, checksums, (added, removed, last_assigned), loops)| Shape {
            headers,
            checksums,
            added,
            removed,
            last_assigned,
            loops,
        },
    )
}

fn extract(name: &str) -> Value {
    json!({"op": "extract", "parameters": [{"type": "regular", "value": name}]})
}

impl Shape {
    fn name(&self, header: Index) -> String {
        format!("h{}", header.index(self.headers.len()))
    }

    fn field(&self, header: Index, field: Index) -> Value {
        let widths = &self.headers[header.index(self.headers.len())];
        crate::common::field(
            &self.name(header),
            &format!("f{}", field.index(widths.len())),
        )
    }

    fn part(&self, part: &Part) -> Value {
        match *part {
            Part::Field(header, field) => self.field(header, field),
            Part::Header(of) => header(&self.name(of)),
            Part::Constant(value, bits) => {
                let value = value & (u64::MAX >> (64 - bits));
                json!({"type": "hexstr", "value": format!("{value:#x}"), "bitwidth": bits})
            }
            Part::VarField => field("v", "opt"),
            Part::VarHeader => header("v"),
            Part::Payload => json!({"type": "payload"}),
        }
    }

    fn program(&self) -> Program {
        let mut program = Program::new();
        let mut names = Vec::new();
        for (number, widths) in self.headers.iter().enumerate() {
            let fields = widths.iter().enumerate();
            let fields = fields.map(|(at, bits)| json!([format!("f{at}"), bits, false]));
            names.push(format!("h{number}"));
            program.header(&names[number], fields.collect());
        }
        program.header("v", json!([["f", 8, false], ["opt", "*"], ["g", 8, false]]));
        let types = program.json["header_types"].as_array_mut().expect("a list");
        types.last_mut().expect("the type of `v`")["max_length"] = json!(9);

        // One state for each header that may follow, and one that leads to it or past it.
        let last = names.len();
        let mut states = vec![
            json!({"name": "start", "id": 0, "parser_ops": [extract("h")],
            "transition_key": [], "transitions": [otherwise(Some("ask0"))]}),
        ];
        for number in 0..=last {
            let next = match number == last {
                true => "end".to_owned(),
                false => format!("ask{}", number + 1),
            };
            let bit = format!("{:#x}", 1 << number);
            let there = json!({"type": "hexstr", "value": bit, "mask": bit, "next_state": format!("get{number}")});
            states.push(json!({"name": format!("ask{number}"), "id": 0, "parser_ops": [],
                "transition_key": [field("h", "a")], "transitions": [there, otherwise(Some(&next))]}));
            let bits = expr("*", expr("&", field("h", "b"), hex(7)), hex(8));
            let op = match names.get(number) {
                Some(name) => extract(name),
                None => {
                    json!({"op": "extract_VL", "parameters": [{"type": "regular", "value": "v"}, bits]})
                }
            };
            states.push(
                json!({"name": format!("get{number}"), "id": 0, "parser_ops": [op],
                "transition_key": [], "transitions": [otherwise(Some(&next))]}),
            );
        }
        let again =
            json!({"type": "hexstr", "value": "0x80", "mask": "0x80", "next_state": "start"});
        let transitions = match self.loops {
            true => vec![again, otherwise(None)],
            false => vec![otherwise(None)],
        };
        states.push(json!({"name": "end", "id": 0, "parser_ops": [],
            "transition_key": [field("h", "a")], "transitions": transitions}));
        program.json["parsers"][0]["parse_states"] = json!(states);

        for (number, checksum) in self.checksums.iter().enumerate() {
            let input: Vec<Value> = checksum.parts.iter().map(|part| self.part(part)).collect();
            let name = format!("k{number}");
            program.push(
                "calculations",
                json!({"name": name, "id": number, "algo": checksum.algorithm, "input": input}),
            );
            let condition = match checksum.condition {
                Condition::None => Value::Null,
                Condition::Valid(of) => expr("d2b", Value::Null, field(&self.name(of), "$valid$")),
                Condition::Less(limit) => expr("<", field("h", "b"), hex(limit.into())),
            };
            let target = &self.field(checksum.target.0, checksum.target.1)["value"];
            let condition = &condition["value"];
            program.push(
                "checksums",
                json!({"name": format!("s{number}"), "id": number, "target": target, "type": "generic",
                    "calculation": name, "verify": checksum.verify, "update": checksum.update,
                    "if_cond": condition}),
            );
        }
        let mut primitives = vec![forward(2), assign(field("h", "b"), std("checksum_error"))];
        primitives.extend(
            self.added
                .map(|of| prim("add_header", vec![header(&self.name(of))])),
        );
        primitives.extend(
            self.removed
                .map(|of| prim("remove_header", vec![header(&self.name(of))])),
        );
        program.ingress(primitives);
        if self.last_assigned {
            let assigned = assign(field("h", "c"), hex(0xbeef));
            program.json["deparsers"][0]["primitives"] = json!([assigned]);
        }
        program
    }
}

fn otherwise(next: Option<&str>) -> Value {
    json!({"type": "default", "value": null, "mask": null, "next_state": next})
}

/// The number of times that something was seen in all cases, which guards the test itself.
#[derive(Default)]
struct Seen {
    right: Cell<u32>,
    wrong: Cell<u32>,
    longer: Cell<u32>,
    shorter: Cell<u32>,
    same: Cell<u32>,
}

fn more(count: &Cell<u32>) {
    count.set(count.get() + 1);
}

impl Seen {
    fn note(&self, sent: &[u8], got: &[u8], error: bool) {
        more(if error { &self.wrong } else { &self.right });
        more(match got.len().cmp(&sent.len()) {
            std::cmp::Ordering::Less => &self.shorter,
            std::cmp::Ordering::Equal => &self.same,
            std::cmp::Ordering::Greater => &self.longer,
        });
    }
}

#[test]
fn checksums_and_deparsers_do_the_same_as_machine_code() {
    let config = ProptestConfig {
        cases: 300,
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    let packet = (
        any::<u8>(),
        prop::collection::vec(any::<u8>(), 3..120),
        any::<bool>(),
    );
    // Zeros make sums whose complements are the two zeros of ones' complement.
    let packet = packet.prop_map(|(headers, mut rest, zero)| {
        if zero {
            rest.fill(0);
        }
        [vec![headers & 0x1f], rest].concat()
    });
    let packets = prop::collection::vec(packet, 12);
    let seen = Seen::default();
    let native = cfg!(any(target_arch = "x86_64", target_arch = "aarch64"));
    TestRunner::new(config)
        .run(&(shapes(), packets), |(shape, packets)| {
            let program = shape.program();
            let mut switches = [program.interpreted(), program.switch()];
            prop_assert!(switches[1].is_compiled() || !native);
            let mut both = |packet: &[u8]| {
                let send = |switch: &mut Switch| {
                    let errors = stat(switch, "checksum_errors");
                    let packet = match switch.is_compiled() {
                        true => implied(packet),
                        false => packet.to_vec().into(),
                    };
                    let out = send(switch, packet);
                    (out, stat(switch, "checksum_errors") - errors)
                };
                let [want, got] = switches.each_mut().map(send);
                prop_assert_eq!(&got, &want);
                Ok(got)
            };
            for packet in &packets {
                let (out, errors) = both(packet)?;
                let (_, bytes) = &out[0];
                seen.note(packet, bytes, errors > 0);
                // An updated checksum is right when it comes back, unless a later update changed its input.
                both(bytes)?;
            }
            Ok(())
        })
        .expect("the same from both");
    let counts = [
        &seen.right,
        &seen.wrong,
        &seen.longer,
        &seen.shorter,
        &seen.same,
    ];
    assert!(counts.iter().all(|count| count.get() > 50), "{counts:?}");
}
