// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Small TNA programs, and parts of the JSON that they become.

use std::path::Path;

use quench_p4_backend::compile_text;
use quench_p4_frontend::{Arch, Options};
use serde_json::Value;

/// The parts of a program; those that are left out are empty, or do as little as possible.
#[derive(Default)]
pub struct Program<'a> {
    /// Before the structs, which may use the types.
    pub types: &'a str,
    /// Members of the headers' struct after `data_t data`.
    pub headers: &'a str,
    pub metadata: &'a str,
    pub parser_locals: &'a str,
    /// Statements of the first state behind the extraction of the headers; `transition accept;` where it is empty.
    pub start: &'a str,
    pub states: &'a str,
    pub locals: &'a str,
    pub apply: &'a str,
    pub deparser_locals: &'a str,
    /// Before the emission of the headers.
    pub deparse: &'a str,
    /// Behind it.
    pub late: &'a str,
    pub egress: &'a str,
}

impl Program<'_> {
    pub fn text(&self) -> String {
        let start = match self.start {
            "" => "transition accept;",
            start => start,
        };
        format!(
            r#"#include <core.p4>
#include <tna.p4>
header data_t {{ bit<32> a; bit<32> b; bit<16> c; bit<8> d; bit<8> e; }}
{types}
struct headers_t {{ data_t data; {headers} }}
struct metadata_t {{ bit<32> x; bit<16> index; bit<8> y; bit<10> session; {metadata} }}
struct empty_t {{}}
parser IP(packet_in pkt, out headers_t hdr, out metadata_t md, out ingress_intrinsic_metadata_t ig) {{
    {parser_locals}
    state start {{ pkt.extract(ig); pkt.advance(PORT_METADATA_SIZE); pkt.extract(hdr.data); {start} }}
    {states}
}}
control I(inout headers_t hdr, inout metadata_t md, in ingress_intrinsic_metadata_t ig,
        in ingress_intrinsic_metadata_from_parser_t prsr, inout ingress_intrinsic_metadata_for_deparser_t dprsr,
        inout ingress_intrinsic_metadata_for_tm_t tm) {{
    {locals}
    apply {{ {apply} }}
}}
control ID(packet_out pkt, inout headers_t hdr, in metadata_t md, in ingress_intrinsic_metadata_for_deparser_t dprsr) {{
    {deparser_locals}
    apply {{ {deparse} pkt.emit(hdr.data); {late} }}
}}
parser EP(packet_in pkt, out headers_t hdr, out empty_t md, out egress_intrinsic_metadata_t eg) {{
    state start {{ pkt.extract(eg); pkt.extract(hdr.data); transition accept; }}
}}
control E(inout headers_t hdr, inout empty_t md, in egress_intrinsic_metadata_t eg,
        in egress_intrinsic_metadata_from_parser_t prsr, inout egress_intrinsic_metadata_for_deparser_t dprsr,
        inout egress_intrinsic_metadata_for_output_port_t oport) {{ apply {{ {egress} }} }}
control ED(packet_out pkt, inout headers_t hdr, in empty_t md) {{ apply {{ pkt.emit(hdr); }} }}
Pipeline(IP(), I(), ID(), EP(), E(), ED()) pipe;
Switch(pipe) main;
"#,
            types = self.types,
            headers = self.headers,
            metadata = self.metadata,
            parser_locals = self.parser_locals,
            states = self.states,
            locals = self.locals,
            apply = self.apply,
            deparser_locals = self.deparser_locals,
            deparse = self.deparse,
            late = self.late,
            egress = self.egress,
        )
    }

    pub fn json(&self) -> Json {
        json(&self.text())
    }

    /// The first error without its place.
    pub fn error(&self) -> String {
        error(&self.text())
    }
}

fn compile(text: &str) -> Result<String, String> {
    let options = Options {
        arch: Arch::Tna,
        ..Options::default()
    };
    match compile_text(Path::new("test.p4"), text, &options) {
        Ok(compiled) => Ok(compiled.json),
        Err(failure) => Err(failure.to_string()),
    }
}

