// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The transport: it opens and accepts ends.

use std::sync::Arc;

use super::control::Control;
use super::end::{End, Stack};
use super::message::Message;
use crate::packet::{HeaderFormat, OwnSegment, Segment};
use crate::time::Ns;
use crate::transport::{Io, Opening, Socket, Transport};

impl<C: Control> Stack<C> {
    fn accept_message(
        self: Arc<Self>,
        opening: Opening,
        first: Option<Message>,
        now: Ns,
        io: &mut Io,
    ) -> Option<Box<dyn Socket>> {
        let first = first.filter(Message::opens)?;
        let mut end = End::new(self, opening, now, io);
        end.on_message(&first, now, io);
        Some(Box::new(end))
    }
}

impl<C: Control> Transport for Stack<C> {
    fn segment_bytes(&self) -> u32 {
        self.common.segment_bytes
    }

    fn header_bytes(&self) -> u32 {
        self.common.mtu_bytes - self.common.segment_bytes
    }

    fn shares_flows(&self) -> bool {
        self.common.share_flows
    }

    fn open(self: Arc<Self>, opening: Opening, now: Ns, io: &mut Io) -> Box<dyn Socket> {
        Box::new(End::new(self, opening, now, io))
    }

    fn accept(
        self: Arc<Self>,
        opening: Opening,
        first: &Segment,
        now: Ns,
        io: &mut Io,
    ) -> Option<Box<dyn Socket>> {
        let first = Message::read_segment(C::FORM, first);
        self.accept_message(opening, first, now, io)
    }

    fn header(&self) -> Option<HeaderFormat> {
        C::FORM.header()
    }

    fn accept_own(
        self: Arc<Self>,
        opening: Opening,
        first: &OwnSegment,
        now: Ns,
        io: &mut Io,
    ) -> Option<Box<dyn Socket>> {
        let first = Message::read_own(C::FORM, first);
        self.accept_message(opening, first, now, io)
    }
}
