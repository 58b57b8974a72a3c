// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! A socket of AF_XDP on one interface.

#![allow(unsafe_code)]

use std::io;
use std::mem::size_of_val;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use libc::c_int;
use nix::sys::socket::{getsockopt, setsockopt};
use nix::sys::timerfd::{ClockId, TimerFd, TimerFlags};
use nix::{getsockopt_impl, setsockopt_impl, sockopt_impl};
use parking_lot::Mutex;

use super::checksum::unfinished;
use super::fitness::{Fitness, Refusal};
use super::link_facts::LinkFacts;
use super::memory::Frames;
use super::program::{attach, Attached, Mode};
use super::ring::{Incoming, Outgoing};
use super::sending::Sending;
use crate::offload::VnetHeader;
use crate::packet_socket::{link_state, mtu_bytes, promiscuous, LinkState};
use crate::rx_batch::RxBatch;
use crate::tx_batch::Sent;

/// Frames that packets are received in: room for bursts while the switch is busy elsewhere.
const RX_FRAMES: u32 = 4096;
/// Frames that packets are sent from.
const TX_FRAMES: u32 = 512;
/// A socket that was closed keeps the interface until the kernel has come round to it.
const BIND_TRIES: u32 = 100;
const BIND_PAUSE: Duration = Duration::from_millis(1);

const ETHERNET_BYTES: usize = 14;
const TAG_BYTES: usize = 4;
const ETH_P_8021Q: [u8; 2] = [0x81, 0x00];

sockopt_impl!(
    Memory,
    SetOnly,
    libc::SOL_XDP,
    libc::XDP_UMEM_REG,
    libc::xdp_umem_reg
);
sockopt_impl!(
    FillRing,
    SetOnly,
    libc::SOL_XDP,
    libc::XDP_UMEM_FILL_RING,
    u32
);
sockopt_impl!(
    CompletionRing,
    SetOnly,
    libc::SOL_XDP,
    libc::XDP_UMEM_COMPLETION_RING,
    u32
);
sockopt_impl!(RxRing, SetOnly, libc::SOL_XDP, libc::XDP_RX_RING, u32);
sockopt_impl!(TxRing, SetOnly, libc::SOL_XDP, libc::XDP_TX_RING, u32);
sockopt_impl!(
    Offsets,
    GetOnly,
    libc::SOL_XDP,
    libc::XDP_MMAP_OFFSETS,
    libc::xdp_mmap_offsets
);
sockopt_impl!(
    Statistics,
    GetOnly,
    libc::SOL_XDP,
    libc::XDP_STATISTICS,
    libc::xdp_statistics
);
sockopt_impl!(
    Options,
    GetOnly,
    libc::SOL_XDP,
    libc::XDP_OPTIONS,
    libc::xdp_options
);

/// Takes every packet that arrives on an interface (promiscuous) from the kernel's stack. One thread may receive while
/// another one sends.
#[derive(Debug)]
pub struct XdpSocket {
    /// Before the socket, so that packets go to the stack again, not nowhere.
    attached: Mutex<Option<Attached>>,
    mode: Mode,
    fd: OwnedFd,
    receiving: Mutex<Receiving>,
    sending: Mutex<Sending>,
    room_timer: TimerFd,
    /// Keeps the interface promiscuous, and answers questions about it.
    control: OwnedFd,
    interface: String,
    ifindex: u32,
    mtu_bytes: AtomicUsize,
    /// Packets were seen whose checksum is unfinished.
    unfinished: AtomicBool,
}

/// The receiving half, of one thread at a time.
#[derive(Debug)]
struct Receiving {
    /// Frames for packets to come.
    fill: Outgoing<u64>,
    received: Incoming<libc::xdp_desc>,
    frames: Frames,
    overruns: u64,
}

impl XdpSocket {
    /// Needs CAP_NET_RAW, CAP_NET_ADMIN and CAP_BPF. `wise` also refuses where packet sockets are the better choice.
    pub fn open(interface: &str, wise: bool) -> Result<Self, Refusal> {
        let (control, ifindex) = promiscuous(interface)?;
        let mtu_bytes = mtu_bytes(&control, ifindex)?;
        let ifindex = ifindex as u32;
        let fitness = Fitness {
            socket: &control,
            interface,
            ifindex,
            mtu_bytes,
            facts: LinkFacts::of(ifindex)?,
        };
        fitness.check()?;
        if wise {
            fitness.check_wise()?;
        } else if let Some(qdisc) = fitness.limit() {
            tracing::warn!("interface {interface}: XDP goes past its queueing discipline {qdisc}");
        }
        let failed = |step| move |source: io::Error| Refusal::Kernel { step, source };
        let fd = open_socket().map_err(failed("its socket"))?;
        let (receiving, sending) = share_memory(&fd).map_err(failed("its memory"))?;
        bind(&fd, ifindex).map_err(failed("binding its socket"))?;
        let (attached, mode) = attach(&fd, ifindex, Mode::Driver)
            .map(|attached| (attached, Mode::Driver))
            .or_else(|_| Ok((attach(&fd, ifindex, Mode::Generic)?, Mode::Generic)))
            .map_err(failed("its program"))?;
        let flags = TimerFlags::TFD_NONBLOCK | TimerFlags::TFD_CLOEXEC;
        let room_timer = TimerFd::new(ClockId::CLOCK_MONOTONIC, flags)
            .map_err(|error| failed("a timer")(error.into()))?;
        Ok(Self {
            attached: Mutex::new(Some(attached)),
            mode,
            fd,
            receiving: Mutex::new(receiving),
            sending: Mutex::new(sending),
            room_timer,
            control,
            interface: interface.to_owned(),
            ifindex,
            mtu_bytes: AtomicUsize::new(mtu_bytes),
            unfinished: AtomicBool::new(false),
        })
    }

