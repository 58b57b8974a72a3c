// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The interface of machine code and interpreter: the frame that the code reads.
//!
//! The code gets one pointer, to a [`Frame`] on the caller's stack, and hands it back to the functions that it calls
//! (`helpers`). `Frame::host` points at the arguments of `run`, which are not used elsewhere meanwhile.
//!
//! The code and the helpers use the same memory in turn. A reference that a helper makes must not end what the code's
//! pointers are good for. So all of these are the pointers that the memory is owned by (`Cells::start`), or are taken
//! anew once the helper is done with its references; docs/reliability/unsafe-code.md lists them.

#![allow(unsafe_code)]

use std::any::Any;
use std::ffi::c_void;
use std::mem::{offset_of, ManuallyDrop};
use std::panic::resume_unwind;

use super::super::packet::Packet;
use super::super::parser::ValueSets;
use crate::exec::env::Env;
use crate::externs::counter::CounterArray;
use crate::externs::register::RegisterArray;
use crate::tables::bound::Bound;
use crate::tables::table::Table;
use crate::tables::Tables;

/// Words of a packed key that the code itself can put together.
pub const KEY_WORDS: usize = 4;

/// A compiled pipeline.
pub type Entry = unsafe extern "C" fn(*mut Frame);

/// Values at constant offsets from the code's one argument.
#[repr(C)]
pub struct Frame {
    phv: *mut u8,
    registers: *const RegisterArray,
    counters: *const CounterArray,
    /// The tables of a pipeline.
    tables: *const Table,
    /// Parameters of the running action.
    params: *const u8,
    params_bytes: usize,
    ingress_bytes: u64,
    drop_port: u64,
    pub key: [u64; KEY_WORDS],
    /// The packet's real bytes, for the parser and the deparser.
    data: *mut u8,
    data_bytes: u64,
    /// Bytes that the parser has consumed, and the error that it ended with.
    pub parsed: u64,
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

    /// An action is to run with the parameters of a table entry.
    pub fn take_params(&mut self, call: &Bound) {
        (self.params, self.params_bytes) = (call.data.as_ptr(), call.data.len());
    }

    /// Takes the address of the packet's bytes anew; gives it. A helper ends with it if it may have made a reference to
    /// them.
    pub fn take_data(&mut self, packet: &mut Packet) -> *mut u8 {
        (self.data, self.data_bytes) = (packet.data.start(), packet.data.real().len() as u64);
        self.data
    }
}

/// The value that a panic leaves.
pub type Panic = Box<dyn Any + Send>;

/// The arguments of [`run`].
pub struct Host<'a, 'b> {
    pub env: &'a mut Env<'b>,
    pub work: Work<'a>,
    /// The panic of the first helper that had one; `run` takes it out. Without a drop a run is cheaper.
    panic: ManuallyDrop<Option<Panic>>,
}

/// State besides the packet that a block reads and changes.
pub enum Work<'a> {
    Pipeline(&'a mut Tables),
    Parser(&'a ValueSets, &'a mut Vec<u64>),
    Deparser,
}

/// The parser's result: its error, and whether all checksums are right.
pub type Parsed = (u32, bool);

impl<'a, 'b> Host<'a, 'b> {
    pub fn pipeline(&mut self) -> (&mut Env<'b>, &mut Tables) {
        match &mut self.work {
            Work::Pipeline(tables) => (self.env, tables),
            Work::Parser(..) | Work::Deparser => unreachable!("only pipelines have tables"),
        }
    }

    /// Keeps a panic until the code has come to its end.
    #[cold]
    pub fn note_panic(&mut self, panic: Panic) {
        self.panic.get_or_insert(panic);
    }
}

/// Runs a compiled pipeline, parser or deparser on a packet; gives the parser's result. If a helper panics, so does
/// this.
///
/// # Safety
/// `entry` was compiled for the program of `env`; the externs and tables are of that program, and the packet has the
/// state that its layout says.
// Inlined, so that `work` is not moved on the way.
#[inline(always)]
pub unsafe fn run(entry: Entry, env: &mut Env<'_>, work: Work<'_>) -> Parsed {
    let tables = match &work {
        Work::Pipeline(tables) => tables.tables.start().cast_const(),
        _ => std::ptr::null(),
    };
    let mut host = Host {
        env,
        work,
        panic: ManuallyDrop::new(None),
    };
    let mut frame = Frame {
        phv: host.env.packet.phv.bytes.start(),
        registers: host.env.externs.registers.start(),
        counters: host.env.externs.counters.start(),
        tables,
        params: std::ptr::null(),
        params_bytes: 0,
        ingress_bytes: u64::from(host.env.packet.ingress_bytes),
        drop_port: u64::from(host.env.externs.drop_port),
        key: [0; KEY_WORDS],
        data: host.env.packet.data.start(),
        data_bytes: host.env.packet.data.real().len() as u64,
        parsed: host.env.packet.parsed as u64,
        error: 0,
        wrong: 0,
        host: (&raw mut host).cast(),
    };
    // SAFETY: the caller's promise; the frame and all behind it outlive the call.
    unsafe { entry(&raw mut frame) }
    if host.panic.is_some() {
        raise(&mut host.panic);
    }
    if let Work::Parser(..) = host.work {
        host.env.packet.parsed = frame.parsed as usize;
    }
    (frame.error, frame.wrong == 0)
}

/// Goes on with a panic where code can be unwound.
#[cold]
#[inline(never)]
fn raise(panic: &mut Option<Panic>) -> ! {
    resume_unwind(panic.take().expect("a helper panicked"))
}

/// The frame that compiled code handed to a helper, and the frame's host.
pub struct Opened<'x, 'a, 'b> {
    pub frame: &'x mut Frame,
    pub host: &'x mut Host<'a, 'b>,
}

impl<'x, 'a, 'b> Opened<'x, 'a, 'b> {
    /// The lifetimes are whatever the caller says. The true ones are those of `run`'s arguments, and for `'x` the time
    /// until the code goes on.
    ///
    /// # Safety
    /// `frame` is what [`run`] gave to the code that now calls, and all that comes of it is gone before that code
    /// goes on. It is used by nothing but a function that is right for any lifetimes, so for the true ones: such a
    /// function can keep nothing, and cannot put anything into the host that dies sooner.
    pub unsafe fn of(frame: *mut Frame) -> Self {
        // SAFETY: `run` made the frame and its host; no other reference to them is used while the code waits.
        let (frame, host) = unsafe {
            let frame = &mut *frame;
            let host = &mut *frame.host.cast::<Host<'a, 'b>>();
            (frame, host)
        };
        Self { frame, host }
    }

    /// The packet with its surroundings, and the parameters of the running action. The tables, whose entries these may
    /// belong to, are out of reach meanwhile.
    pub fn acting(&mut self) -> (&mut Env<'b>, &[u8]) {
        let params = match self.frame.params_bytes {
            0 => &[],
            // SAFETY: the two are set together, by `take_params` and by the code, to what a table entry has. No entry
            // comes, goes or gets other parameters while a packet is processed, and nobody writes them.
            bytes => unsafe { std::slice::from_raw_parts(self.frame.params, bytes) },
        };
        (self.host.env, params)
    }

    /// A table that the code names by its address, and the frame. The host, whose tables it is one of, is out of reach
    /// meanwhile.
    ///
    /// # Safety
    /// `table` is one of those that start at the frame's `tables`.
    pub unsafe fn table(&mut self, table: *const Table) -> (&Table, &mut Frame) {
        // SAFETY: it is one of the host's, and nobody else uses the host while `self` is borrowed.
        (unsafe { &*table }, self.frame)
    }
}
