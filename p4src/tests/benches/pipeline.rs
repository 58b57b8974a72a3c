// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Packets a second through the pipeline, from memory to memory: parser, ingress, queue, egress, deparser.
//!
//! Every packet is written to a buffer, handed over with it, and the buffer that comes out is used again.
//! `mix` is what a router of a dumbbell sees: of four packets one is data for the port with a profile, one the ACK of
//! it, and two pass a port without one.

use std::hint::black_box;

use criterion::{criterion_group, criterion_main, Criterion, Throughput};
use quench_dataplane::{Output, Switch};
use quench_pipeline::router;

/// Packets in one measured step.
const BATCH: u64 = 1000;

/// A switch under load: packets come as fast as the port with the profile sends them, after a head start.
struct Load {
    switch: Switch,
    now_ns: u64,
    packets: Vec<Vec<u8>>,
    gap_ns: u64,
    spare: Vec<Vec<u8>>,
}

impl Load {
    fn new(program: &str, packets: Vec<Vec<u8>>, gap_ns: u64) -> Self {
        let mut load = Self {
            switch: router::switch(program, &router::ECN_PROFILE),
            now_ns: 1_000_000_000,
            packets,
            gap_ns,
            spare: Vec::new(),
        };
        let data = router::ipv4(1, 2, 1000);
        for _ in 0..10 {
            load.switch.receive(load.now_ns, 3, &data);
        }
        load
    }

    fn step(&mut self) {
        for at in 0..BATCH {
            self.now_ns += self.gap_ns;
            let packet = &self.packets[at as usize % self.packets.len()];
            let mut buffer = self.spare.pop().unwrap_or_default();
            buffer.clear();
            buffer.extend_from_slice(packet);
            self.switch.receive(self.now_ns, 3, buffer);
            self.switch.advance(self.now_ns, &mut |output| {
                if let Output::Packet { bytes, .. } = output {
                    self.spare.push(black_box(bytes.into_vec()));
                }
            });
        }
    }
}

fn pipeline(criterion: &mut Criterion) {
    let program = quench_pipeline::program();
    let data = |net| router::ipv4(net, 2, 1000);
    let ack = |net| router::ipv4(net, 0, 40);
    // 1014 bytes on 100 Mb/s.
    let gap_ns = 81_120;
    let loads = [
        ("aqm_data", vec![data(1)], gap_ns),
        ("plain_data", vec![data(2)], gap_ns),
        ("plain_ack", vec![ack(2)], gap_ns),
        ("mix", vec![data(1), ack(2), data(2), ack(2)], gap_ns / 4),
    ];
    let mut group = criterion.benchmark_group("pipeline");
    group.throughput(Throughput::Elements(BATCH));
    for (name, packets, gap_ns) in loads {
        let mut load = Load::new(&program, packets, gap_ns);
        group.bench_function(name, |bencher| bencher.iter(|| load.step()));
    }
    group.finish();
    criterion.bench_function("load", |bencher| {
        bencher.iter(|| {
            let mut switch = Switch::new(Default::default());
            switch.load_json(&program).expect("the pipeline loads");
            switch
        })
    });
}

criterion_group!(benches, pipeline);
criterion_main!(benches);
