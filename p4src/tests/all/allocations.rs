// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Packets allocate nothing, but for their copies.

#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use quench_dataplane::{Output, Switch, SwitchConfig};
use quench_pipeline::router::{self, Profile, BECN, ECN_PROFILE};
use quench_pipeline::tables::CPU_PORT;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

struct Counting;

// SAFETY: everything is passed on to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.with(|count| count.set(count.get() + 1));
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The number of this thread's allocations so far; a buffer that grows counts as one.
fn allocations() -> u64 {
    ALLOCATIONS.with(Cell::get)
}

const PACKETS: u64 = 1000;
/// Packets of 1000 bytes are a little more than the port with a profile sends.
const GAP_NS: u64 = 78_000;
/// They fill its queue.
const BURST_GAP_NS: u64 = 1000;

/// A switch whose packets come in buffers that left it before.
struct Path {
    switch: Switch,
    now_ns: u64,
    buffers: Vec<Vec<u8>>,
}

impl Path {
    fn new(switch: Switch) -> Self {
        Self {
            switch,
            now_ns: 0,
            buffers: Vec::with_capacity(4096),
        }
    }

    /// Gives what the switch allocates for packets of one kind, once it has seen as many of them.
    fn measured(&mut self, packet: &[u8]) -> u64 {
        self.pass(packet, BURST_GAP_NS);
        self.pass(packet, GAP_NS)
    }

    fn pass(&mut self, packet: &[u8], gap_ns: u64) -> u64 {
        let mut allocated = 0;
        for _ in 0..PACKETS {
            let mut buffer = self.buffers.pop().unwrap_or_default();
            buffer.clear();
            buffer.extend_from_slice(packet);
            self.now_ns += gap_ns;
            let before = allocations();
            self.switch.receive(self.now_ns, 3, buffer);
            self.switch.advance(self.now_ns, &mut |output| {
                if let Output::Packet { bytes, .. } = output {
                    // Buffers beyond the capacity are freed.
                    if self.buffers.len() < self.buffers.capacity() {
                        self.buffers.push(bytes.into_vec());
                    }
                }
            });
            allocated += allocations() - before;
        }
        allocated
    }

    fn copies(&self) -> u64 {
        let names = ["clones_ingress", "clones_egress", "multicast_copies"];
        names.map(|name| stat(&self.switch, name)).iter().sum()
    }
}

fn stat(switch: &Switch, name: &str) -> u64 {
    let stats = Switch::stats(switch);
    let count = stats.iter().find(|(known, _)| *known == name);
    count.expect("a known count").1
}

/// The pipeline with a profile, as machine code and interpreted.
fn pipelines(profile: Profile) -> [Path; 2] {
    let program = quench_pipeline::program();
    [false, true].map(|interpreted| {
        let mut switch = Switch::new(SwitchConfig {
            cpu_port: Some(CPU_PORT),
            interpreted,
            ..SwitchConfig::default()
        });
        switch.load_json(&program).expect("the pipeline loads");
        router::fill(&mut switch, &profile);
        Path::new(switch)
    })
}

#[test]
fn forwarded_and_dropped_packets_allocate_nothing() {
    for mut path in pipelines(ECN_PROFILE) {
        for (kind, packet) in [
            ("data", router::ipv4(2, 2, 1000)),
            ("acknowledgement", router::ipv4(2, 0, 40)),
            ("IPv6", router::ipv6(2, 2, 64, 900)),
            ("without a route", router::ipv4(77, 2, 900)),
            ("of an expired hop limit", router::ipv6(2, 2, 1, 900)),
            ("shorter than its headers", vec![0; 20]),
        ] {
            assert_eq!(path.measured(&packet), 0, "{kind}");
        }
        assert_eq!(path.copies(), 0);
    }
}

/// Queue, average, marks, early drops; of a marked packet a copy goes to the controller from egress, or from ingress
/// with `mark_at_tail`, or becomes a source quench and is recirculated.
#[test]
fn packets_of_a_congested_queue_allocate_only_for_their_copies() {
    let becn = Profile {
        curve: BECN,
        ..ECN_PROFILE
    };
    let tail = Profile {
        mark_at_tail: true,
        ..becn
    };
    let dataplane = Profile {
        isq_in_dataplane: true,
        ..becn
    };
    let now = Profile {
        depth_now: true,
        ..dataplane
    };
    for (profile, recirculates) in [
        (ECN_PROFILE, false),
        (becn, false),
        (tail, false),
        (dataplane, true),
        (now, true),
    ] {
        for mut path in pipelines(profile) {
            for ecn in [0, 2] {
                let packet = router::ipv4(1, ecn, 1000);
                // The queue reaches the depth that it never exceeds.
                for gap_ns in [BURST_GAP_NS, GAP_NS, GAP_NS, GAP_NS] {
                    path.pass(&packet, gap_ns);
                }
                let before = path.copies();
                let allocated = path.pass(&packet, GAP_NS);
                let copies = path.copies() - before;
                assert!(copies > 0, "at least the reports of the queue");
                assert!(
                    allocated <= 3 * copies,
                    "{profile:?}: {allocated} for {copies} copies"
                );
            }
            assert_eq!(stat(&path.switch, "recirculated") > 0, recirculates);
        }
    }
}
