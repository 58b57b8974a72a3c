// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Helpers called as machine code calls them: the functions here stand for the code. They keep its pointers, go through
//! these to all that it reads and writes, and call helpers in between. Miri cannot run machine code. It checks by these
//! functions that no reference of a helper or of `run` ends what such a pointer is good for.

use std::ptr::addr_of;

use super::super::fixture::{Fixture, COUNTED, EXACT, HASH, HEADER, LPM, STORE};
use super::super::frame::{run, Entry, Parsed};
use super::*;
use crate::exec::packet::Packet;
use crate::externs::counter::CounterArray;
use crate::externs::register::RegisterArray;
use crate::model::values::CounterValue;

/// The place of `h` and its validity.
const H: usize = 10;
const H_VALID: usize = 17;

/// The things that machine code has at hand: the frame, and the address of the packet's state, which it reads once.
#[derive(Clone, Copy)]
struct Machine {
    frame: *mut Frame,
    phv: *mut u8,
}

/// Machine code: all addresses that it uses are the frame's, and all places belong to the fixture's program.
impl Machine {
    fn new(frame: *mut Frame) -> Self {
        let phv = word(frame, Frame::PHV);
        Self { frame, phv }
    }

    fn x(self) -> u16 {
        // SAFETY: see above.
        u16::from_be(unsafe { self.phv.add(H).cast::<u16>().read_unaligned() })
    }

    fn y(self) -> u32 {
        // SAFETY: see above.
        u32::from_be(unsafe { self.phv.add(H + 2).cast::<u32>().read_unaligned() })
    }

    fn set_y(self, value: u32) {
        // SAFETY: see above.
        unsafe {
            let place = self.phv.add(H + 2).cast::<u32>();
            place.write_unaligned(value.to_be());
        }
    }

    fn table(self, table: u32) -> *const Table {
        let tables: *const Table = word(self.frame, Frame::TABLES);
        // SAFETY: see above.
        unsafe { tables.add(table as usize) }
    }

    fn rows(self, table: u32) -> u32 {
        // SAFETY: see above.
        unsafe {
            let rows = self.table(table).cast::<u8>().add(Table::ROWS);
            rows.cast::<u32>().read()
        }
    }

    fn set_key(self, key: u64) {
        // SAFETY: see above.
        unsafe {
            let place = self.frame.cast::<u8>().add(Frame::KEY as usize);
            place.cast::<u64>().write(key);
        }
    }

    /// Cell 1 of register 0.
    fn register(self) -> *mut u64 {
        let list: *const u8 = word(self.frame, Frame::REGISTERS);
        // SAFETY: see above.
        unsafe {
            let cells = list.add(RegisterArray::START).cast::<*mut u64>().read();
            cells.add(1)
        }
    }

    /// Cell 1 of counter 0.
    fn counter(self) -> *mut CounterValue {
        let list: *const u8 = word(self.frame, Frame::COUNTERS);
        // SAFETY: see above.
        unsafe {
            let place = list.add(CounterArray::START).cast::<*mut CounterValue>();
            place.read().add(1)
        }
    }

    /// The parameter of the action that a lookup gave.
    fn param(self) -> u32 {
        let params: *const u8 = word(self.frame, Frame::PARAMS);
        let nbytes: usize = word(self.frame, Frame::PARAMS_BYTES);
        assert!(nbytes >= 4);
        // SAFETY: see above; the only parameter is in the first bytes.
        u32::from_be(unsafe { params.cast::<u32>().read_unaligned() })
    }

    /// Runs the action that a lookup gave, by the interpreter as a whole, and looks at and changes by addresses what
    /// it did.
    fn act(self, result: u64, expected: u32) {
        assert_eq!(result as u32, STORE);
        assert_eq!(self.param(), expected);
        let (register, counter) = (self.register(), self.counter());
        // SAFETY: see above.
        unsafe {
            let before = addr_of!((*counter).packets).read();
            assert_eq!(perform(self.frame, STORE, u32::MAX), 0);
            assert_eq!((self.y(), register.read()), (expected, expected.into()));
            register.write(1);
            counter.cast::<u64>().write(before + 10);
            self.set_y(3);
            // The first primitive alone.
            assert_eq!(perform(self.frame, STORE, 0), 0);
            assert_eq!((self.y(), register.read()), (expected, 1));
        }
        assert_eq!(self.param(), expected);
    }
}

/// A number or address of the frame.
fn word<T: Copy>(frame: *mut Frame, offset: i32) -> T {
    // SAFETY: as for all that machine code does.
    unsafe { frame.cast::<u8>().add(offset as usize).cast::<T>().read() }
}

