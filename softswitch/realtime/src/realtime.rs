// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The switch as its users see it.

use std::io;
use std::ops::{Deref, DerefMut};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;
use std::time::Duration;

use parking_lot::{Mutex, MutexGuard};
use quench_dataplane::switch::{Switch, SwitchConfig};

use crate::clock::{now_ns, Alarm};
use crate::line::Line;
use crate::link_monitor::LinkMonitor;
use crate::machine::Machine;
use crate::mailbox::Mailbox;
use crate::options::{IoOptions, Threads};
use crate::outlets::{CpuPacket, DigestMessage, Outlets};
use crate::poller::Wake;
use crate::port::PortError;
use crate::seats::Seats;

/// Packets, and as much of digest messages, that wait for a reader; further ones are dropped and counted.
const MAILBOX_BYTES: usize = 8 << 20;
/// The reason that the switch's thread cannot start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    #[error("the switch is running already")]
    Running,
    #[error("{0}")]
    Failed(String),
    #[error("the switch cannot start: {0}")]
    Io(#[from] io::Error),
}

/// The embedded data plane on Linux interfaces.
pub struct RealtimeSwitch {
    pub(crate) shared: Arc<Shared>,
    threads: Mutex<Vec<JoinHandle<()>>>,
    cpus: Vec<usize>,
}

pub(crate) struct Shared {
    machine: Mutex<Machine>,
    /// Calls that wait for the machine.
    calls: AtomicUsize,
    pub seats: Arc<Seats>,
    pub links: LinkMonitor,
    outlets: Outlets,
    pub stopping: AtomicBool,
    /// The reason that the switch is broken for good.
    failure: OnceLock<String>,
}

/// The machine, locked. A panic while it is held may leave it half changed: the switch fails then.
pub(crate) struct Locked<'a> {
    shared: &'a Shared,
    /// Always there until the drop.
    machine: Option<MutexGuard<'a, Machine>>,
}

impl Deref for Locked<'_> {
    type Target = Machine;

    fn deref(&self) -> &Machine {
        self.machine.as_ref().expect("it is not dropped yet")
    }
}

impl DerefMut for Locked<'_> {
    fn deref_mut(&mut self) -> &mut Machine {
        self.machine.as_mut().expect("it is not dropped yet")
    }
}

impl Drop for Locked<'_> {
    fn drop(&mut self) {
        if let Some(machine) = self.machine.take() {
            // Busy threads would otherwise keep the lock from control calls.
            if self.shared.calls.load(Ordering::Relaxed) > 0 {
                MutexGuard::unlock_fair(machine);
            }
        }
        if std::thread::panicking() {
            self.shared
                .fail("internal error, see the panic message".to_owned());
        }
    }
}

/// Packets in queues and on links: controllers may take every other limit off.
pub const MAX_HELD_BYTES: u64 = 256 << 20;

/// The part of its thread's time that the traces of all clients take at most, in percent.
pub const TRACED_PERCENT: u32 = 10;

impl RealtimeSwitch {
    /// A switch without ports, not yet running. It watches the interfaces of the network namespace
    /// that the calling thread is in.
    ///
    /// It holds at most [`MAX_HELD_BYTES`], also where `config` allows more, and traces for at most [`TRACED_PERCENT`].
    pub fn new(mut config: SwitchConfig, threads: Threads, io: IoOptions) -> io::Result<Self> {
        config.max_held_bytes = config.max_held_bytes.min(MAX_HELD_BYTES);
        config.traced_percent = Some(TRACED_PERCENT);
        let outlets = Outlets {
            cpu: Arc::new(Mailbox::new(MAILBOX_BYTES)),
            digests: Arc::new(Mailbox::new(MAILBOX_BYTES)),
        };
        let seats = Arc::new(Seats::new(threads.count, io.busy)?);
        let links = LinkMonitor::new()?;
        seats.first().add(&links, Wake::Links)?;
        let alarm = Alarm::new()?;
        seats.first().add(&alarm, Wake::Alarm)?;
        let readers = threads.readers.clamp(1, seats.iter().len());
        let machine = Machine::new(
            config,
            outlets.clone(),
            Arc::clone(&seats),
            readers,
            io.mode,
            alarm,
        );
        let shared = Arc::new(Shared {
            machine: Mutex::new(machine),
            calls: AtomicUsize::new(0),
            seats,
            links,
            outlets,
            stopping: AtomicBool::new(false),
            failure: OnceLock::new(),
        });
        Ok(Self {
            shared,
            threads: Mutex::default(),
            cpus: threads.cpus,
        })
    }

