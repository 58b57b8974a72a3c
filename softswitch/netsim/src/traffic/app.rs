// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! What a source is to the simulation, and the simulation to a source.

use rand_xoshiro::Xoshiro256PlusPlus;

use super::record::Record;
use crate::packet::Datagram;
use crate::tcp::ConnectionEvent;
use crate::time::Ns;

/// A host, by its place in the scenario.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub usize);

/// A set of TCP settings, by its place among the scenario's stacks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StackId(pub usize);

/// A connection. The number means nothing to a source, and no two connections of a run share one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ConnectionId(pub u64);

/// An end of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Side {
    /// The end that opened the connection.
    Opener,
    /// The end that was called.
    Acceptor,
}

/// A source of traffic. Each call may act through the context; nothing else ever happens in a source.
pub trait App: Send {
    /// The source begins: called once, at its `start_s`.
    fn start(&mut self, ctx: &mut dyn Ctx);

    /// A timer that was set with this token has run out.
    fn on_timer(&mut self, token: u64, ctx: &mut dyn Ctx);

    /// Something happened at one end of a connection of this source.
    fn on_connection(
        &mut self,
        _id: ConnectionId,
        _side: Side,
        _event: ConnectionEvent,
        _ctx: &mut dyn Ctx,
    ) {
    }

    /// Does this source go by [`ConnectionEvent::Received`] and [`ConnectionEvent::Acked`]? If not it need not be told:
    /// they are most of what happens.
    fn wants_progress(&self) -> bool {
        true
    }

    /// A datagram of this source has arrived at a host.
    fn on_datagram(&mut self, _at: NodeId, _datagram: &Datagram, _ctx: &mut dyn Ctx) {}

    /// The simulated time is over: the last chance to record what was not finished.
    fn finish(&mut self, _ctx: &mut dyn Ctx) {}
}

/// What a source can do. The simulation implements it, and the tests' virtual-time harness.
pub trait Ctx {
    fn now(&self) -> Ns;

    /// The random numbers of this source alone.
    fn rng(&mut self) -> &mut Xoshiro256PlusPlus;

    /// [`App::on_timer`] with this token at `at` (never earlier than now). Timers cannot be taken back: a token that
    /// has lost its meaning is ignored when it comes.
    fn set_timer(&mut self, at: Ns, token: u64);

    /// A new connection; the acceptor's end comes to life with the first segment that reaches it.
    fn connect(&mut self, opener: NodeId, acceptor: NodeId, stack: StackId) -> ConnectionId;

    /// Appends to what an end sends; `u64::MAX` has no end.
    fn send(&mut self, id: ConnectionId, side: Side, bytes: u64);

    /// Ends an end's stream after what it was given; an endless one after what was sent so far.
    fn close(&mut self, id: ConnectionId, side: Side);

    /// A UDP datagram; `number` comes back in [`App::on_datagram`] together with the time of sending.
    fn send_datagram(
        &mut self,
        from: NodeId,
        to: NodeId,
        payload_bytes: u32,
        dscp: u8,
        ecn: u8,
        number: u64,
    );

    /// Keeps a record of this source.
    fn record(&mut self, record: Record);
}
