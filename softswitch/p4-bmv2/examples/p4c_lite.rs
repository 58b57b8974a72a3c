// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Compiles a program to BMv2's JSON on standard output, for development:
//! `p4c_lite [--arch ARCH] [-I DIR] [-D NAME[=VALUE]] PROGRAM.p4`.

use std::path::Path;
use std::process::ExitCode;

use quench_p4_frontend::Options;

fn main() -> ExitCode {
    let mut options = Options::default();
    let mut program = None;
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "-I" => options.include_dirs.extend(args.next().map(Into::into)),
            "--arch" => match args.next().unwrap_or_default().parse() {
                Ok(arch) => options.arch = arch,
                Err(error) => {
                    eprintln!("{error}");
                    return ExitCode::from(2);
                }
            },
            "-D" => {
                let define = args.next().unwrap_or_default();
                let (name, value) = match define.split_once('=') {
                    Some((name, value)) => (name, Some(value.to_owned())),
                    None => (define.as_str(), None),
                };
                options.defines.push((name.to_owned(), value));
            }
            _ => program = Some(arg),
        }
    }
    let Some(program) = program else {
        eprintln!("usage: p4c_lite [--arch ARCH] [-I DIR] [-D NAME[=VALUE]] PROGRAM.p4");
        return ExitCode::from(2);
    };
    match quench_p4_bmv2::compile(Path::new(&program), &options) {
        Ok(compiled) => {
            compiled.warnings.iter().for_each(|w| eprintln!("{w}"));
            println!("{}", compiled.json);
            ExitCode::SUCCESS
        }
        Err(failure) => {
            eprintln!("{failure}");
            ExitCode::FAILURE
        }
    }
}
