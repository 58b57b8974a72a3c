// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The events that wake the switch's thread.

use std::io;
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::sys::epoll::{Epoll, EpollCreateFlags, EpollEvent, EpollFlags, EpollTimeout};
use nix::sys::eventfd::{EfdFlags, EventFd};

/// The reason that the thread woke up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wake {
    /// The port's socket has packets or an error.
    Port(u32),
    /// The port's socket takes packets again.
    Writable(u32),
    /// The alarm rang.
    Alarm,
    /// Somebody called [`Poller::wake`].
    Called,
    /// The state of some interface changed.
    Links,
}

const ALARM: u64 = 1 << 32;
const CALLED: u64 = 2 << 32;
const LINKS: u64 = 3 << 32;
const WRITABLE: u64 = 4 << 32;

const MAX_EVENTS: usize = 64;

impl Wake {
    fn token(self) -> u64 {
        match self {
            Self::Port(port) => u64::from(port),
            Self::Writable(port) => WRITABLE | u64::from(port),
            Self::Alarm => ALARM,
            Self::Called => CALLED,
            Self::Links => LINKS,
        }
    }

    fn of(token: u64) -> Self {
        match token {
            ALARM => Self::Alarm,
            CALLED => Self::Called,
            LINKS => Self::Links,
            port if port & WRITABLE != 0 => Self::Writable(port as u32),
            port => Self::Port(port as u32),
        }
    }
}

/// An epoll set and a way to interrupt it. Sockets leave it by being closed.
#[derive(Debug)]
pub struct Poller {
    epoll: Epoll,
    caller: EventFd,
    /// The time to look again and again before sleeping.
    busy: Duration,
}

impl Poller {
    pub fn new(busy: Duration) -> io::Result<Self> {
        let epoll = Epoll::new(EpollCreateFlags::EPOLL_CLOEXEC)?;
        let caller = EventFd::from_flags(EfdFlags::EFD_NONBLOCK | EfdFlags::EFD_CLOEXEC)?;
        let poller = Self {
            epoll,
            caller,
            busy,
        };
        // Edge-triggered: a call is noticed once without having to read the counter.
        let flags = EpollFlags::EPOLLIN | EpollFlags::EPOLLET;
        poller
            .epoll
            .add(&poller.caller, EpollEvent::new(flags, CALLED))?;
        Ok(poller)
    }

    /// Also wake for `source`, as `wake`. Timers are edge-triggered: every expiry counts once.
    pub fn add(&self, source: impl AsFd, wake: Wake) -> io::Result<()> {
        let flags = match wake {
            Wake::Alarm | Wake::Writable(_) => EpollFlags::EPOLLIN | EpollFlags::EPOLLET,
            _ => EpollFlags::EPOLLIN,
        };
        Ok(self
            .epoll
            .add(source, EpollEvent::new(flags, wake.token()))?)
    }

    /// Whether to wake as [`Wake::Writable`], too, as long as the socket of a port takes packets.
    pub fn watch_room(&self, socket: impl AsFd, port: u32, watch: bool) -> io::Result<()> {
        let mut flags = EpollFlags::EPOLLIN;
        flags.set(EpollFlags::EPOLLOUT, watch);
        let mut event = EpollEvent::new(flags, Wake::Port(port).token());
        Ok(self.epoll.modify(socket, &mut event)?)
    }

    /// Wait until something happens, busily at first; `wakes` then holds what.
    pub fn wait(&self, wakes: &mut Vec<Wake>) -> io::Result<()> {
        wakes.clear();
        let mut events = [EpollEvent::empty(); MAX_EVENTS];
        match self.wait_events(&mut events) {
            Ok(count) => {
                for event in &events[..count] {
                    let wake = Wake::of(event.data());
                    if let (Wake::Port(port), true) =
                        (wake, event.events().contains(EpollFlags::EPOLLOUT))
                    {
                        wakes.push(Wake::Writable(port));
                    }
                    if event.events() != EpollFlags::EPOLLOUT {
                        wakes.push(wake);
                    }
                }
            }
            Err(Errno::EINTR) => {}
            Err(errno) => return Err(errno.into()),
        }
        Ok(())
    }

    fn wait_events(&self, events: &mut [EpollEvent]) -> Result<usize, Errno> {
        if !self.busy.is_zero() {
            let end = Instant::now() + self.busy;
            while Instant::now() < end {
                let count = self.epoll.wait(events, EpollTimeout::ZERO)?;
                if count > 0 {
                    return Ok(count);
                }
                std::hint::spin_loop();
            }
        }
        self.epoll.wait(events, EpollTimeout::NONE)
    }

    /// Interrupt [`Poller::wait`], now or when it is next called.
    pub fn wake(&self) {
        // The write can only fail when the counter is full, and then a wake-up is pending already.
        let _ = self.caller.write(1);
    }
}