enum Block {
    Pipeline,
    Parser,
    Deparser,
}

fn run_as_code(entry: Entry, block: Block, fixture: &mut Fixture, packet: &mut Packet) -> Parsed {
    let layout = &fixture.program.layout.headers[HEADER];
    assert_eq!((layout.byte, layout.valid.byte), (H as u32, H_VALID as u32));
    let (mut env, tables) = fixture.with(packet);
    let mut key = Vec::new();
    let work = match block {
        Block::Pipeline => Work::Pipeline(tables),
        Block::Parser => Work::Parser(&[], &mut key),
        Block::Deparser => Work::Deparser,
    };
    // SAFETY: the entry does what code of the fixture's program may do.
    unsafe { run(entry, &mut env, work) }
}

unsafe extern "C" fn pipeline(frame: *mut Frame) {
    let code = Machine::new(frame);
    assert_eq!((code.x(), code.rows(EXACT)), (5, 1));
    // SAFETY: the frame is the one that was given, and all else is as the fixture's program has it.
    unsafe {
        assert_eq!(pay(frame, 1), 0);
        let found = find_exact(frame, code.table(EXACT), 5 << 48);
        assert_eq!(found >> HIT_SHIFT, 1);
        code.act(found, 50);
        assert_eq!(find_exact(frame, code.table(EXACT), 6 << 48), NOTHING);
        let found = find_lpm(frame, code.table(LPM), 7 << 48);
        code.act(found, 60);

        // Through the tables as a whole, in between the addresses of single ones.
        code.set_key(5 << 48);
        let found = find(frame, EXACT, 1);
        code.act(found, 50);
        let found = lookup(frame, COUNTED, 1);
        code.act(found, 70);
        assert_eq!((code.rows(COUNTED), code.rows(EXACT)), (1, 1));
        let found = find_exact(frame, code.table(EXACT), 5 << 48);
        let chosen = choose(frame, COUNTED, 0);
        assert_eq!(found, chosen);
        code.act(chosen, 70);
        assert_eq!(choose(frame, COUNTED, NO_ENTRY), NOTHING);

        // The tables and their actions.
        code.set_y(0);
        assert_eq!(apply(frame, LPM), u64::from(COUNTED));
        assert_eq!((code.y(), code.register().read()), (60, 60));

        super::fault(frame, Fault::RegisterIndex as u32);
        assert_eq!(random(frame, 4, 4), 4);
        assert_eq!((code.x(), code.y()), (5, 60));
    }
}

#[test]
fn a_pipeline_and_its_helpers_use_the_same_memory_in_turn() {
    let mut fixture = Fixture::new();
    let mut packet = fixture.packet();
    packet.phv.bytes[H..H + 2].copy_from_slice(&[0, 5]);
    run_as_code(pipeline, Block::Pipeline, &mut fixture, &mut packet);
    assert_eq!(packet.phv.bytes[H + 5], 60);
    assert_eq!(fixture.externs.registers[0].cell(1), Some(&[60][..]));
    // Five actions were run in `act`, which left 10 more for each, and one in `apply`.
    assert_eq!(fixture.externs.counters[0].cells[1].packets, 51);
    assert_eq!(fixture.externs.faults.register_index.get(), 1);
    let entry = fixture.tables.tables[COUNTED as usize].entry(0);
    assert_eq!(entry.counter.packets, 2);
}

unsafe extern "C" fn parser(frame: *mut Frame) {
    let code = Machine::new(frame);
    let data: *const u8 = word(frame, Frame::DATA);
    assert!(word::<u64>(frame, Frame::DATA_BYTES) >= 6);
    // SAFETY: as in `pipeline`; the packet's bytes were counted.
    unsafe {
        // Extracts `h`.
        data.copy_to_nonoverlapping(code.phv.add(H), 6);
        code.phv.add(H_VALID).write(1);
        let parsed = frame.cast::<u8>().add(Frame::PARSED as usize);
        parsed.cast::<u64>().write(6);
        let result = parse_state(frame, 1);
        assert_eq!(result >> FAILED_SHIFT, 0);
        let data: *const u8 = word(frame, Frame::DATA);
        assert_eq!((data.read(), code.x()), (0, 5));
        // Two of three implied bytes; there is no fourth.
        assert_eq!((lengthen(frame, 10), lengthen(frame, 12)), (1, 0));
        let data: *const u8 = word(frame, Frame::DATA);
        assert_eq!(word::<u64>(frame, Frame::DATA_BYTES), 10);
        assert_eq!((data.add(7).read(), data.add(9).read()), (0xbb, 0));
        let right = verify(frame, 0);
        code.set_y(2);
        let wrong = frame.cast::<u8>().add(Frame::WRONG as usize);
        wrong.cast::<u32>().write((right == 0).into());
    }
}

