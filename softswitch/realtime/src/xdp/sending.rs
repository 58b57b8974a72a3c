// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The sending half of a socket of AF_XDP.

#![allow(unsafe_code)]

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::time::Duration;

use nix::errno::Errno;
use nix::sys::time::TimeSpec;
use nix::sys::timerfd::{Expiration, TimerFd, TimerSetTimeFlags};

use super::memory::Frames;
use super::ring::{Incoming, Outgoing};
use crate::send_room::SendRoom;
use crate::tx_batch::Sent;

/// The kernel says that frames were sent without waking anybody, so the switch looks as often while packets wait.
const ROOM_CHECK: Duration = Duration::from_micros(50);

/// The rings and frames of one thread at a time.
#[derive(Debug)]
pub struct Sending {
    to_send: Outgoing<libc::xdp_desc>,
    /// Frames whose packets were sent.
    sent: Incoming<u64>,
    frames: Frames,
    free: Vec<u64>,
    /// Packets in `to_send` that the kernel was not told of.
    unannounced_pkts: usize,
    /// Packets that the kernel was told of and has not sent.
    under_way_pkts: usize,
    /// The kernel left packets in the ring.
    stuck: bool,
    /// In packets: the frames all have one size.
    send_room: SendRoom,
    room_watched: bool,
    lost_pkts: u64,
}

impl Sending {
    /// The rings have as many entries as there are frames.
    pub fn new(to_send: Outgoing<libc::xdp_desc>, sent: Incoming<u64>, frames: Frames) -> Self {
        let free: Vec<u64> = frames.addresses().collect();
        Self {
            to_send,
            sent,
            frames,
            unannounced_pkts: 0,
            under_way_pkts: 0,
            stuck: false,
            send_room: SendRoom::new(1, free.len()),
            room_watched: false,
            lost_pkts: 0,
            free,
        }
    }

    /// Give packets to the kernel until one fails. `EAGAIN` says that the interface has enough.
    pub fn send(
        &mut self,
        socket: BorrowedFd<'_>,
        now_ns: u64,
        packets: &[Vec<u8>],
        check: impl Fn(&[u8]) -> io::Result<()>,
    ) -> Sent {
        let mut sent = Sent {
            packets: 0,
            failure: None,
        };
        for packet in packets {
            match check(packet).and_then(|()| self.put(socket, now_ns, packet)) {
                Ok(()) => sent.packets += 1,
                Err(error) => {
                    sent.failure = Some((1, error));
                    break;
                }
            }
        }
        self.flush(socket);
        sent
    }

    /// Put a packet into the ring, of which [`Self::flush`] tells the kernel.
    fn put(&mut self, socket: BorrowedFd<'_>, now_ns: u64, packet: &[u8]) -> io::Result<()> {
        if self.is_full() {
            self.flush(socket);
            if self.under_way_pkts == 0 && !self.stuck {
                self.send_room.refill(now_ns, 0);
            }
        }
        if self.is_full() || self.stuck {
            return Err(io::ErrorKind::WouldBlock.into());
        }
        let Some(address) = self.free.pop() else {
            return Err(io::ErrorKind::WouldBlock.into());
        };
        let place = libc::xdp_desc {
            addr: address,
            len: packet.len() as u32,
            options: 0,
        };
        // There are as many entries as frames, and the length is that of a frame at most.
        if !(self.frames.put(address, packet) && self.to_send.put(place)) {
            self.free.push(address);
            return Err(io::ErrorKind::WouldBlock.into());
        }
        self.unannounced_pkts += 1;
        Ok(())
    }

    fn is_full(&self) -> bool {
        self.under_way_pkts + self.unannounced_pkts >= self.send_room.bytes()
    }

    /// Tell the kernel of all packets.
    fn flush(&mut self, socket: BorrowedFd<'_>) {
        self.to_send.publish();
        self.under_way_pkts += std::mem::take(&mut self.unannounced_pkts);
        let mut left = self.to_send.left();
        while left > 0 && self.to_send.needs_wakeup() {
            // SAFETY: without a buffer, the call only wakes the kernel or the driver.
            let done = unsafe {
                let nothing = std::ptr::null();
                libc::send(socket.as_raw_fd(), nothing, 0, libc::MSG_DONTWAIT)
            };
            // The kernel says in this way that the interface has dropped a packet.
            if done < 0 && Errno::last() == Errno::EBUSY {
                self.lost_pkts += 1;
            }
            let now_left = self.to_send.left();
            if now_left == left {
                break;
            }
            left = now_left;
        }
        self.stuck = left > 0 && self.to_send.needs_wakeup();
        self.reclaim();
    }

    fn reclaim(&mut self) {
        while let Some(address) = self.sent.take() {
            self.free.push(Frames::frame_of(address));
            self.under_way_pkts = self.under_way_pkts.saturating_sub(1);
        }
        self.sent.publish();
    }

    /// Whether packets wait in the ring for the kernel to take them.
    pub fn is_stuck(&self) -> bool {
        self.stuck
    }

    /// Whether the interface has nothing left to send.
    pub fn is_dry(&mut self) -> bool {
        self.reclaim();
        self.under_way_pkts == 0
    }

    /// Look whether the interface has room again, and see that it has enough packets, and not more.
    pub fn refill(
        &mut self,
        socket: BorrowedFd<'_>,
        timer: &TimerFd,
        now_ns: u64,
    ) -> io::Result<()> {
        self.flush(socket);
        if !self.is_full() && !self.stuck {
            self.send_room.refill(now_ns, self.under_way_pkts);
        }
        // A periodic timer would have to be read before it goes on.
        self.watch_room(timer, self.room_watched)
    }

    /// Look for room now and then, or no longer.
    pub fn watch_room(&mut self, timer: &TimerFd, watch: bool) -> io::Result<()> {
        if watch {
            let due = Expiration::OneShot(TimeSpec::from_duration(ROOM_CHECK));
            timer.set(due, TimerSetTimeFlags::empty())?;
        } else if self.room_watched {
            timer.unset()?;
        }
        self.room_watched = watch;
        Ok(())
    }

    /// Packets that the interface's queue has dropped since the last call.
    pub fn take_lost(&mut self) -> u64 {
        std::mem::take(&mut self.lost_pkts)
    }

    /// Packets that the kernel has not taken: they go with the socket.
    pub fn untaken_pkts(&mut self) -> u64 {
        u64::from(self.to_send.left())
    }
}
