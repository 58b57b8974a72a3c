// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Names of objects. Each list of the JSON has a name once, wherever the program declares its objects: a declaration may hide
//! another, and `@name` may give it another's name. Otherwise the program is an error, with its place.

use std::collections::HashSet;
use std::path::Path;

use quench_dataplane::{Switch, SwitchConfig};
use quench_p4_backend::compile_text;
use quench_p4_frontend::{Arch, Options};
use serde_json::Value;

use crate::common::Program;

/// Lists of objects that others name. Lists of fields are named by what writes them: the switch knows them by number.
const LISTS: [&str; 12] = [
    "header_types",
    "headers",
    "header_stacks",
    "header_unions",
    "parse_vsets",
    "register_arrays",
    "counter_arrays",
    "meter_arrays",
    "filter_arrays",
    "math_units",
    "calculations",
    "enums",
];

/// Constructors of objects, and a statement that uses `x`.
const KINDS: [(&str, &str); 3] = [
    ("counter(4, CounterType.packets)", "x.count(0);"),
    (
        "meter(4, MeterType.packets)",
        "x.execute_meter(0, hdr.data.a);",
    ),
    ("register<bit<32>>(4)", "x.write(0, 1);"),
];

fn list(value: &Value) -> &Vec<Value> {
    value.as_array().expect("a list")
}

/// The names of an architecture's program that compiles are unique, and the data plane takes it; else this is its error.
pub fn checked(text: &str, arch: Arch) -> Result<Value, String> {
    let options = Options {
        arch,
        ..Options::default()
    };
    let compiled = compile_text(Path::new("test.p4"), text, &options).map_err(|failure| {
        let failure = failure.to_string();
        let error = failure.lines().find(|line| line.contains(" error: "));
        error.unwrap_or(&failure).to_owned()
    })?;
    let json: Value = serde_json::from_str(&compiled.json).expect("the compiler writes JSON");
    let unique = |what: &str, names: Vec<&Value>| {
        let mut known = HashSet::new();
        let repeated = names
            .into_iter()
            .find(|name| !known.insert(name.to_string()));
        assert_eq!(repeated, None, "of two {what} in:\n{text}");
    };
    let names = |list: &'_ Value| -> Vec<Value> {
        let objects = list.as_array().into_iter().flatten();
        objects.map(|object| object["name"].clone()).collect()
    };
    for what in LISTS {
        unique(what, names(&json[what]).iter().collect());
    }
    let pipelines = list(&json["pipelines"]).iter();
    let of_all = |what: &str| -> Vec<Value> {
        pipelines
            .clone()
            .flat_map(|pipeline| names(&pipeline[what]))
            .collect()
    };
    unique("profiles", of_all("action_profiles").iter().collect());
    let nodes = [of_all("tables"), of_all("conditionals")].concat();
    unique("nodes", nodes.iter().collect());
    for table in pipelines
        .clone()
        .flat_map(|pipeline| list(&pipeline["tables"]))
    {
        unique(
            "actions of a table",
            list(&table["actions"]).iter().collect(),
        );
    }
    for parser in list(&json["parsers"]) {
        unique("states", names(&parser["parse_states"]).iter().collect());
    }
    Switch::new(SwitchConfig::default())
        .load_json(&compiled.json)
        .unwrap_or_else(|error| panic!("{error}\n{text}"));
    Ok(json)
}

/// Parts of the errors of the front end, of P4Info, and of what the compiler adds.
const TAKEN: [&str; 3] = [
    " have the control-plane name `",
    "error: the control plane knows another object of this kind as '",
    " is the name of a selector's register",
];

/// Programs with two objects of one hierarchical name: the first declaration, and the statements with the second.
fn in_scopes(first: &str, second: &str, used: &str) -> Vec<[String; 2]> {
    let local = format!("{first} x;");
    let inside = format!("{second} x; {used}");
    let absolute = format!("@name(\".same\") {first} y; @name(\".same\") {second} x;");
    let relative = format!("@name(\"x\") {first} y; {second} x;");
    vec![
        [local.clone(), inside.clone()],
        [local.clone(), format!("{{ {{ {inside} }} }}")],
        [local, format!("if (hdr.data.a == 1) {{ {inside} }}")],
        [String::new(), format!("{{ {inside} }} {{ {inside} }}")],
        [
            String::new(),
            format!("if (hdr.data.a == 1) {{ {inside} }} else {{ {inside} }}"),
        ],
        [absolute, used.to_owned()],
        [relative, used.to_owned()],
    ]
}

