// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Where machine code and the interpreter meet: what the code reads, and the functions that it calls.
//!
//! All that is unsafe about calling is here. The code gets one pointer, to a [`Frame`] on the caller's stack, and the
//! functions below get it back; behind `Frame::host` is what `run` was called with, and nobody else uses it meanwhile.

use std::ffi::c_void;
use std::mem::offset_of;

use super::super::action::Env;
use super::super::eval::Faults;
use super::super::parser::{Failed, ValueSets};
use super::super::{calc, deparser};
use crate::control::CounterValue;
use crate::externs::Externs;
use crate::tables::entry::Bound;
use crate::tables::table::Table;
use crate::tables::Tables;

/// Words of a packed key that the code itself can put together.
pub const KEY_WORDS: usize = 4;

/// A compiled pipeline.
pub type Entry = unsafe extern "C" fn(*mut Frame);

/// What the code finds by constant offsets.
#[repr(C)]
pub struct Frame {
    phv: *mut u8,
    registers: *const *mut u64,
    counters: *const *mut CounterValue,
    /// Of a pipeline.
    tables: *const Table,
    /// Parameters of the running action.
    params: *const u8,
    params_bytes: usize,
    ingress_bytes: u64,
    drop_port: u64,
    key: [u64; KEY_WORDS],
    /// The packet, for the parser and the deparser.
    data: *mut u8,
    data_bytes: u64,
    /// What the parser has consumed, and the error that it ended with.
    parsed: u64,
    error: u32,
    /// Not 0 where a checksum is wrong.
    wrong: u32,
    host: *mut c_void,
}

impl Frame {
    pub const PHV: i32 = offset_of!(Frame, phv) as i32;
    pub const REGISTERS: i32 = offset_of!(Frame, registers) as i32;
    pub const COUNTERS: i32 = offset_of!(Frame, counters) as i32;
    pub const TABLES: i32 = offset_of!(Frame, tables) as i32;
    pub const PARAMS: i32 = offset_of!(Frame, params) as i32;
    pub const PARAMS_BYTES: i32 = offset_of!(Frame, params_bytes) as i32;
    pub const INGRESS_BYTES: i32 = offset_of!(Frame, ingress_bytes) as i32;
    pub const DROP_PORT: i32 = offset_of!(Frame, drop_port) as i32;
    pub const DATA: i32 = offset_of!(Frame, data) as i32;
    pub const DATA_BYTES: i32 = offset_of!(Frame, data_bytes) as i32;
    pub const PARSED: i32 = offset_of!(Frame, parsed) as i32;
    pub const ERROR: i32 = offset_of!(Frame, error) as i32;
    pub const WRONG: i32 = offset_of!(Frame, wrong) as i32;
    pub const KEY: i32 = offset_of!(Frame, key) as i32;
}

/// Cells of registers and counters, which never move: their arrays keep the size that the program gives them.
pub struct Cells {
    registers: Vec<*mut u64>,
    counters: Vec<*mut CounterValue>,
}

impl Cells {
    pub fn of(externs: &mut Externs) -> Self {
        let registers = externs.registers.iter_mut();
        let counters = externs.counters.iter_mut();
        Self {
            registers: registers.map(|array| array.as_mut_ptr()).collect(),
            counters: counters.map(|array| array.cells.as_mut_ptr()).collect(),
        }
    }
}

struct Host<'a, 'b> {
    env: &'a mut Env<'b>,
    work: Work<'a>,
}

/// What code works with besides the packet.
pub enum Work<'a> {
    Pipeline(&'a mut Tables),
    Parser(&'a ValueSets, &'a mut Vec<u64>),
    Deparser,
}

/// What the parser found out: the error, and whether all checksums are right.
pub type Parsed = (u32, bool);

impl<'a, 'b> Host<'a, 'b> {
    fn pipeline(&mut self) -> (&mut Env<'b>, &mut Tables) {
        match &mut self.work {
            Work::Pipeline(tables) => (self.env, tables),
            Work::Parser(..) | Work::Deparser => unreachable!("only pipelines have tables"),
        }
    }
}