    /// The way of packets, in words.
    pub fn manner(&self) -> &'static str {
        let zero_copy = getsockopt(&self.fd, Options)
            .is_ok_and(|options| options.flags & libc::XDP_OPTIONS_ZEROCOPY != 0);
        match (self.mode, zero_copy) {
            (_, true) => "XDP in the driver, without copies",
            (Mode::Driver, false) => "XDP in the driver",
            (Mode::Generic, false) => "generic XDP",
        }
    }

    /// The reason against XDP that has come up since the socket was opened; `wise` as for [`Self::open`].
    pub fn misfit(&self, wise: bool) -> Option<Refusal> {
        if self.sees_unfinished() {
            return Some(Refusal::Unfinished);
        }
        let fitness = Fitness {
            socket: &self.control,
            interface: &self.interface,
            ifindex: self.ifindex,
            mtu_bytes: self.mtu_bytes.load(Ordering::Relaxed),
            facts: LinkFacts::of(self.ifindex).ok()?,
        };
        let mut checked = fitness.check();
        if wise {
            checked = checked.and_then(|()| fitness.check_wise());
        }
        // An interface without answers is going.
        checked
            .err()
            .filter(|refusal| !matches!(refusal, Refusal::Interface(_)))
    }

    /// Packets were seen whose checksum is unfinished.
    pub fn sees_unfinished(&self) -> bool {
        self.unfinished.load(Ordering::Relaxed)
    }

    /// Read what is there, up to one batch. Never blocks. Returns whether there may be more.
    pub fn receive(&self, batch: &mut RxBatch) -> io::Result<bool> {
        batch.clear();
        let mut receiving = self.receiving.lock();
        while batch.has_room() {
            let Some(place) = receiving.received.take() else {
                break;
            };
            if let Some(packet) = receiving.frames.packet(place) {
                let checksum = unfinished(packet);
                if checksum.is_some() {
                    self.unfinished.store(true, Ordering::Relaxed);
                }
                batch.put(
                    packet,
                    VnetHeader {
                        checksum,
                        ..VnetHeader::default()
                    },
                );
            }
            // There are as many entries as frames.
            receiving.fill.put(Frames::frame_of(place.addr));
        }
        receiving.received.publish();
        receiving.fill.publish();
        if receiving.fill.needs_wakeup() {
            // SAFETY: without a buffer, the call only wakes the driver.
            unsafe {
                let nothing = std::ptr::null_mut();
                libc::recv(self.fd.as_raw_fd(), nothing, 0, libc::MSG_DONTWAIT);
            }
        }
        Ok(!batch.has_room())
    }

    /// Send packets until one fails. `EAGAIN` says that the interface has enough.
    pub fn send(&self, now_ns: u64, packets: &[Vec<u8>]) -> Sent {
        let mtu_bytes = self.mtu_bytes.load(Ordering::Relaxed);
        let check = |packet: &[u8]| check_length(packet, mtu_bytes);
        let mut sending = self.sending.lock();
        sending.send(self.fd.as_fd(), now_ns, packets, check)
    }

    /// Whether packets wait in the ring for the kernel to take them.
    pub fn is_stuck(&self) -> bool {
        self.sending.lock().is_stuck()
    }

    /// Whether the interface has nothing left to send.
    pub fn is_dry(&self) -> bool {
        self.sending.lock().is_dry()
    }

    /// Look whether the interface has room again, and see that it has enough packets, and not more.
    pub fn refill(&self, now_ns: u64) -> io::Result<()> {
        let mut sending = self.sending.lock();
        sending.refill(self.fd.as_fd(), &self.room_timer, now_ns)
    }

    /// Look for room now and then, or no longer.
    pub fn watch_room(&self, watch: bool) -> io::Result<()> {
        self.sending.lock().watch_room(&self.room_timer, watch)
    }

    pub fn room_timer(&self) -> &TimerFd {
        &self.room_timer
    }

    /// Packets that the interface's queue has dropped since the last call.
    pub fn take_lost(&self) -> u64 {
        self.sending.lock().take_lost()
    }

    /// Packets dropped since the last call because they came faster than they were read.
    pub fn take_overruns(&self) -> io::Result<u64> {
        let mut receiving = self.receiving.lock();
        let statistics = getsockopt(&self.fd, Statistics)?;
        let overruns = statistics.rx_dropped + statistics.rx_ring_full;
        let new = overruns.saturating_sub(receiving.overruns);
        receiving.overruns = overruns;
        Ok(new)
    }

    /// Let packets go to the stack again. Returns how many go with the socket: were received and not read, and were not
    /// taken by the kernel for sending.
    pub fn leave(&self) -> (u64, u64) {
        *self.attached.lock() = None;
        let mut receiving = self.receiving.lock();
        let unread = std::iter::from_fn(|| receiving.received.take()).count() as u64;
        (unread, self.sending.lock().untaken_pkts())
    }

    /// The interface's state now, also where it was renamed, and its MTU with it.
    pub fn link_state(&self) -> LinkState {
        if let Ok(mtu_bytes) = mtu_bytes(&self.control, self.ifindex as c_int) {
            self.mtu_bytes.store(mtu_bytes, Ordering::Relaxed);
        }
        link_state(&self.control, self.ifindex as c_int)
    }
}

