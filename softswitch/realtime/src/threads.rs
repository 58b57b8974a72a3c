// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The switch's threads. Each reads the wires of its seat, passes what it read through the program while it has the
//! machine, and sends what leaves after it has let the machine go.

use std::io;
use std::sync::atomic::Ordering;
use std::sync::Arc;

use nix::sched::{sched_setaffinity, CpuSet};
use nix::unistd::Pid;

use crate::line::{is_link_loss, Line};
use crate::poller::Wake;
use crate::realtime::Shared;
use crate::rx_batch::RxBatch;
use crate::seats::Seat;
use crate::wire::Wire;

/// Batches that one port may read before the others get their turn.
const MAX_BATCHES: usize = 4;
/// Above all ordinary work, below what the kernel does itself.
const NICENESS: libc::c_int = -15;

impl Shared {
    /// The work of the thread with a seat, until the switch stops.
    pub fn run(&self, index: usize, cpu: Option<usize>) -> io::Result<()> {
        prefer_this_thread();
        if let Some(cpu) = cpu {
            pin_this_thread(cpu)?;
        }
        let seat = self.seats.get(index);
        let mut wakes = Vec::new();
        let mut batch = RxBatch::new();
        let mut leaving = Vec::new();
        loop {
            seat.poller.wait(&mut wakes)?;
            if self.stopping.load(Ordering::Acquire) {
                return Ok(());
            }
            if wakes.iter().any(|wake| !matches!(wake, Wake::Port(_))) {
                self.attend(&wakes, &mut leaving)?;
            }
            for wake in &wakes {
                if let Wake::Port(port) = wake {
                    self.receive(seat, *port, &mut batch, &mut leaving)?;
                }
            }
            self.set_alarm()?;
        }
    }

    /// Attend to the wakes that are no packets.
    fn attend(&self, wakes: &[Wake], leaving: &mut Vec<(u32, Arc<Line>)>) -> io::Result<()> {
        self.turn(leaving, |machine| {
            #[cfg(test)]
            machine.fault.iter().for_each(|fault| fault());
            for wake in wakes {
                match wake {
                    Wake::Writable(port) => machine.refill(*port)?,
                    Wake::Links => {
                        self.links.drain()?;
                        machine.refresh_links();
                    }
                    Wake::Alarm => machine.alarm_rang(),
                    Wake::Called | Wake::Port(_) => {}
                }
            }
            Ok(())
        })
    }

    /// Take in what has arrived on a port, not more than a few batches, and send what comes of it.
    fn receive(
        &self,
        seat: &Seat,
        port: u32,
        batch: &mut RxBatch,
        leaving: &mut Vec<(u32, Arc<Line>)>,
    ) -> io::Result<()> {
        for _ in 0..MAX_BATCHES {
            let Some(wire) = seat.wire(port) else {
                return Ok(());
            };
            let more = read(batch, &wire, port);
            if batch.is_empty() {
                return Ok(());
            }
            // A call that has the machine may bind the interface anew, for which the wire must be gone.
            let from = Arc::downgrade(&wire);
            drop(wire);
            // Otherwise more waits to be read by the wire, and would be lost.
            let all_read = batch.has_room();
            let mut packets = batch.packets();
            while self.turn(leaving, |machine| machine.pass(port, &from, &mut packets))? {}
            if all_read && from.upgrade().is_some_and(|wire| wire.sees_unfinished()) {
                self.turn(leaving, |machine| {
                    machine.reconsider(port);
                    Ok(())
                })?;
            }
            if !more {
                return Ok(());
            }
        }
        Ok(())
    }
}

/// Read the waiting packets of a port; true when there may be more.
fn read(batch: &mut RxBatch, wire: &Wire, port: u32) -> bool {
    wire.receive(batch).unwrap_or_else(|error| {
        // The kernel reports a lost interface this way; the port says so once.
        if !is_link_loss(&error) {
            tracing::warn!("port {port}: receiving: {error}");
        }
        false
    })
}

/// Ask to be woken in time on a busy machine, like other programs that forward packets.
#[allow(unsafe_code)]
fn prefer_this_thread() {
    // nix has no setpriority.
    // SAFETY: no pointers are passed; 0 is the calling thread.
    if unsafe { libc::setpriority(libc::PRIO_PROCESS, 0, NICENESS) } < 0 {
        let error = io::Error::last_os_error();
        tracing::info!("the switch runs at normal priority: {error}");
    }
}

fn pin_this_thread(cpu: usize) -> io::Result<()> {
    let mut cpus = CpuSet::new();
    cpus.set(cpu)
        .and_then(|()| sched_setaffinity(Pid::from_raw(0), &cpus))
        .map_err(|errno| io::Error::other(format!("processor {cpu}: {}", errno.desc())))
}