    /// Connect a port with an interface. With a prefix, received packets are captured
    /// in `PREFIX_in.pcap`, and sent ones in `PREFIX_out.pcap`.
    pub fn add_port(
        &self,
        port: u32,
        interface: &str,
        pcap_prefix: Option<&Path>,
    ) -> Result<(), PortError> {
        let added = self
            .shared
            .call(|machine| machine.add_port(port, interface, pcap_prefix));
        // A port that is down may have made events due.
        self.shared.seats.first().wake();
        added
    }

    /// Disconnect a port from its interface.
    pub fn remove_port(&self, port: u32) -> Result<(), PortError> {
        let removed = self.shared.call(|machine| machine.remove_port(port));
        // So may one that is gone.
        self.shared.seats.first().wake();
        removed
    }

    /// Start the switch's threads.
    pub fn start(&self) -> Result<(), StartError> {
        let mut threads = self.threads.lock();
        if !threads.is_empty() {
            return Err(StartError::Running);
        }
        if let Some(reason) = self.failure() {
            return Err(StartError::Failed(reason.to_owned()));
        }
        self.shared.stopping.store(false, Ordering::Release);
        // Calls before the start may have made events due.
        self.shared.seats.first().wake();
        for index in 0..self.shared.seats.iter().len() {
            let shared = Arc::clone(&self.shared);
            let cpu = self.cpus.get(index % self.cpus.len().max(1)).copied();
            let spawned = std::thread::Builder::new()
                .name(format!("quench-switch-{index}"))
                .spawn(move || {
                    // Whether the panic came with the machine locked or not, nothing is forwarded any more.
                    match catch_unwind(AssertUnwindSafe(|| shared.run(index, cpu))) {
                        Ok(Ok(())) => {}
                        Ok(Err(error)) => shared.fail(error.to_string()),
                        Err(_) => shared.fail("internal error, see the panic message".to_owned()),
                    }
                });
            match spawned {
                Ok(thread) => threads.push(thread),
                Err(error) => {
                    self.end(threads.drain(..));
                    return Err(error.into());
                }
            }
        }
        self.shared.outlets.cpu.open();
        self.shared.outlets.digests.open();
        Ok(())
    }

    /// Stop the threads, disconnect all ports and end all waiting. Does nothing the second time.
    pub fn stop(&self) {
        self.end(self.threads.lock().drain(..));
        self.shared.call(Machine::remove_all_ports);
        self.shared.outlets.cpu.close();
        self.shared.outlets.digests.close();
    }

    fn end(&self, threads: impl Iterator<Item = JoinHandle<()>>) {
        self.shared.stopping.store(true, Ordering::Release);
        self.shared.seats.wake();
        for thread in threads {
            // A panic was already reported by the thread itself.
            let _ = thread.join();
        }
    }

    /// Look at the switch at rest. The closure gets the present time.
    pub fn inspect<R>(&self, look: impl FnOnce(&Switch, u64) -> R) -> R {
        self.shared.call(|machine| look(&machine.switch, now_ns()))
    }

    /// Change the switch at rest. The closure gets the present time.
    pub fn control<R>(&self, change: impl FnOnce(&mut Switch, u64) -> R) -> R {
        let result = self
            .shared
            .call(|machine| change(&mut machine.switch, now_ns()));
        self.shared.seats.first().wake();
        result
    }

