// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Compiles small programs and runs them on the embedded data plane.

use std::path::Path;

use quench_dataplane::{Output, Switch, SwitchConfig};
use quench_p4_backend::compile_text;
use quench_p4_frontend::Options;
use serde_json::Value;

/// The parts of a v1model program; those that are left out are empty.
#[derive(Default)]
pub struct Program<'a> {
    /// Before the structs, which may use the types.
    pub types: &'a str,
    /// Members of the headers' struct after `data_t data`.
    pub headers: &'a str,
    pub metadata: &'a str,
    /// After the structs.
    pub declarations: &'a str,
    /// Locals and states after `start`'s extraction; `transition accept;` where it is empty.
    pub start: &'a str,
    pub states: &'a str,
    pub locals: &'a str,
    pub apply: &'a str,
    pub egress: &'a str,
    /// After the emission of `data`.
    pub deparse: &'a str,
    pub verify: &'a str,
    pub update: &'a str,
}

impl Program<'_> {
    pub fn text(&self) -> String {
        let or = |text: &str, other: &str| if text.is_empty() { other } else { text }.to_owned();
        format!(
            r#"#include <core.p4>
#include <v1model.p4>
header data_t {{ bit<32> a; bit<32> b; bit<8> c; bit<8> d; bit<16> e; }}
{types}
struct headers_t {{ data_t data; {headers} }}
struct meta_t {{ {metadata} }}
{declarations}
parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {{
    state start {{ packet.extract(hdr.data); {start} }}
    {states}
}}
control V(inout headers_t hdr, inout meta_t meta) {{ apply {{ {verify} }} }}
control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {{
    {locals}
    apply {{ std.egress_spec = 1; {apply} }}
}}
control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {{ apply {{ {egress} }} }}
control C(inout headers_t hdr, inout meta_t meta) {{ apply {{ {update} }} }}
control D(packet_out packet, in headers_t hdr) {{ apply {{ packet.emit(hdr.data); {deparse} }} }}
V1Switch(P(), V(), I(), E(), C(), D()) main;
"#,
            types = self.types,
            headers = self.headers,
            metadata = self.metadata,
            declarations = self.declarations,
            start = or(self.start, "transition accept;"),
            states = self.states,
            verify = self.verify,
            locals = self.locals,
            apply = self.apply,
            egress = self.egress,
            update = self.update,
            deparse = self.deparse,
        )
    }

    pub fn json(&self) -> Value {
        json(&self.text())
    }

    /// The only packet that comes out for one that comes in at port 0.
    pub fn run(&self, packet: &[u8]) -> Option<(u32, Vec<u8>)> {
        run(&self.text(), packet)
    }

    /// Fields a to e of the data header when it comes out on port 1.
    pub fn data(&self, fields: [u64; 5]) -> [u64; 5] {
        let (port, bytes) = self.run(&data(fields)).expect("a packet comes out");
        assert_eq!(port, 1);
        fields_of(&bytes)
    }
}

/// A data header.
pub fn data([a, b, c, d, e]: [u64; 5]) -> Vec<u8> {
    let mut bytes = Vec::new();
    bytes.extend((a as u32).to_be_bytes());
    bytes.extend((b as u32).to_be_bytes());
    bytes.extend([c as u8, d as u8]);
    bytes.extend((e as u16).to_be_bytes());
    bytes
}

fn fields_of(bytes: &[u8]) -> [u64; 5] {
    let number =
        |range: std::ops::Range<usize>| bytes[range].iter().fold(0, |n, &b| n << 8 | u64::from(b));
    [
        number(0..4),
        number(4..8),
        number(8..9),
        number(9..10),
        number(10..12),
    ]
}

pub fn json(text: &str) -> Value {
    match compile_text(Path::new("test.p4"), text, &Options::default()) {
        Ok(compiled) => serde_json::from_str(&compiled.json).expect("the compiler writes JSON"),
        Err(failure) => panic!("{failure}"),
    }
}

/// The first line of the only error.
pub fn error(text: &str) -> String {
    match compile_text(Path::new("test.p4"), text, &Options::default()) {
        Ok(_) => panic!("the program compiles"),
        Err(failure) => failure
            .to_string()
            .lines()
            .find(|line| line.contains(" error: "))
            .unwrap_or("")
            .to_owned(),
    }
}

pub fn run(text: &str, packet: &[u8]) -> Option<(u32, Vec<u8>)> {
    run_with(text, &Options::default(), packet)
}

pub fn run_with(text: &str, options: &Options, packet: &[u8]) -> Option<(u32, Vec<u8>)> {
    let compiled = match compile_text(Path::new("test.p4"), text, options) {
        Ok(compiled) => compiled,
        Err(failure) => panic!("{failure}"),
    };
    let mut switch = Switch::new(SwitchConfig::default());
    switch
        .load_json(&compiled.json)
        .expect("the data plane takes the program");
    switch.receive(0, 0, packet);
    let mut packets = Vec::new();
    switch.advance(1_000_000_000, &mut |output| {
        if let Output::Packet { port, bytes, .. } = output {
            packets.push((port, bytes.into_vec()));
        }
    });
    assert!(packets.len() <= 1, "{packets:?}");
    packets.pop()
}