/// Runs a compiled pipeline, parser or deparser on a packet; gives what the parser found out.
///
/// # Safety
/// `entry` was compiled for the program of `env`, and `cells` are those of its `externs`.
// Inlined, so that what the code works with is not moved on the way.
#[inline(always)]
pub unsafe fn run(entry: Entry, cells: &Cells, env: &mut Env<'_>, work: Work<'_>) -> Parsed {
    let tables = match &work {
        Work::Pipeline(tables) => tables.tables.as_ptr(),
        _ => std::ptr::null(),
    };
    let mut host = Host { env, work };
    let mut frame = Frame {
        phv: host.env.packet.phv.bytes.as_mut_ptr(),
        registers: cells.registers.as_ptr(),
        counters: cells.counters.as_ptr(),
        tables,
        params: std::ptr::null(),
        params_bytes: 0,
        ingress_bytes: u64::from(host.env.packet.ingress_bytes),
        drop_port: u64::from(host.env.drop_port),
        key: [0; KEY_WORDS],
        data: host.env.packet.data.as_mut_ptr(),
        data_bytes: host.env.packet.data.len() as u64,
        parsed: host.env.packet.parsed as u64,
        error: 0,
        wrong: 0,
        host: (&raw mut host).cast(),
    };
    // SAFETY: the caller's promise; the frame and all behind it outlive the call.
    unsafe { entry(&raw mut frame) }
    if let Work::Parser(..) = host.work {
        host.env.packet.parsed = frame.parsed as usize;
    }
    (frame.error, frame.wrong == 0)
}

/// The frame that compiled code handed back, its host and the parameters of the running action.
///
/// # Safety
/// `frame` is what `run` gave to the code that now calls, and its results are gone before that code goes on.
unsafe fn open<'x>(frame: *mut Frame) -> (&'x mut Frame, &'x mut Host<'x, 'x>, &'x [u8]) {
    // SAFETY: `run` made the frame and its host; while the code waits for us nobody else has them.
    let frame = unsafe { &mut *frame };
    // SAFETY: as above; parameters belong to a table entry, and no entry changes while a packet is processed.
    let (host, params) = unsafe {
        let params: &[u8] = match frame.params_bytes {
            0 => &[],
            bytes => std::slice::from_raw_parts(frame.params, bytes),
        };
        (&mut *frame.host.cast::<Host<'x, 'x>>(), params)
    };
    (frame, host, params)
}

/// Bit of the result of a lookup; the action is below, `u32::MAX` for none.
pub const HIT_SHIFT: u32 = 32;

/// Stands for a miss.
pub const NO_ENTRY: u32 = u32::MAX;

/// The result of a lookup; the action's parameters go to the frame.
fn found(frame: &mut Frame, hit: bool, call: Option<&Bound>) -> u64 {
    let action = match call {
        Some(call) => {
            (frame.params, frame.params_bytes) = (call.data.as_ptr(), call.data.len());
            call.action
        }
        None => u32::MAX,
    };
    u64::from(hit) << HIT_SHIFT | u64::from(action)
}

/// Looks up a packed key of one word in a table with an exact map that notes no hits.
pub unsafe extern "C" fn find_exact(frame: *mut Frame, table: *const Table, key: u64) -> u64 {
    // SAFETY: called by compiled code with its frame and one of the frame's tables, which nobody changes meanwhile.
    let (frame, table) = unsafe { (&mut *frame, &*table) };
    let hit = table.lookup_exact(key);
    found(frame, hit.is_some(), table.call(hit))
}

/// As [`find_exact`], in a table with prefixes.
pub unsafe extern "C" fn find_lpm(frame: *mut Frame, table: *const Table, key: u64) -> u64 {
    // SAFETY: as there.
    let (frame, table) = unsafe { (&mut *frame, &*table) };
    let hit = table.lookup_lpm(key);
    found(frame, hit.is_some(), table.call(hit))
}

/// Looks up the packed key in the frame, which has `words` words, in a table that notes no hits.
pub unsafe extern "C" fn find(frame: *mut Frame, table: u32, words: u32) -> u64 {
    // SAFETY: called by compiled code with its frame.
    let (frame, host, _) = unsafe { open(frame) };
    let (_, tables) = host.pipeline();
    let table = &mut tables.tables[table as usize];
    let hit = table.lookup(&frame.key[..words as usize]);
    found(frame, hit.is_some(), table.call(hit))
}

/// As [`find`], in any table without an action profile.
pub unsafe extern "C" fn lookup(frame: *mut Frame, table: u32, words: u32) -> u64 {
    // SAFETY: called by compiled code with its frame.
    let (frame, host, _) = unsafe { open(frame) };
    let (env, tables) = host.pipeline();
    let hit = tables.tables[table as usize].lookup(&frame.key[..words as usize]);
    let call = env.choose_direct(table, hit, tables);
    found(frame, hit.is_some(), call)
}

/// What follows from an entry that compiled code found, or from [`NO_ENTRY`], in any table without an action profile.
pub unsafe extern "C" fn choose(frame: *mut Frame, table: u32, entry: u32) -> u64 {
    // SAFETY: called by compiled code with its frame.
    let (frame, host, _) = unsafe { open(frame) };
    let (env, tables) = host.pipeline();
    let hit = (entry != NO_ENTRY).then_some(entry);
    let call = env.choose_direct(table, hit, tables);
    found(frame, hit.is_some(), call)
}

