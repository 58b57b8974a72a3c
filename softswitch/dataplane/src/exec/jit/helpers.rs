// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The functions that machine code calls.
//!
//! One declaration makes all of a helper: the function, its name among [`Call`], and the symbol, signature and address
//! that the code generator needs, so that they cannot differ.
//!
//! Machine code cannot be unwound. So a helper that panics catches the panic and gives the code a result that is safe
//! to go on with. `frame::run` panics in its place once the code has returned.

#![allow(unsafe_code)]

use std::panic::{catch_unwind, AssertUnwindSafe};

use cranelift_codegen::ir::types::{I32, I64, I8};
use cranelift_codegen::ir::Type;

use super::super::calc;
use super::super::parser::Failed;
use super::frame::{Frame, Opened, Work};
use crate::externs::faults::Faults;
use crate::tables::bound::Bound;
use crate::tables::table::Table;

/// Bit of the result of a lookup; the action is below, `u32::MAX` for none.
pub const HIT_SHIFT: u32 = 32;

/// Bit of the result of [`Call::Apply`] above the next node: whether to stop.
pub const STOP_SHIFT: u32 = 32;

/// Stands for a miss.
pub const NO_ENTRY: u32 = u32::MAX;

/// The result of a lookup that finds neither an entry nor a default action.
const NOTHING: u64 = u32::MAX as u64;

/// The result of a helper after which the code is to stop.
const STOP: u8 = 1;

/// Bit of the result of [`Call::ParseState`] above the next state or, with it, the error.
pub const FAILED_SHIFT: u32 = 32;

/// Faults that compiled code detects.
#[derive(Clone, Copy)]
pub enum Fault {
    RegisterIndex = 0,
    CounterIndex = 1,
}

/// A type that code and helpers hand to each other, as the code generator knows it.
trait Handed {
    const TYPE: Option<Type>;
}

macro_rules! handed {
    ($($type:ty => $as:expr),* $(,)?) => {
        $(impl Handed for $type {
            const TYPE: Option<Type> = $as;
        })*
    };
}

// Addresses have 64 bits on all machines that code is made for.
handed! {
    () => None,
    u8 => Some(I8),
    u32 => Some(I32),
    u64 => Some(I64),
    *const Table => Some(I64),
    *mut u8 => Some(I64),
}

/// A helper as the code generator calls it.
pub struct Helper {
    pub symbol: &'static str,
    /// Behind the frame.
    pub params: Vec<Type>,
    pub result: Option<Type>,
    pub address: *const u8,
}

fn types(all: &[Option<Type>]) -> Vec<Type> {
    all.iter().copied().flatten().collect()
}