/// The frames and rings of a socket, which it is not bound for yet.
fn share_memory(fd: &OwnedFd) -> io::Result<(Receiving, Sending)> {
    let mut frames = Frames::new((RX_FRAMES + TX_FRAMES) as usize)?;
    setsockopt(fd, Memory, &frames.registration())?;
    setsockopt(fd, FillRing, &RX_FRAMES)?;
    setsockopt(fd, CompletionRing, &TX_FRAMES)?;
    setsockopt(fd, RxRing, &RX_FRAMES)?;
    setsockopt(fd, TxRing, &TX_FRAMES)?;
    let offsets = getsockopt(fd, Offsets)?;
    let fill_page = libc::XDP_UMEM_PGOFF_FILL_RING as libc::off_t;
    let sent_page = libc::XDP_UMEM_PGOFF_COMPLETION_RING as libc::off_t;
    let mut fill = Outgoing::map(fd, fill_page, &offsets.fr, RX_FRAMES)?;
    let received = Incoming::map(fd, libc::XDP_PGOFF_RX_RING, &offsets.rx, RX_FRAMES)?;
    let to_send = Outgoing::map(fd, libc::XDP_PGOFF_TX_RING, &offsets.tx, TX_FRAMES)?;
    let sent = Incoming::map(fd, sent_page, &offsets.cr, TX_FRAMES)?;
    let for_sending = frames.split_off(RX_FRAMES as usize);
    for address in frames.addresses() {
        assert!(fill.put(address), "the ring has room for all of them");
    }
    fill.publish();
    let receiving = Receiving {
        fill,
        received,
        frames,
        overruns: 0,
    };
    Ok((receiving, Sending::new(to_send, sent, for_sending)))
}

/// As for a packet socket: the kernel would drop some of these without a word.
fn check_length(packet: &[u8], mtu_bytes: usize) -> io::Result<()> {
    let tagged = packet.get(12..14) == Some(&ETH_P_8021Q);
    let tag_bytes = if tagged { TAG_BYTES } else { 0 };
    let errno = if packet.len() < ETHERNET_BYTES {
        libc::EINVAL
    } else if packet.len() > mtu_bytes + ETHERNET_BYTES + tag_bytes
        || packet.len() > Frames::FRAME_BYTES
    {
        libc::EMSGSIZE
    } else {
        return Ok(());
    };
    Err(io::Error::from_raw_os_error(errno))
}

fn open_socket() -> io::Result<OwnedFd> {
    let kind = libc::SOCK_RAW | libc::SOCK_NONBLOCK | libc::SOCK_CLOEXEC;
    // SAFETY: no pointers are passed.
    let fd = unsafe { libc::socket(libc::AF_XDP, kind, 0) };
    if fd < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the kernel has just made it for this call.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

/// To the first queue, without copies where the driver can.
fn bind(fd: &OwnedFd, ifindex: u32) -> io::Result<()> {
    let address = libc::sockaddr_xdp {
        sxdp_family: libc::AF_XDP as u16,
        sxdp_flags: libc::XDP_USE_NEED_WAKEUP,
        sxdp_ifindex: ifindex,
        sxdp_queue_id: 0,
        sxdp_shared_umem_fd: 0,
    };
    let len = size_of_val(&address) as libc::socklen_t;
    let mut tries = 0;
    loop {
        // SAFETY: the address is valid for the stated length.
        if unsafe { libc::bind(fd.as_raw_fd(), (&raw const address).cast(), len) } == 0 {
            return Ok(());
        }
        let error = io::Error::last_os_error();
        tries += 1;
        if error.raw_os_error() != Some(libc::EBUSY) || tries == BIND_TRIES {
            return Err(error);
        }
        std::thread::sleep(BIND_PAUSE);
    }
}

impl AsFd for XdpSocket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}
