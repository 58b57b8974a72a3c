// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Programs, packets and the control plane's calls, as users of the crate have them: a module for each topic, in one executable.

mod arithmetic;
mod budget;
mod buffers;
mod checksums;
mod common;
mod compiled;
mod copies;
mod extended;
mod externs;
mod hostile_programs;
mod loading;
mod logging;
mod lookups;
mod no_allocation;
mod packet_life;
mod parsing;
mod passing;
mod queues;
mod sharing;
mod tables;
mod tna;
mod trace_limits;
mod traces;
mod units;
