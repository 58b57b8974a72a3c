// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The interface between the application of a source ([`App`]) and the network ([`Ctx`]).

use rand_xoshiro::Xoshiro256PlusPlus;

use super::ids::{ConnectionId, NodeId, StackId};
use super::record::{Message, Record};
use super::udp_flow::UdpFlow;
use crate::packet::Datagram;
use crate::time::Ns;
use crate::transport::ConnectionEvent;

/// An end of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Side {
    /// The end that opened the connection.
    Opener,
    /// The end that accepted it.
    Acceptor,
}

/// The progress of its connections that an application hears of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// All events.
    Each,
    /// One [`ConnectionEvent::Acked`] for each message of [`Ctx::send_message`], when all of it is acknowledged.
    Whole,
    None,
}

/// The application of a source. It runs only in these calls, and acts only through `ctx`.
pub trait App: Send {
    /// Called once, at the source's `start_s`.
    fn start(&mut self, ctx: &mut dyn Ctx);

    /// A timer that was set with this token has run out.
    fn on_timer(&mut self, token: u64, ctx: &mut dyn Ctx);

    /// An event of one end of a connection of this source.
    fn on_connection(
        &mut self,
        _id: ConnectionId,
        _side: Side,
        _event: ConnectionEvent,
        _ctx: &mut dyn Ctx,
    ) {
    }

    /// The part of [`ConnectionEvent::Received`] and [`ConnectionEvent::Acked`] that the application needs. They are
    /// most of all events.
    fn progress(&self) -> Progress {
        Progress::Each
    }

    /// A datagram of this source has arrived at a host.
    fn on_datagram(&mut self, _at: NodeId, _datagram: &Datagram, _ctx: &mut dyn Ctx) {}

    /// Called once, at the end of the scenario, to record what is not finished.
    fn finish(&mut self, _ctx: &mut dyn Ctx) {}
}

/// The calls that an application can make. The network implements them, and the harness of the tests.
pub trait Ctx {
    fn now(&self) -> Ns;

    /// The random number generator of this source alone.
    fn rng(&mut self) -> &mut Xoshiro256PlusPlus;

    /// Schedules [`App::on_timer`] with this token for `at`, or for now if that is past. A timer cannot be cancelled:
    /// the application ignores a token that it no longer needs.
    fn set_timer(&mut self, at: Ns, token: u64);

    /// Opens a connection. The acceptor's end is created when the first segment reaches it.
    fn connect(&mut self, opener: NodeId, acceptor: NodeId, stack: StackId) -> ConnectionId;

    /// Appends bytes to the stream of an end; `u64::MAX`: a stream without end.
    fn send(&mut self, id: ConnectionId, side: Side, bytes: u64);

    /// Closes the stream of an end after all bytes that were appended. A stream without end is cut after the bytes sent
    /// so far.
    fn close(&mut self, id: ConnectionId, side: Side);

    /// Sends a message, and returns its connection: one of its own, which the sender closes after it, or one that the
    /// stack lets messages of this source between these hosts share.
    fn send_message(
        &mut self,
        from: NodeId,
        to: NodeId,
        stack: StackId,
        bytes: u64,
    ) -> ConnectionId {
        let id = self.connect(from, to, stack);
        self.send(id, Side::Opener, bytes);
        self.close(id, Side::Opener);
        id
    }

    /// Sends a datagram of the flow. [`App::on_datagram`] gets `number` and the time of sending.
    fn send_datagram(&mut self, flow: &UdpFlow, number: u64);

    /// Adds a record to the results.
    fn record(&mut self, record: Record);

    /// Adds a message to the results.
    fn record_message(&mut self, message: Message);
}