pub fn json(text: &str) -> Json {
    match compile(text) {
        Ok(json) => Json(serde_json::from_str(&json).expect("the compiler writes JSON")),
        Err(failure) => panic!("{failure}"),
    }
}

pub fn error(text: &str) -> String {
    let failure = compile(text).expect_err("the program is refused");
    let line = failure.lines().find(|line| line.contains(" error: "));
    let line = line.expect("an error has a message");
    assert!(line.starts_with("test.p4:"), "without a place: {line}");
    line.split(" error: ").nth(1).unwrap_or_default().to_owned()
}

pub struct Json(pub Value);

impl Json {
    /// Name of a primitive, and its parameters without their types: `assign scalars.x ingress.data.a`.
    pub fn primitives(&self) -> Vec<String> {
        let actions = list(&self.0["actions"]);
        actions
            .iter()
            .flat_map(|a| shown(&a["primitives"]))
            .collect()
    }

    /// Those of the primitives with this name.
    pub fn all(&self, op: &str) -> Vec<String> {
        let named = |line: &String| line.split(' ').next() == Some(op);
        self.primitives().into_iter().filter(named).collect()
    }

    pub fn deparser(&self, index: usize) -> Vec<String> {
        shown(&self.0["deparsers"][index]["primitives"])
    }

    /// The operations of a parser's state.
    pub fn state(&self, parser: usize, name: &str) -> Vec<String> {
        let states = list(&self.0["parsers"][parser]["parse_states"]);
        let found = states.iter().find(|state| state["name"] == name);
        shown(&found.expect("the parser has the state")["parser_ops"])
    }

    pub fn table(&self, name: &str) -> &Value {
        let pipelines = list(&self.0["pipelines"]);
        let mut tables = pipelines.iter().flat_map(|p| list(&p["tables"]));
        tables
            .find(|table| table["name"] == name)
            .expect("the program has the table")
    }

    /// The object of the list `kind` with this name.
    pub fn object(&self, kind: &str, name: &str) -> &Value {
        let mut objects = list(&self.0[kind]).iter();
        objects
            .find(|object| object["name"] == name)
            .expect("the program has the object")
    }
}

pub fn list(value: &Value) -> &Vec<Value> {
    value.as_array().expect("a list")
}

fn shown(operations: &Value) -> Vec<String> {
    let show = |operation: &Value| {
        let parameters = list(&operation["parameters"]);
        // A parser's operation that is a primitive.
        if operation["op"] == "primitive" {
            return shown(&operation["parameters"]).remove(0);
        }
        let parameters = parameters.iter().map(expression);
        let op = operation["op"].as_str().expect("a name").to_owned();
        [op].into_iter()
            .chain(parameters)
            .collect::<Vec<_>>()
            .join(" ")
    };
    list(operations).iter().map(show).collect()
}

/// An expression on one line.
pub fn expression(value: &Value) -> String {
    let inner = &value["value"];
    match (value["type"].as_str(), inner) {
        (Some("expression"), Value::Object(of)) if of.contains_key("op") => {
            let op = of["op"].as_str().expect("a name");
            let [left, right] = ["left", "right"].map(|side| expression(&of[side]));
            match of.get("cond") {
                Some(condition) => format!("({} ? {left} : {right})", expression(condition)),
                None if left.is_empty() => format!("{op}({right})"),
                None => format!("({left} {op} {right})"),
            }
        }
        (Some("expression"), _) => expression(inner),
        (Some("runtime_data"), index) => format!("param{index}"),
        (Some(_), Value::String(text)) => text.clone(),
        (Some("field" | "lookahead"), Value::Array(parts)) => {
            let parts = parts
                .iter()
                .map(|part| part.as_str().map_or(part.to_string(), str::to_owned));
            parts.collect::<Vec<_>>().join(".")
        }
        (None, Value::Null) if value.is_null() => String::new(),
        _ => value.to_string(),
    }
}