/// Applies a table that compiled code leaves alone: gives the next node, and above it whether to stop.
pub unsafe extern "C" fn apply(frame: *mut Frame, table: u32) -> u64 {
    // SAFETY: called by compiled code with its frame.
    let (_, host, _) = unsafe { open(frame) };
    let (env, tables) = host.pipeline();
    let next = env.apply_table(table, tables);
    u64::from(env.packet.requests.exit) << 32 | u64::from(next)
}

/// Runs a whole action, or one primitive of it where `at` is one; gives whether to stop.
pub unsafe extern "C" fn perform(frame: *mut Frame, action: u32, at: u32) -> u8 {
    // SAFETY: called by compiled code with its frame.
    let (_, host, params) = unsafe { open(frame) };
    let ops = &host.env.program.actions[action as usize].ops;
    match ops.get(at as usize) {
        Some(op) => host.env.run(std::slice::from_ref(op), params),
        None => host.env.run(ops, params),
    }
    u8::from(host.env.packet.requests.exit)
}

/// A condition that compiled code leaves alone.
pub unsafe extern "C" fn condition(frame: *mut Frame, cond: u32) -> u8 {
    // SAFETY: called by compiled code with its frame.
    let (_, host, params) = unsafe { open(frame) };
    u8::from(host.env.ctx(params).bool(cond))
}

/// A random number.
pub unsafe extern "C" fn random(frame: *mut Frame, lo: u64, hi: u64) -> u64 {
    // SAFETY: called by compiled code with its frame.
    let (_, host, _) = unsafe { open(frame) };
    host.env.externs.random.uniform(lo, hi)
}

/// Bit of the result of [`parse_state`] above the next state or, with it, the error.
pub const FAILED_SHIFT: u32 = 32;

/// A state that compiled code leaves alone.
pub unsafe extern "C" fn parse_state(frame: *mut Frame, state: u32) -> u64 {
    // SAFETY: called by compiled code with its frame.
    let (frame, host, _) = unsafe { open(frame) };
    let Work::Parser(value_sets, key) = &mut host.work else {
        unreachable!("only parsers have states");
    };
    let env = &mut *host.env;
    env.packet.parsed = frame.parsed as usize;
    let outcome = env.state(&env.program.parser.states[state as usize], value_sets, key);
    frame.parsed = env.packet.parsed as u64;
    match outcome {
        Ok(next) => u64::from(next),
        Err(Failed(error)) => 1 << FAILED_SHIFT | u64::from(error),
    }
}

/// Whether a checksum that compiled code leaves alone is right, or does not apply.
pub unsafe extern "C" fn verify(frame: *mut Frame, checksum: u32) -> u8 {
    // SAFETY: called by compiled code with its frame.
    let (frame, host, _) = unsafe { open(frame) };
    let env = &mut *host.env;
    env.packet.parsed = frame.parsed as usize;
    let checksum = &env.program.checksums[checksum as usize];
    u8::from(calc::holds(env.program, checksum, env.externs, env.packet))
}

/// Updates a checksum that compiled code leaves alone.
pub unsafe extern "C" fn update(frame: *mut Frame, checksum: u32) {
    // SAFETY: called by compiled code with its frame.
    let (_, host, _) = unsafe { open(frame) };
    let env = &mut *host.env;
    let checksum = &env.program.checksums[checksum as usize];
    calc::renew(env.program, checksum, env.externs, env.packet);
}

/// Runs the deparser's own primitives.
pub unsafe extern "C" fn finish(frame: *mut Frame) {
    // SAFETY: called by compiled code with its frame.
    let (_, host, _) = unsafe { open(frame) };
    host.env.run(&host.env.program.deparser.ops, &[]);
}

/// Makes room for headers of `length` bytes where the packet's are; gives its bytes.
pub unsafe extern "C" fn resize(frame: *mut Frame, length: u64) -> *mut u8 {
    // SAFETY: called by compiled code with its frame.
    let (_, host, _) = unsafe { open(frame) };
    let packet = &mut *host.env.packet;
    let bytes = std::mem::take(&mut packet.data);
    packet.data = deparser::resized(bytes, packet.parsed, length as usize);
    packet.data.as_mut_ptr()
}

/// Emits all headers of a packet that compiled code leaves alone.
pub unsafe extern "C" fn emit(frame: *mut Frame) {
    // SAFETY: called by compiled code with its frame.
    let (_, host, _) = unsafe { open(frame) };
    host.env.emit();
}

/// What compiled code can find wrong.
#[derive(Clone, Copy)]
pub enum Fault {
    RegisterIndex = 0,
    CounterIndex = 1,
}

/// Counts a [`Fault`].
pub unsafe extern "C" fn fault(frame: *mut Frame, fault: u32) {
    // SAFETY: called by compiled code with its frame.
    let (_, host, _) = unsafe { open(frame) };
    let faults = &host.env.externs.faults;
    Faults::count(match fault {
        0 => &faults.register_index,
        _ => &faults.counter_index,
    });
}