    /// A packet from the controller, with its `packet_out` header. False without a CPU port.
    pub fn packet_out(&self, packet: &[u8]) -> bool {
        let turn = self
            .shared
            .turn(&mut Vec::new(), |machine| machine.pass_from_cpu(packet))
            .and_then(|passed| self.shared.set_alarm().map(|()| passed));
        turn.unwrap_or_else(|error| {
            self.shared.fail(error.to_string());
            true
        })
    }

    /// Packets that left by the CPU port since the last call, waiting up to `timeout` for one.
    pub fn wait_cpu(&self, timeout: Duration) -> Vec<CpuPacket> {
        self.shared.outlets.cpu.take(timeout)
    }

    /// Digest messages since the last call, waiting up to `timeout` for one.
    pub fn wait_digests(&self, timeout: Duration) -> Vec<DigestMessage> {
        self.shared.outlets.digests.take(timeout)
    }

    /// The reason that nothing is forwarded any more: the thread ended by itself, or a call panicked with the switch
    /// in its hands. It stays so; the process should end.
    pub fn failure(&self) -> Option<&str> {
        self.shared.failure.get().map(String::as_str)
    }

    /// Whether packets and digests can still arrive: false once stopped.
    pub fn is_open(&self) -> bool {
        self.shared.outlets.cpu.is_open()
    }

    /// The counts of the data plane and of the ports around it, by name.
    pub fn stats(&self) -> Vec<(&'static str, u64)> {
        self.shared.call(Machine::stats)
    }
}

impl Drop for RealtimeSwitch {
    fn drop(&mut self) {
        self.stop();
    }
}

impl Shared {
    pub(crate) fn lock(&self) -> Locked<'_> {
        Locked {
            shared: self,
            machine: Some(self.machine.lock()),
        }
    }

    /// Something with the machine that no thread of the switch asks for: they let it have its turn.
    fn call<R>(&self, with: impl FnOnce(&mut Machine) -> R) -> R {
        self.calls.fetch_add(1, Ordering::Relaxed);
        let mut machine = self.lock();
        self.calls.fetch_sub(1, Ordering::Relaxed);
        with(&mut machine)
    }

    /// Let the alarm wake a thread for what is due next, after one turn or several.
    pub fn set_alarm(&self) -> io::Result<()> {
        self.lock().set_alarm()
    }

    /// Something with the machine that may let packets out, with all that is due before and after it. Those that leave
    /// together are sent without the machine's lock. The alarm is still to be set. `leaving` is the caller's room for
    /// them, empty before and after.
    pub fn turn<R>(
        &self,
        leaving: &mut Vec<(u32, Arc<Line>)>,
        with: impl FnOnce(&mut Machine) -> io::Result<R>,
    ) -> io::Result<R> {
        let mut machine = self.lock();
        machine.advance()?;
        let result = with(&mut machine)?;
        loop {
            machine.advance()?;
            machine.exits.take_unsent(leaving);
            drop(machine);
            if leaving.is_empty() {
                return Ok(result);
            }
            let now_ns = now_ns();
            leaving.iter().for_each(|(_, line)| line.flush(now_ns));
            leaving.retain(|(_, line)| line.is_blocked());
            if leaving.is_empty() {
                return Ok(result);
            }
            machine = self.lock();
            for (number, _) in leaving.drain(..) {
                machine.exits.pace_port(number);
            }
        }
    }

    /// End the threads and all waiting, for good.
    pub fn fail(&self, reason: String) {
        let reason = format!("the switch stopped: {reason}");
        if self.failure.set(reason).is_err() {
            return;
        }
        tracing::error!("{}", self.failure.get().expect("it was just set"));
        self.stopping.store(true, Ordering::Release);
        self.seats.wake();
        self.outlets.cpu.close();
        self.outlets.digests.close();
    }
}