unsafe extern "C" fn deparser(frame: *mut Frame) {
    let code = Machine::new(frame);
    // SAFETY: as in `pipeline`.
    unsafe {
        update(frame, 0);
        let checksum = code.y();
        finish(frame, 0);
        assert_eq!((code.x(), code.y()), (9, checksum));
        // The header, as if it had one byte more, then as it is.
        let longer = resize(frame, 7);
        longer.add(6).write(0xcc);
        let data: *mut u8 = word(frame, Frame::DATA);
        assert_eq!(data, longer);
        code.phv.add(H).copy_to_nonoverlapping(data, 6);
    }
}

#[test]
fn a_parser_and_a_deparser_and_their_helpers_use_the_same_memory_in_turn() {
    let mut fixture = Fixture::new();
    let mut packet = fixture.packet();
    packet.data.append_zeros(3);
    let (error, right) = run_as_code(parser, Block::Parser, &mut fixture, &mut packet);
    assert_eq!((error, right, packet.parsed), (0, false, 6));
    run_as_code(deparser, Block::Deparser, &mut fixture, &mut packet);
    let checksum = packet.phv.bytes[H + 2..H + 6].to_vec();
    let expected = [&[0, 9], &*checksum, &[0xcc, 0xaa, 0xbb, 0, 0, 0]].concat();
    assert_eq!(*packet.data.all(), expected);

    unsafe extern "C" fn emits(frame: *mut Frame) {
        let code = Machine::new(frame);
        code.set_y(0x0102_0304);
        // SAFETY: as in `pipeline`.
        unsafe { emit(frame, 0) };
    }
    run_as_code(emits, Block::Deparser, &mut fixture, &mut packet);
    assert_eq!(packet.data.real()[..6], [0, 9, 1, 2, 3, 4]);
}

unsafe extern "C" fn panics(frame: *mut Frame) {
    let code = Machine::new(frame);
    // SAFETY: as in `pipeline`: a helper may be given any number and panics where it stands for nothing.
    unsafe {
        assert_eq!(find(frame, 99, 1), NOTHING);
        assert_eq!(find_exact(frame, code.table(LPM), 0), NOTHING);
        assert_eq!(find_lpm(frame, code.table(EXACT), 0), NOTHING);
        assert_eq!(lookup(frame, EXACT, 99), NOTHING);
        assert_eq!(choose(frame, COUNTED, 7), NOTHING);
        assert_eq!(apply(frame, 99), 1 << STOP_SHIFT);
        assert_eq!(perform(frame, 99, 0), STOP);
        assert_eq!(condition(frame, 99), 0);
        assert_eq!(parse_state(frame, 0), 1 << FAILED_SHIFT);
        assert_eq!(verify(frame, 99), 0);
        update(frame, 99);
        finish(frame, 99);
        super::emit(frame, 99);
        // Helpers that are called later do their work.
        code.set_y(8);
        assert_eq!(perform(frame, HASH, u32::MAX), 0);
        assert_ne!(code.y(), 8);
    }
}

unsafe extern "C" fn has_no_room(frame: *mut Frame) {
    // SAFETY: as in `panics`.
    assert!(unsafe { resize(frame, 0) }.is_null());
}

/// The text of the panic that code ends with.
fn panic_of(entry: Entry, block: Block, fixture: &mut Fixture, packet: &mut Packet) -> String {
    let run = || run_as_code(entry, block, fixture, packet);
    let panic = catch_unwind(AssertUnwindSafe(run)).expect_err("a helper panicked");
    *panic.downcast().expect("a text")
}

#[test]
fn a_panic_in_a_helper_is_one_of_run_and_code_comes_to_its_end() {
    let mut fixture = Fixture::new();
    let mut packet = fixture.packet();
    let first = panic_of(panics, Block::Pipeline, &mut fixture, &mut packet);
    assert!(
        first.contains("the len is 3 but the index is 99"),
        "{first}"
    );
    packet.parsed = packet.data.len() + 1;
    let text = panic_of(has_no_room, Block::Deparser, &mut fixture, &mut packet);
    assert!(text.contains("range"), "{text}");
}
