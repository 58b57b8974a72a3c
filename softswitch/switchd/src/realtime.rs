// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The switch as its users see it, and its thread.

use std::io;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use parking_lot::{Mutex, MutexGuard};
use quench_dataplane::switch::{Switch, SwitchConfig};

use crate::clock::{now_ns, Alarm};
use crate::link_monitor::LinkMonitor;
use crate::machine::{Machine, Outlets};
use crate::mailbox::Mailbox;
use crate::poller::{Poller, Wake};
use crate::port::PortError;

/// Packets, and digest messages, that wait for a reader; further ones are dropped and counted.
const MAILBOX_CAPACITY: usize = 16_384;

/// Above all ordinary work, below what the kernel does itself.
const NICENESS: libc::c_int = -15;

/// Why the switch's thread cannot start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    #[error("the switch is running already")]
    Running,
    #[error("the switch cannot start: {0}")]
    Io(#[from] io::Error),
}

/// A packet that left by the CPU port, with its `packet_in` header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CpuPacket {
    pub bytes: Vec<u8>,
    /// `CLOCK_MONOTONIC`.
    pub time_ns: u64,
}

/// One message of `digest`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DigestMessage {
    /// The id that the BMv2 JSON gives the digest's learn list.
    pub id: u32,
    /// The values of its fields, big-endian.
    pub fields: Vec<Vec<u8>>,
    /// `CLOCK_MONOTONIC`.
    pub time_ns: u64,
}

/// The embedded data plane on Linux interfaces.
pub struct RealtimeSwitch {
    shared: Arc<Shared>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

struct Shared {
    machine: Mutex<Machine>,
    poller: Poller,
    links: LinkMonitor,
    outlets: Outlets,
    cpu_port: Option<u32>,
    stopping: AtomicBool,
}

impl RealtimeSwitch {
    /// A switch without ports, not yet running. It watches the interfaces of the network namespace
    /// that the calling thread is in.
    pub fn new(config: SwitchConfig) -> io::Result<Self> {
        let outlets = Outlets {
            cpu: Arc::new(Mailbox::new(MAILBOX_CAPACITY)),
            digests: Arc::new(Mailbox::new(MAILBOX_CAPACITY)),
        };
        let poller = Poller::new()?;
        let links = LinkMonitor::new()?;
        poller.add(&links, Wake::Links)?;
        let cpu_port = config.cpu_port;
        let machine = Mutex::new(Machine::new(config, outlets.clone()));
        let stopping = AtomicBool::new(false);
        let shared = Arc::new(Shared {
            machine,
            poller,
            links,
            outlets,
            cpu_port,
            stopping,
        });
        Ok(Self {
            shared,
            thread: Mutex::new(None),
        })
    }

    /// Connect a port with an interface. With a prefix, what arrives is captured in
    /// `PREFIX_in.pcap` and what is sent in `PREFIX_out.pcap`.
    pub fn add_port(
        &self,
        port: u32,
        interface: &str,
        pcap_prefix: Option<&Path>,
    ) -> Result<(), PortError> {
        self.shared
            .machine
            .lock()
            .add_port(port, interface, pcap_prefix, &self.shared.poller)
    }

    /// Disconnect a port from its interface.
    pub fn remove_port(&self, port: u32) -> Result<(), PortError> {
        self.shared.machine.lock().remove_port(port)
    }

    /// Start the switch's thread.
    pub fn start(&self) -> Result<(), StartError> {
        let mut thread = self.thread.lock();
        if thread.is_some() {
            return Err(StartError::Running);
        }
        let shared = Arc::clone(&self.shared);
        shared.stopping.store(false, Ordering::Release);
        let alarm = Alarm::new()?;
        shared.poller.add(&alarm, Wake::Alarm)?;
        // What happened before the start may have left something due.
        shared.poller.wake();
        let spawned = std::thread::Builder::new()
            .name("quench-switch".to_owned())
            .spawn(
                move || match catch_unwind(AssertUnwindSafe(|| shared.run(alarm))) {
                    Ok(Ok(())) => {}
                    Ok(Err(error)) => tracing::error!("the switch stopped: {error}"),
                    Err(_) => {
                        tracing::error!("the switch stopped: internal error, see the panic message")
                    }
                },
            )?;
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
        self.shared.machine.lock().remove_all_ports();
        self.shared.outlets.cpu.close();
        self.shared.outlets.digests.close();
    }

    /// Look at the switch at rest. The closure gets the present time.
    pub fn inspect<R>(&self, look: impl FnOnce(&Switch, u64) -> R) -> R {
        look(&self.shared.machine.lock().switch, now_ns())
    }

    /// Change the switch at rest. The closure gets the present time.
    pub fn control<R>(&self, change: impl FnOnce(&mut Switch, u64) -> R) -> R {
        let result = change(&mut self.shared.machine.lock().switch, now_ns());
        self.shared.poller.wake();
        result
    }

    /// A packet from the controller, with its `packet_out` header. False without a CPU port.
    pub fn packet_out(&self, packet: &[u8]) -> bool {
        let Some(cpu_port) = self.shared.cpu_port else {
            return false;
        };
        self.shared
            .machine
            .lock()
            .receive_from_cpu(cpu_port, packet);
        self.shared.poller.wake();
        true
    }

    /// Packets that left by the CPU port since the last call, waiting up to `timeout` for one.
    pub fn wait_cpu(&self, timeout: Duration) -> Vec<CpuPacket> {
        self.shared.outlets.cpu.take(timeout)
    }

    /// Digest messages since the last call, waiting up to `timeout` for one.
    pub fn wait_digests(&self, timeout: Duration) -> Vec<DigestMessage> {
        self.shared.outlets.digests.take(timeout)
    }

    /// Whether packets and digests can still arrive: false once stopped.
    pub fn is_open(&self) -> bool {
        self.shared.outlets.cpu.is_open()
    }

    /// The counts of the data plane and of the ports around it, by name.
    pub fn stats(&self) -> Vec<(&'static str, u64)> {
        self.shared.machine.lock().stats()
    }
}

impl Drop for RealtimeSwitch {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Ask to be woken in time on a busy machine, like other programs that forward packets.
fn prefer_this_thread() {
    // SAFETY: no pointers are passed; 0 is the calling thread.
    if unsafe { libc::setpriority(libc::PRIO_PROCESS, 0, NICENESS) } < 0 {
        let error = io::Error::last_os_error();
        tracing::info!("the switch runs at normal priority: {error}");
    }
}

impl Shared {
    fn run(&self, mut alarm: Alarm) -> io::Result<()> {
        prefer_this_thread();
        let mut wakes = Vec::new();
        loop {
            self.poller.wait(&mut wakes)?;
            if self.stopping.load(Ordering::Acquire) {
                return Ok(());
            }
            let mut machine = self.machine.lock();
            // What was due before the packets that arrive now comes first.
            machine.advance();
            for wake in &wakes {
                match wake {
                    Wake::Port(port) => machine.receive(*port),
                    Wake::Alarm => alarm.rang(),
                    Wake::Links => {
                        self.links.drain();
                        machine.refresh_links(&self.poller);
                    }
                    Wake::Called => {}
                }
            }
            let next_ns = machine.advance();
            machine.flush_captures();
            // A busy switch would otherwise keep the lock from control calls.
            MutexGuard::unlock_fair(machine);
            alarm.set(next_ns)?;
        }
    }
}
