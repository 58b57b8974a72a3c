// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The ends of the wire bench, and its yardstick. Each role is a process of its own on one thread; `bench/wire.py`
//! starts them in namespaces and pins them to cores.
//!
//! A role takes `key=value` words and prints one line of JSON at its end. One that serves others prints `ready`
//! before, and ends when its standard input ends, so that nothing is left behind.

pub mod arguments;
pub mod count;
pub mod forward;
pub mod frame;
pub mod packet_socket;
pub mod round_trip;
pub mod send;
pub mod serving;
pub mod tcp;
