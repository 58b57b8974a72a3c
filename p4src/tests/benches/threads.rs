// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The gain of two threads over one, from memory to memory, in each way to share the data plane.
//!
//! Each thread has packets for a pair of ports of its own. It fills a batch of buffers, has them passed through the
//! pipeline, and takes the buffers that come out. `outside_ns` is work on each packet that is no part of the data
//! plane, as the kernel's is on a wire. The ways:
//!
//! - `lock`: one switch behind one lock, held for a batch. This is what the embedded switch does.
//! - `thread`: one more thread has the switch; the others hand it batches and get them back.
//! - `owned`: each thread has a switch of its own. No program can be cut like this that reads another port's state:
//!   it is the bound of every kind of ownership.
//! - `cells`: as `owned`, and for each packet the locks that a shared switch would need: one for each access to a
//!   cell, which no other thread wants, and a shared one for each table. It is the least cost of such locks.
//!
//! It prints JSON: the packets of a second, of all threads together, for each way, outside work and number of threads.

use std::hint::black_box;
use std::sync::mpsc::{sync_channel, Receiver, SyncSender};
use std::sync::{Barrier, Mutex, MutexGuard, PoisonError, RwLock};
use std::thread;
use std::time::{Duration, Instant};

use quench_dataplane::control::PortOptions;
use quench_dataplane::{Output, Switch};
use quench_pipeline::router;

/// Packets for which the embedded switch holds its lock.
const BATCH: usize = 64;
const ROUND: Duration = Duration::from_millis(200);
const WAYS: [&str; 4] = ["lock", "thread", "owned", "cells"];
/// The third is about the kernel's time for a packet on packet sockets.
const OUTSIDE_NS: [u64; 3] = [0, 400, 1600];
/// About the accesses of `quench.p4` to registers and counters for a packet of a port with a profile, and to tables.
const CELLS: usize = 12;
const TABLES: usize = 8;

type Batch = Vec<Vec<u8>>;

fn main() {
    let rounds = std::env::args().skip(1).find_map(|word| word.parse().ok());
    let program = quench_pipeline::program();
    for _ in 0..rounds.unwrap_or(3) {
        for way in WAYS {
            for outside_ns in OUTSIDE_NS {
                for threads in [1, 2] {
                    let rate = measure(&program, way, outside_ns, threads);
                    println!(
                        "{{\"way\": \"{way}\", \"outside_ns\": {outside_ns}, \"threads\": {threads}, \
                         \"packets_per_s\": {rate:.0}}}"
                    );
                }
            }
        }
    }
}

/// A switch whose port with a profile has no rate.
fn switch(program: &str) -> Switch {
    let mut switch = router::switch(program, &router::ECN_PROFILE);
    let unlimited = PortOptions {
        rate_bps: Some(0),
        ..PortOptions::default()
    };
    let set = switch.port_set(router::AQM_PORT, &unlimited, 0);
    set.expect("the port can be set");
    switch
}

fn pass(switch: &mut Switch, now_ns: u64, batch: &mut Batch) {
    for buffer in batch {
        let packet = std::mem::take(buffer);
        switch.pass(now_ns, 3, packet, &mut |output| {
            if let Output::Packet { bytes, .. } = output {
                *buffer = bytes.into_vec();
            }
        });
    }
}

fn work(nanoseconds: u64) {
    let begin = Instant::now();
    while begin.elapsed().as_nanos() < u128::from(nanoseconds) {
        std::hint::spin_loop();
    }
}

fn fill(batch: &mut Batch, packet: &[u8], outside_ns: u64) {
    for buffer in batch.iter_mut() {
        buffer.clear();
        buffer.extend_from_slice(packet);
    }
    work(outside_ns * BATCH as u64);
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The locks of a shared switch, on cache lines of their own for the cells of each thread.
struct Locks {
    cells: Vec<[Mutex<u64>; CELLS]>,
    tables: [RwLock<u64>; TABLES],
}

impl Locks {
    fn take(&self, thread: usize) {
        for table in &self.tables {
            black_box(*table.read().unwrap_or_else(PoisonError::into_inner));
        }
        for cell in &self.cells[thread] {
            *locked(cell) += 1;
        }
    }
}

/// One batch on its way to the data plane's thread and back.
type Asked = (SyncSender<Batch>, Batch);

fn serve(switch: &mut Switch, requests: &Receiver<Asked>, begin: Instant) {
    for (answer, mut batch) in requests {
        pass(switch, begin.elapsed().as_nanos() as u64, &mut batch);
        // The other thread has come to its end.
        let _ = answer.send(batch);
    }
}

fn measure(program: &str, way: &str, outside_ns: u64, threads: usize) -> f64 {
    let packet = router::ipv4(1, 2, 60);
    let shared = Mutex::new(switch(program));
    let locks = Locks {
        cells: (0..threads).map(|_| Default::default()).collect(),
        tables: Default::default(),
    };
    // Programs are compiled before the clock runs.
    let ready = Barrier::new(threads);
    let begin = Instant::now();
    let now_ns = || begin.elapsed().as_nanos() as u64;
    let run = |thread: usize, requests: SyncSender<Asked>| {
        let mut own = matches!(way, "owned" | "cells").then(|| switch(program));
        let (answer, answers) = sync_channel(2);
        // Two batches: the next one is filled while the other is with the data plane.
        let mut batch: Batch = vec![Vec::new(); BATCH];
        if way == "thread" {
            let sent = requests.send((answer.clone(), vec![packet.clone(); BATCH]));
            sent.expect("the data plane's thread waits");
        }
        ready.wait();
        let (start, mut passed) = (Instant::now(), 0);
        while start.elapsed() < ROUND {
            fill(&mut batch, &packet, outside_ns);
            match &mut own {
                Some(own) if way == "cells" => {
                    (0..BATCH).for_each(|_| locks.take(thread));
                    pass(own, now_ns(), &mut batch);
                }
                Some(own) => pass(own, now_ns(), &mut batch),
                None if way == "lock" => pass(&mut locked(&shared), now_ns(), &mut batch),
                None => {
                    let sent = requests.send((answer.clone(), batch));
                    sent.expect("the data plane's thread waits");
                    batch = answers.recv().expect("it answers each batch");
                }
            }
            passed += BATCH as u64;
        }
        passed
    };
    let run = &run;
    let passed: u64 = thread::scope(|scope| {
        let (requests, queue) = sync_channel::<Asked>(2 * threads);
        if way == "thread" {
            let shared = &shared;
            scope.spawn(move || serve(&mut locked(shared), &queue, begin));
        }
        let running: Vec<_> = (0..threads)
            .map(|thread| {
                let requests = requests.clone();
                scope.spawn(move || run(thread, requests))
            })
            .collect();
        drop(requests);
        let passed = running.into_iter().map(|thread| thread.join());
        passed.map(|passed| passed.expect("no thread fails")).sum()
    });
    passed as f64 / ROUND.as_secs_f64()
}