macro_rules! helpers {
    ($(
        $(#[$doc:meta])*
        $call:ident = $name:ident($opened:ident $(, $arg:ident: $type:ty)* $(,)?) -> $result:ty
            | $panicked:expr => $body:block
    )*) => {
        #[derive(Clone, Copy)]
        pub enum Call {
            $($(#[$doc])* $call,)*
        }

        $(unsafe extern "C" fn $name(frame: *mut Frame $(, $arg: $type)*) -> $result {
            /// This function holds for any lifetimes.
            #[allow(unused_mut)]
            #[inline(always)]
            fn body(mut $opened: Opened<'_, '_, '_> $(, $arg: $type)*) -> $result $body

            // SAFETY: only compiled code calls it, with the frame that it got itself, and waits; `body` is right for
            // any lifetimes, and its result has none.
            let run = || body(unsafe { Opened::of(frame) } $(, $arg)*);
            // Nobody uses what the panic left half changed: `run` panics, too.
            match catch_unwind(AssertUnwindSafe(run)) {
                Ok(result) => result,
                Err(panic) => {
                    // SAFETY: as above; what `body` had is gone.
                    unsafe { Opened::of(frame) }.host.note_panic(panic);
                    $panicked
                }
            }
        })*

        /// All helpers, in the order of [`Call`].
        pub fn all() -> impl Iterator<Item = Helper> {
            let helpers = [$(Helper {
                symbol: stringify!($name),
                params: types(&[$(<$type as Handed>::TYPE),*]),
                result: <$result as Handed>::TYPE,
                address: $name as unsafe extern "C" fn(*mut Frame $(, $type)*) -> $result as *const u8,
            }),*];
            helpers.into_iter()
        }
    };
}

impl Frame {
    /// The result of a lookup; the action's parameters go to the frame.
    fn found(&mut self, hit: bool, call: Option<&Bound>) -> u64 {
        let action = match call {
            Some(call) => {
                self.take_params(call);
                call.action
            }
            None => u32::MAX,
        };
        u64::from(hit) << HIT_SHIFT | u64::from(action)
    }
}

helpers! {
    /// Looks up a packed key of one word in a table with an exact map that notes no hits.
    FindExact = find_exact(opened, table: *const Table, key: u64) -> u64 | NOTHING => {
        // SAFETY: the code counts from the frame's tables on to one of them.
        let (table, frame) = unsafe { opened.table(table) };
        let hit = table.lookup_exact(key);
        frame.found(hit.is_some(), table.call(hit))
    }

    /// As [`Call::FindExact`], in a table with prefixes.
    FindLpm = find_lpm(opened, table: *const Table, key: u64) -> u64 | NOTHING => {
        // SAFETY: as there.
        let (table, frame) = unsafe { opened.table(table) };
        let hit = table.lookup_lpm(key);
        frame.found(hit.is_some(), table.call(hit))
    }

    /// Looks up the packed key in the frame, which has `words` words, in a table that notes no hits.
    Find = find(opened, table: u32, words: u32) -> u64 | NOTHING => {
        let Opened { frame, host } = opened;
        let (_, tables) = host.pipeline();
        let table = &mut tables.tables[table as usize];
        let hit = table.lookup(&frame.key[..words as usize]);
        frame.found(hit.is_some(), table.call(hit))
    }

    /// As [`Call::Find`], in any table without an action profile.
    Lookup = lookup(opened, table: u32, words: u32) -> u64 | NOTHING => {
        let Opened { frame, host } = opened;
        let (env, tables) = host.pipeline();
        let hit = tables.tables[table as usize].lookup(&frame.key[..words as usize]);
        let call = env.choose_direct(table, hit, tables);
        frame.found(hit.is_some(), call)
    }

    /// The result of an entry that compiled code found, or of [`NO_ENTRY`], in any table without an action
    /// profile.
    Choose = choose(opened, table: u32, entry: u32) -> u64 | NOTHING => {
        let Opened { frame, host } = opened;
        let (env, tables) = host.pipeline();
        let hit = (entry != NO_ENTRY).then_some(entry);
        let call = env.choose_direct(table, hit, tables);
        frame.found(hit.is_some(), call)
    }

    /// Applies a table that compiled code leaves alone: gives the next node, and above it whether to stop.
    Apply = apply(opened, table: u32) -> u64 | u64::from(STOP) << STOP_SHIFT => {
        let (env, tables) = opened.host.pipeline();
        let next = env.apply_table::<false>(table, tables);
        u64::from(env.packet.requests.exit) << STOP_SHIFT | u64::from(next)
    }

    /// Runs a whole action, or one primitive of it where `at` is one; gives whether to stop.
    Perform = perform(opened, action: u32, at: u32) -> u8 | STOP => {
        let (env, params) = opened.acting();
        let ops = &env.program.actions[action as usize].ops;
        match ops.get(at as usize) {
            Some(op) => env.run::<false>(std::slice::from_ref(op), params),
            None => env.run::<false>(ops, params),
        }
        u8::from(env.packet.requests.exit)
    }

    /// Pays for the visit of a node in a pipeline that loops; gives whether to stop.
    Pay = pay(opened, work: u32) -> u8 | STOP => {
        u8::from(!opened.host.env.pay(work))
    }

    /// A condition that compiled code leaves alone.
    Condition = condition(opened, cond: u32) -> u8 | 0 => {
        let (env, params) = opened.acting();
        u8::from(env.ctx(params).bool(cond))
    }

    /// A random number.
    Random = random(opened, lo: u64, hi: u64) -> u64 | 0 => {
        opened.host.env.externs.random.uniform(lo, hi)
    }

    /// Counts a [`Fault`].
    Fault = fault(opened, fault: u32) -> () | () => {
        let faults = &opened.host.env.externs.faults;
        Faults::count(match fault {
            0 => &faults.register_index,
            _ => &faults.counter_index,
        });
    }

    /// A state that compiled code leaves alone.
    ParseState = parse_state(opened, state: u32) -> u64 | 1 << FAILED_SHIFT => {
        let Opened { frame, host } = opened;
        let Work::Parser(value_sets, key) = &mut host.work else {
            unreachable!("only parsers have states");
        };
        let env = &mut *host.env;
        env.packet.parsed = frame.parsed as usize;
        let outcome = env.state::<false>(&env.program.states[state as usize], value_sets, key);
        frame.parsed = env.packet.parsed as u64;
        frame.take_data(env.packet);
        match outcome {
            Ok(next) => u64::from(next),
            Err(Failed(error)) => 1 << FAILED_SHIFT | u64::from(error),
        }
    }

    /// Makes the first `count` bytes of the packet real; gives whether there are so many.
    Lengthen = lengthen(opened, count: u64) -> u8 | 0 => {
        let packet = &mut *opened.host.env.packet;
        let reaches = packet.data.lengthen(count as usize);
        opened.frame.take_data(packet);
        u8::from(reaches)
    }

    /// Whether a checksum that compiled code leaves alone is right, or does not apply.
    Verify = verify(opened, checksum: u32) -> u8 | 0 => {
        let env = &mut *opened.host.env;
        env.packet.parsed = opened.frame.parsed as usize;
        let checksum = &env.program.checksums[checksum as usize];
        let holds = calc::holds(env.program, checksum, env.externs, env.packet);
        opened.frame.take_data(env.packet);
        u8::from(holds)
    }

    /// Updates a checksum that compiled code leaves alone.
    Update = update(opened, checksum: u32) -> () | () => {
        let env = &mut *opened.host.env;
        let checksum = &env.program.checksums[checksum as usize];
        calc::renew(env.program, checksum, env.externs, env.packet);
        opened.frame.take_data(env.packet);
    }

    /// Runs a deparser's own primitives.
    Finish = finish(opened, deparser: u32) -> () | () => {
        let env = &mut *opened.host.env;
        env.run::<false>(&env.program.deparsers[deparser as usize].ops, &[]);
        opened.frame.take_data(env.packet);
    }

    /// Makes room for headers of `length` bytes where the packet's are; gives its bytes, null where there are none.
    Resize = resize(opened, length: u64) -> *mut u8 | std::ptr::null_mut() => {
        let packet = &mut *opened.host.env.packet;
        let mut bytes = std::mem::take(&mut packet.data);
        bytes.resize_start(packet.parsed, length as usize);
        packet.data = bytes;
        opened.frame.take_data(packet)
    }

    /// Emits all headers of a packet that compiled code leaves alone.
    Emit = emit(opened, deparser: u32) -> () | () => {
        let env = &mut *opened.host.env;
        env.emit(&env.program.deparsers[deparser as usize]);
    }
}

#[cfg(test)]
mod tests;
