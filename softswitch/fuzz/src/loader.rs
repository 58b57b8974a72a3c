// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! BMv2 JSON: the loader refuses it, or every packet goes through.

use fastrand::Rng;
use quench_dataplane::{Switch, SwitchConfig};

use crate::counts::COUNTS;
use crate::packets::Watch;
use crate::setup::{self, Arrivals};

const PACKETS: usize = 24;

pub(crate) fn run(data: &[u8]) -> bool {
    COUNTS.input();
    let Ok(json) = std::str::from_utf8(data) else {
        return false;
    };
    let mut switch = Switch::new_interpreted(SwitchConfig::default());
    if switch.load_json(json).is_err() {
        return false;
    }
    COUNTS.accept();
    let mut rng = Rng::with_seed(1);
    setup::fill(&mut switch, &[], &mut rng);
    let mut arrivals = Arrivals::new(&[], rng);
    let mut now_ns = 0;
    let mut watch = Watch::start();
    for _ in 0..PACKETS {
        COUNTS.packet();
        let arrival = arrivals.next();
        now_ns += arrival.gap_ns;
        switch.receive(now_ns, arrival.port, &arrival.bytes);
        switch.advance(now_ns, &mut |_| {});
        if !watch.goes_on() {
            break;
        }
    }
    switch.advance(now_ns + 1_000_000_000, &mut |_| {});
    true
}
