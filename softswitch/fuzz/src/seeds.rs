// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Inputs to start from: the programs of the compiler's tests, and what earlier runs found worth keeping (`corpus/`).

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use fastrand::Rng;
use quench_p4_backend::compile;
use quench_p4_frontend::{Arch, Options};
use serde_json::Value;

use crate::packets;
use crate::target::Target;

/// Programs of the compiler's own tests that have every construct between them.
const CONSTRUCTS: [(&str, &str); 2] = [
    ("checked", "../p4-frontend/src/check/tests/everything.p4"),
    ("parsed", "../p4-frontend/src/parse/sample.p4"),
];

/// A program of the data plane's tests that does what a whole switch does.
const ROUTER: (&str, &str) = ("router", "../dataplane/tests/router.p4");

/// The environment's variable that names a folder for seeds.
const FOLDER: &str = "QUENCH_FUZZ_SEEDS";

/// A part of the compiler's message for a program for Tofino that it checks, but does not translate.
const UNSUPPORTED: &str = "not supported: ";

/// The compiler tests' programs for an architecture, in folders by topic.
pub(crate) fn programs(arch: Arch) -> PathBuf {
    path_of(match arch {
        Arch::V1Model | Arch::V1Model2021 => "../tests/programs",
        Arch::Tna => "../tests/tna",
    })
}

/// From this crate's folder.
fn path_of(relative: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(relative)
}

/// The architecture that a program is for, by what it includes.
pub(crate) fn arch_of(text: &str) -> Arch {
    const TNA: [&str; 4] = ["tna.p4", "/frame.p4", "/headers.p4", "/work.p4"];
    if TNA.iter().any(|file| text.contains(file)) {
        Arch::Tna
    } else {
        Arch::V1Model
    }
}

/// One of the target's seeds, read once.
pub fn any(target: &Target, rng: &mut Rng) -> &'static [u8] {
    static SEEDS: OnceLock<Vec<Vec<u8>>> = OnceLock::new();
    let seeds = SEEDS.get_or_init(|| (target.seeds)().into_iter().map(|(_, seed)| seed).collect());
    rng.choice(seeds).map_or(&[], Vec::as_slice)
}

/// Writes the target's seeds into the folder that the environment names, from which libFuzzer then reads them.
pub fn write(target: &Target) {
    let Some(folder) = std::env::var_os(FOLDER).map(PathBuf::from) else {
        return;
    };
    for (name, seed) in (target.seeds)() {
        let path = folder.join(name);
        std::fs::write(&path, seed)
            .unwrap_or_else(|error| panic!("cannot write {}: {error}", path.display()));
    }
}

/// Name and path of each program for an architecture, sorted.
fn sources(arch: Arch) -> Vec<(String, PathBuf)> {
    let entries = |folder: &Path| {
        let entries = std::fs::read_dir(folder)
            .unwrap_or_else(|error| panic!("cannot read {}: {error}", folder.display()));
        entries.map(|entry| entry.expect("an entry of a folder").path())
    };
    let topics = entries(&programs(arch));
    let topics = topics.filter(|topic| !topic.ends_with("include") && !topic.ends_with("errors"));
    let mut found: Vec<_> = topics
        .flat_map(|topic| entries(&topic))
        .filter(|path| path.extension().is_some_and(|extension| extension == "p4"))
        .map(|path| {
            let stem = path.file_stem().expect("a name").to_string_lossy();
            (format!("{arch:?}_{stem}"), path)
        })
        .collect();
    found.sort();
    found
}

pub(crate) fn p4() -> Vec<(String, Vec<u8>)> {
    let read = |(name, path): (String, PathBuf)| {
        let text = std::fs::read(&path).unwrap_or_else(|error| panic!("{name}: {error}"));
        (name, text)
    };
    let all = [Arch::V1Model, Arch::Tna].into_iter().flat_map(sources);
    let constructs = CONSTRUCTS.map(|(name, file)| (name.to_owned(), path_of(file)));
    all.chain(constructs).map(read).collect()
}

/// The JSON of each program, without the places in the source. Two targets begin with it.
pub(crate) fn json() -> Vec<(String, Vec<u8>)> {
    static JSON: OnceLock<Vec<(String, Vec<u8>)>> = OnceLock::new();
    JSON.get_or_init(compile_all).clone()
}

fn compile_all() -> Vec<(String, Vec<u8>)> {
    let compiled = |arch: Arch| {
        let options = Options {
            arch,
            ..Options::default()
        };
        move |(name, path): (String, PathBuf)| {
            let compiled = match compile(&path, &options) {
                Ok(compiled) => compiled,
                // Some for Tofino show what only the front end takes.
                Err(failure) if arch == Arch::Tna && failure.to_string().contains(UNSUPPORTED) => {
                    return None
                }
                Err(failure) => panic!("{name}: {failure}"),
            };
            let mut json = serde_json::from_str(&compiled.json).expect("the compiler writes JSON");
            strip(&mut json);
            Some((name, json.to_string().into_bytes()))
        }
    };
    let (name, file) = ROUTER;
    let router = (name.to_owned(), path_of(file));
    let v1model = sources(Arch::V1Model).into_iter().chain([router]);
    let tna = sources(Arch::Tna).into_iter();
    let v1model = v1model.filter_map(compiled(Arch::V1Model));
    v1model.chain(tna.filter_map(compiled(Arch::Tna))).collect()
}

fn strip(json: &mut Value) {
    match json {
        Value::Object(members) => {
            members.remove("source_info");
            members.values_mut().for_each(strip);
        }
        Value::Array(items) => items.iter_mut().for_each(strip),
        _ => {}
    }
}

/// Frames of TCP with each option, of TCP with selective acknowledgements, and of UDP.
const FRAMES: [&[u8]; 3] = [
    include_bytes!("../frames/segment"),
    include_bytes!("../frames/sack"),
    include_bytes!("../frames/datagram"),
];

/// The same with some packets.
pub(crate) fn packets() -> Vec<(String, Vec<u8>)> {
    let mut arrivals = Vec::new();
    for frame in FRAMES {
        arrivals.extend([0, frame.len() as u8]);
        arrivals.extend(frame);
    }
    json()
        .into_iter()
        .map(|(name, json)| (name, packets::join(&json, &arrivals)))
        .collect()
}