/// The error of a program has its place, and is of its names.
pub fn has_one_name_once(text: &str, arch: Arch) -> bool {
    match checked(text, arch) {
        Ok(_) => true,
        Err(error) => {
            let named = TAKEN.iter().any(|message| error.contains(message));
            assert!(named && error.starts_with("test.p4:"), "{error}\n{text}");
            false
        }
    }
}

/// Each pair of kinds in one scope, and each kind in all: the declarations, the statements, and whether the kinds are one.
pub fn pairs(kinds: &[(&str, &str)]) -> Vec<([String; 2], bool)> {
    let mut pairs = Vec::new();
    for (index, (first, _)) in kinds.iter().enumerate() {
        for (other, (second, used)) in kinds.iter().enumerate() {
            let count = if index == other { usize::MAX } else { 1 };
            let scopes = in_scopes(first, second, used).into_iter().take(count);
            pairs.extend(scopes.map(|scope| (scope, index == other)));
        }
    }
    pairs
}

#[test]
fn objects_in_nested_scopes() {
    for ([locals, apply], _) in &pairs(&KINDS) {
        let program = Program {
            locals,
            apply,
            ..Program::default()
        };
        assert!(
            !has_one_name_once(&program.text(), Arch::V1Model),
            "{locals} {apply}"
        );
    }
}

/// Declarations in a control, what it applies, and whether the program compiles.
const IN_CONTROLS: [(&str, &str, bool); 4] = [
    // Two of one kind.
    (
        "@name(\".t\") table t { actions = { NoAction; } } @name(\".t\") table u { actions = { NoAction; } }",
        "t.apply(); u.apply();",
        false,
    ),
    (
        "@name(\"c\") counter(1, CounterType.bytes) x; direct_counter(CounterType.bytes) c;
         table t { actions = { NoAction; } counters = c; }",
        "x.count(0); t.apply();",
        false,
    ),
    // A control in a block, and what is in it.
    (
        "Inner() x;",
        "x.apply(hdr); { Inner() x; x.apply(hdr); }",
        false,
    ),
    // Data.
    (
        "bit<8> x = 1; data_t h; data_t[2] s;",
        "bit<8> x = 2; data_t h; data_t[2] s; h = hdr.data; s[0] = h; { bit<8> x = 3; data_t h = s[0]; hdr.data.b = h.a; hdr.data.c = x; }",
        true,
    ),
];

#[test]
fn tables_actions_and_data_of_one_name() {
    for (locals, apply, compiles) in IN_CONTROLS {
        let program = Program {
            declarations: "control Inner(inout headers_t hdr) {
                    action act() { hdr.data.b = 5; } table t { actions = { act; } default_action = act; }
                    apply { t.apply(); }
                }",
            locals,
            apply,
            ..Program::default()
        };
        assert_eq!(
            has_one_name_once(&program.text(), Arch::V1Model),
            compiles,
            "{locals}"
        );
    }
}

/// The compiler's own nodes and actions make room for those of the program.
#[test]
fn tables_and_actions_that_are_named_like_nodes_do_what_the_program_says() {
    let results = |table: &str, action: &str| {
        let program = Program {
            locals: &format!(
                "@name(\".{action}\") action set() {{ hdr.data.c = 5; }}
                 @name(\".{table}\") table t {{ actions = {{ set; }} default_action = set; }}"
            ),
            apply: "if (hdr.data.a == 1) { t.apply(); } else if (hdr.data.a == 2) { hdr.data.c = 6; } else { hdr.data.c = 7; }
                if (hdr.data.a != 1) { hdr.data.b = 1; }",
            ..Program::default()
        };
        let json = checked(&program.text(), Arch::V1Model).expect("it compiles");
        let results = [1, 2, 3].map(|a| program.data([a, 0, 0, 0, 0])[2]);
        assert_eq!(results, [5, 6, 7], "{table} {action}");
        json
    };
    let json = results("t", "set");
    let named = |of: &Value| -> Vec<String> {
        let objects = list(of).iter();
        objects
            .filter_map(|object| object["name"].as_str().map(str::to_owned))
            .collect()
    };
    let ingress = &json["pipelines"][0];
    let nodes = [named(&ingress["tables"]), named(&ingress["conditionals"])].concat();
    assert!(nodes.len() > 6, "{nodes:?}");
    for table in nodes {
        results(&table, "set");
    }
    for action in named(&json["actions"]) {
        results("t", &action);
        results(&format!("tbl_{action}"), &action);
    }
}
