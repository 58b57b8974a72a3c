// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

mod accecn;
mod basics;
mod dctcp;
mod handshake;
mod knobs;
mod lab;
mod negotiation;
mod ns2;
mod prague;
mod properties;
mod recovery;
mod settings;
mod signals;
