// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Hash and checksum inputs.

use super::packet::Packet;
use crate::externs::hash::internet_checksum;
use crate::externs::Externs;
use crate::program::{CalcInput, Calculation, Checksum, ChecksumKind, Program};
use crate::state::loc::copy_bits;

/// The value of a calculation over a packet as it stands.
pub fn compute(
    program: &Program,
    calculation: &Calculation,
    externs: &mut Externs,
    packet: &Packet,
) -> u64 {
    let input = &mut externs.hash_input;
    input.clear();
    let mut bits = 0;
    for part in &calculation.input {
        bits = append(program, part, packet, input, bits);
    }
    if calculation.payload {
        input.extend_from_slice(&packet.data.real()[packet.parsed..]);
        input.resize(input.len() + packet.data.zeros(), 0);
    }
    externs.hashers[calculation.hasher as usize].hash(input, &mut externs.random)
}

/// Appends bits behind the `bits` that are there; gives their new number.
fn append(
    program: &Program,
    part: &CalcInput,
    packet: &Packet,
    out: &mut Vec<u8>,
    bits: usize,
) -> usize {
    let (layout, phv) = (&program.layout, &packet.phv);
    let mut copy = |src: &[u8], from: usize, count: usize| {
        if (bits | from | count) % 8 == 0 {
            out.extend_from_slice(&src[from / 8..(from + count) / 8]);
            return bits + count;
        }
        out.resize((bits + count).div_ceil(8), 0);
        copy_bits(src, from, out, bits, count);
        bits + count
    };
    match part {
        CalcInput::Field(header, _) | CalcInput::VarField(header) | CalcInput::Header(header)
            if !phv.is_valid(layout, *header) =>
        {
            bits
        }
        CalcInput::Field(_, loc) => copy(
            &phv.bytes,
            loc.byte as usize * 8 + usize::from(loc.bit),
            loc.bits as usize,
        ),
        CalcInput::VarField(header) => match layout.headers[*header as usize].var {
            Some(var) => {
                let count = phv.var_bits[var.slot as usize] as usize;
                copy(&phv.bytes, var.byte as usize * 8, count)
            }
            None => bits,
        },
        CalcInput::Header(header) => {
            let mut bytes = Vec::new();
            phv.emit(layout, *header, &mut bytes);
            copy(&bytes, 0, bytes.len() * 8)
        }
        CalcInput::Constant(bytes, count) => {
            copy(bytes, bytes.len() * 8 - *count as usize, *count as usize)
        }
    }
}

fn value(program: &Program, checksum: &Checksum, externs: &mut Externs, packet: &Packet) -> u64 {
    match checksum.kind {
        ChecksumKind::Calculation(index) => compute(
            program,
            &program.calculations[index as usize],
            externs,
            packet,
        ),
        ChecksumKind::Ipv4 => {
            let input = &mut externs.hash_input;
            input.clear();
            packet.phv.emit(&program.layout, checksum.header, input);
            let start = program.layout.headers[checksum.header as usize].byte;
            let at = (checksum.target.byte - start) as usize;
            input[at..at + 2].fill(0);
            u64::from(internet_checksum(input))
        }
    }
}

/// True when every checksum that is verified is right.
pub fn verify(program: &Program, externs: &mut Externs, packet: &Packet) -> bool {
    let checksums = program.checksums.iter().filter(|checksum| checksum.verify);
    checksums.fold(true, |right, checksum| {
        right & holds(program, checksum, externs, packet)
    })
}

/// True when a checksum is right, or does not apply to the packet.
pub fn holds(
    program: &Program,
    checksum: &Checksum,
    externs: &mut Externs,
    packet: &Packet,
) -> bool {
    let applies = packet.phv.is_valid(&program.layout, checksum.header)
        && condition(program, checksum, externs, packet);
    !applies
        || value(program, checksum, externs, packet) == checksum.target.read_u64(&packet.phv.bytes)
}

/// Writes every checksum that is updated.
pub fn update(program: &Program, externs: &mut Externs, packet: &mut Packet) {
    for checksum in program.checksums.iter().filter(|checksum| checksum.update) {
        renew(program, checksum, externs, packet);
    }
}

/// Writes a checksum where it applies to the packet.
pub fn renew(program: &Program, checksum: &Checksum, externs: &mut Externs, packet: &mut Packet) {
    let ipv4 = matches!(checksum.kind, ChecksumKind::Ipv4);
    if (ipv4 && !packet.phv.is_valid(&program.layout, checksum.header))
        || !condition(program, checksum, externs, packet)
    {
        return;
    }
    let value = value(program, checksum, externs, packet);
    checksum.target.write_u64(&mut packet.phv.bytes, value);
}

fn condition(program: &Program, checksum: &Checksum, externs: &Externs, packet: &Packet) -> bool {
    checksum.condition.is_none_or(|condition| {
        let ctx = super::eval::Ctx {
            exprs: &program.exprs,
            layout: &program.layout,
            phv: &packet.phv,
            params: &[],
            registers: &externs.registers,
            faults: &externs.faults,
            scratch: &externs.scratch,
        };
        ctx.bool(condition)
    })
}
