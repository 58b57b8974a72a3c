// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The program that hands an interface's packets to a socket, and its link with the interface.
//!
//! Both go with their descriptors, so also when the process is killed.

#![allow(unsafe_code)]

use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

// Numbers of linux/bpf.h, which libc does not declare.
const MAP_CREATE: libc::c_long = 0;
const MAP_UPDATE_ELEM: libc::c_long = 2;
const PROG_LOAD: libc::c_long = 5;
const LINK_CREATE: libc::c_long = 28;
const MAP_TYPE_XSKMAP: u32 = 17;
const PROG_TYPE_XDP: u32 = 6;
const ATTACH_XDP: u32 = 37;
const PSEUDO_MAP_FD: u8 = 1;
const HELPER_REDIRECT_MAP: i32 = 51;
const XDP_PASS: i32 = 2;
/// `rx_queue_index` in the program's argument.
const QUEUE_OFFSET: i16 = 16;
const LICENCE: &[u8] = b"Apache-2.0\0";

/// The place in the kernel where the program runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// In the driver, before the packet has a description of the kernel's.
    Driver = 1 << 2,
    /// In the kernel's stack: with every driver.
    Generic = 1 << 1,
}

/// The program on an interface, until it is dropped.
#[derive(Debug)]
pub struct Attached {
    _link: OwnedFd,
}

#[repr(C)]
struct MapCreate {
    kind: u32,
    key_bytes: u32,
    value_bytes: u32,
    entries: u32,
}

#[repr(C)]
struct MapUpdate {
    map: u32,
    pad: u32,
    key: u64,
    value: u64,
    flags: u64,
}

#[repr(C)]
struct ProgLoad {
    kind: u32,
    instructions: u32,
    first: u64,
    licence: u64,
    log_level: u32,
    log_bytes: u32,
    log: u64,
    kernel_version: u32,
    flags: u32,
    name: [u8; 16],
    ifindex: u32,
    expected_attach: u32,
}

#[repr(C)]
struct LinkCreate {
    program: u32,
    ifindex: u32,
    attach: u32,
    flags: u32,
}

/// One instruction of eBPF.
fn instruction(code: u8, destination: u8, source: u8, offset: i16, value: i32) -> [u8; 8] {
    let [o0, o1] = offset.to_ne_bytes();
    let [v0, v1, v2, v3] = value.to_ne_bytes();
    let registers = if cfg!(target_endian = "little") {
        source << 4 | destination
    } else {
        destination << 4 | source
    };
    [code, registers, o0, o1, v0, v1, v2, v3]
}

/// `return bpf_redirect_map(map, context->rx_queue_index, XDP_PASS)`: of another queue, packets go to the kernel.
fn instructions(map: i32) -> [[u8; 8]; 6] {
    [
        instruction(0x61, 2, 1, QUEUE_OFFSET, 0),
        instruction(0x18, 1, PSEUDO_MAP_FD, 0, map),
        instruction(0, 0, 0, 0, 0),
        instruction(0xb7, 3, 0, 0, XDP_PASS),
        instruction(0x85, 0, 0, 0, HELPER_REDIRECT_MAP),
        instruction(0x95, 0, 0, 0, 0),
    ]
}

/// # Safety
///
/// `attributes` is what the command takes, and what it points at is valid for the call.
unsafe fn bpf<T>(command: libc::c_long, attributes: &T) -> io::Result<i32> {
    let address = std::ptr::from_ref(attributes);
    // SAFETY: as the caller promises; the kernel only reads the attributes.
    let result = unsafe { libc::syscall(libc::SYS_bpf, command, address, size_of::<T>()) };
    match i32::try_from(result) {
        Ok(result) if result >= 0 => Ok(result),
        _ => Err(io::Error::last_os_error()),
    }
}

/// # Safety
///
/// As for [`bpf`], of a command that makes a descriptor.
unsafe fn create<T>(command: libc::c_long, attributes: &T) -> io::Result<OwnedFd> {
    // SAFETY: as the caller promises.
    let fd = unsafe { bpf(command, attributes) }?;
    // SAFETY: the kernel has just made it for this call.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

/// From now on the packets of the interface's first queue go to `socket`.
pub fn attach(socket: &OwnedFd, ifindex: u32, mode: Mode) -> io::Result<Attached> {
    let map = MapCreate {
        kind: MAP_TYPE_XSKMAP,
        key_bytes: 4,
        value_bytes: 4,
        entries: 1,
    };
    // SAFETY: the attributes are complete and point at nothing.
    let map = unsafe { create(MAP_CREATE, &map) }?;
    let (key, value) = (0u32, socket.as_raw_fd());
    let update = MapUpdate {
        map: map.as_raw_fd() as u32,
        pad: 0,
        key: &raw const key as u64,
        value: &raw const value as u64,
        flags: 0,
    };
    // SAFETY: key and value have the lengths that the map was made with.
    unsafe { bpf(MAP_UPDATE_ELEM, &update) }?;
    let instructions = instructions(map.as_raw_fd());
    let program = ProgLoad {
        kind: PROG_TYPE_XDP,
        instructions: instructions.len() as u32,
        first: instructions.as_ptr() as u64,
        licence: LICENCE.as_ptr() as u64,
        log_level: 0,
        log_bytes: 0,
        log: 0,
        kernel_version: 0,
        flags: 0,
        name: *b"quench_switch\0\0\0",
        ifindex: 0,
        expected_attach: ATTACH_XDP,
    };
    // SAFETY: the instructions have the stated number, the licence ends with a NUL.
    let program = unsafe { create(PROG_LOAD, &program) }?;
    let link = LinkCreate {
        program: program.as_raw_fd() as u32,
        ifindex,
        attach: ATTACH_XDP,
        flags: mode as u32,
    };
    // SAFETY: the attributes are complete and point at nothing.
    let link = unsafe { create(LINK_CREATE, &link) }?;
    Ok(Attached { _link: link })
}
