// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The switch as its users see it, and its thread.

use std::io;
use std::ops::{Deref, DerefMut};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;
use std::time::Duration;

use parking_lot::{Mutex, MutexGuard};
use quench_dataplane::switch::{Switch, SwitchConfig};

use crate::clock::{now_ns, Alarm};
use crate::link_monitor::LinkMonitor;
use crate::machine::Machine;
use crate::mailbox::Mailbox;
use crate::outlets::{CpuPacket, DigestMessage, Outlets};
use crate::poller::{Poller, Wake};
use crate::port::PortError;

/// Packets, and as much of digest messages, that wait for a reader; further ones are dropped and counted.
const MAILBOX_BYTES: usize = 8 << 20;
/// Above all ordinary work, below what the kernel does itself.
const NICENESS: libc::c_int = -15;

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
    thread: Mutex<Option<JoinHandle<()>>>,
}

pub(crate) struct Shared {
    machine: Mutex<Machine>,
    poller: Poller,
    links: LinkMonitor,
    outlets: Outlets,
    stopping: AtomicBool,
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
            // A busy switch would otherwise keep the lock from control calls.
            MutexGuard::unlock_fair(machine);
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
    pub fn new(mut config: SwitchConfig) -> io::Result<Self> {
        config.max_held_bytes = config.max_held_bytes.min(MAX_HELD_BYTES);
        config.traced_percent = Some(TRACED_PERCENT);
        let outlets = Outlets {
            cpu: Arc::new(Mailbox::new(MAILBOX_BYTES)),
            digests: Arc::new(Mailbox::new(MAILBOX_BYTES)),
        };
        let poller = Poller::new()?;
        let links = LinkMonitor::new()?;
        poller.add(&links, Wake::Links)?;
        let machine = Mutex::new(Machine::new(config, outlets.clone()));
        let stopping = AtomicBool::new(false);
        let shared = Arc::new(Shared {
            machine,
            poller,
            links,
            outlets,
            stopping,
            failure: OnceLock::new(),
        });
        Ok(Self {
            shared,
            thread: Mutex::new(None),
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
        let poller = &self.shared.poller;
        let added = self
            .shared
            .lock()
            .add_port(port, interface, pcap_prefix, poller);
        // A port that is down may have made events due.
        poller.wake();
        added
    }

    /// Disconnect a port from its interface.
    pub fn remove_port(&self, port: u32) -> Result<(), PortError> {
        let removed = self.shared.lock().remove_port(port);
        // So may one that is gone.
        self.shared.poller.wake();
        removed
    }

    /// Start the switch's thread.
    pub fn start(&self) -> Result<(), StartError> {
        let mut thread = self.thread.lock();
        if thread.is_some() {
            return Err(StartError::Running);
        }
        if let Some(reason) = self.failure() {
            return Err(StartError::Failed(reason.to_owned()));
        }
        let shared = Arc::clone(&self.shared);
        shared.stopping.store(false, Ordering::Release);
        let alarm = Alarm::new()?;
        shared.poller.add(&alarm, Wake::Alarm)?;
        // Calls before the start may have made events due.
        shared.poller.wake();
        let spawned = std::thread::Builder::new()
            .name("quench-switch".to_owned())
            .spawn(move || {
                // Whether the panic came with the machine locked or not, nothing is forwarded any more.
                match catch_unwind(AssertUnwindSafe(|| shared.run(alarm))) {
                    Ok(Ok(())) => {}
                    Ok(Err(error)) => shared.fail(error.to_string()),
                    Err(_) => shared.fail("internal error, see the panic message".to_owned()),
                }
            })?;
        self.shared.outlets.cpu.open();
        self.shared.outlets.digests.open();
        *thread = Some(spawned);
        Ok(())
    }

    /// Stop the thread, disconnect all ports and end all waiting. Does nothing the second time.
    pub fn stop(&self) {
        let thread = self.thread.lock().take();
        self.shared.stopping.store(true, Ordering::Release);
        self.shared.poller.wake();
        if let Some(thread) = thread {
            // A panic was already reported by the thread itself.
            let _ = thread.join();
        }
        self.shared.lock().remove_all_ports();
        self.shared.outlets.cpu.close();
        self.shared.outlets.digests.close();
    }

    /// Look at the switch at rest. The closure gets the present time.
    pub fn inspect<R>(&self, look: impl FnOnce(&Switch, u64) -> R) -> R {
        look(&self.shared.lock().switch, now_ns())
    }

    /// Change the switch at rest. The closure gets the present time.
    pub fn control<R>(&self, change: impl FnOnce(&mut Switch, u64) -> R) -> R {
        let result = change(&mut self.shared.lock().switch, now_ns());
        self.shared.poller.wake();
        result
    }

    /// A packet from the controller, with its `packet_out` header. False without a CPU port.
    pub fn packet_out(&self, packet: &[u8]) -> bool {
        let poller = &self.shared.poller;
        let received = self.shared.lock().receive_from_cpu(packet, poller);
        // The packet may have made events due.
        poller.wake();
        received.unwrap_or_else(|error| {
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
        self.shared.lock().stats()
    }
}

impl Drop for RealtimeSwitch {
    fn drop(&mut self) {
        self.stop();
    }
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

impl Shared {
    pub(crate) fn lock(&self) -> Locked<'_> {
        Locked {
            shared: self,
            machine: Some(self.machine.lock()),
        }
    }

    /// End the thread and all waiting, for good.
    fn fail(&self, reason: String) {
        let reason = format!("the switch stopped: {reason}");
        if self.failure.set(reason).is_err() {
            return;
        }
        tracing::error!("{}", self.failure.get().expect("it was just set"));
        self.stopping.store(true, Ordering::Release);
        self.poller.wake();
        self.outlets.cpu.close();
        self.outlets.digests.close();
    }

    fn run(&self, mut alarm: Alarm) -> io::Result<()> {
        prefer_this_thread();
        let mut wakes = Vec::new();
        loop {
            self.poller.wait(&mut wakes)?;
            if self.stopping.load(Ordering::Acquire) {
                return Ok(());
            }
            let mut machine = self.lock();
            #[cfg(test)]
            machine.fault.iter().for_each(|fault| fault());
            // A packet may come for an interface that has just come up.
            if wakes.contains(&Wake::Links) {
                self.links.drain()?;
                machine.refresh_links(&self.poller);
            }
            // Events that were due before the packets arrived come first.
            machine.advance(&self.poller)?;
            for wake in &wakes {
                match wake {
                    Wake::Writable(port) => machine.refill(*port, &self.poller)?,
                    Wake::Port(port) => machine.receive(*port, &self.poller)?,
                    Wake::Alarm => alarm.rang(),
                    Wake::Links | Wake::Called => {}
                }
            }
            let next_ns = machine.advance(&self.poller)?;
            machine.flush_captures();
            drop(machine);
            alarm.set(next_ns)?;
        }
    }
}
