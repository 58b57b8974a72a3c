// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Web sessions: pages of objects, each object over a connection of its own.
//!
//! A session belongs to a client, and each of its pages to a server drawn at random. The client requests each object,
//! and the object's transfer delay is the time from the request until the server has the acknowledgement of its last
//! packet. The defaults are the papers' table (sessions every 0.5 s, pages of 3 objects on average).

use std::collections::BTreeMap;

use rand_xoshiro::rand_core::RngCore;
use serde::{Deserialize, Serialize};

use super::app::{App, Ctx, Side};
use super::check::{Check, SourceError};
use super::distribution::Distribution;
use super::ids::{ConnectionId, NodeId, StackId};
use super::record::{Object, Record};
use crate::time::Ns;
use crate::transport::ConnectionEvent;

/// `kind: web`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Web {
    pub name: String,
    #[serde(default)]
    pub group: Option<String>,
    pub servers: Vec<String>,
    /// A session's client and a page's server are drawn evenly from these.
    pub clients: Vec<String>,
    pub stack: String,
    /// The time at which the first session begins.
    #[serde(default)]
    pub start_s: f64,
    #[serde(default = "sessions")]
    pub sessions: u64,
    #[serde(default = "inter_session_s")]
    pub inter_session_s: Distribution,
    /// Pages of a session, rounded up to a whole number, as are objects and packets.
    #[serde(default = "pages")]
    pub pages: Distribution,
    #[serde(default = "inter_page_s")]
    pub inter_page_s: Distribution,
    /// The event from which the time to the next page counts.
    #[serde(default)]
    pub inter_page_from: PageEvent,
    #[serde(default = "objects_per_page")]
    pub objects_per_page: Distribution,
    /// Time from one request of a page to the next.
    #[serde(default = "inter_object_s")]
    pub inter_object_s: Distribution,
    pub object_pkts: Distribution,
    /// Payload of a full packet of the stack, for the conversion of packets to bytes.
    pub packet_bytes: u64,
    /// Payload of a request; none: one full packet.
    #[serde(default)]
    pub request_bytes: Option<u64>,
}

/// An end of a page's transfer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PageEvent {
    /// The request of the first object.
    Start,
    /// The end of the last object (ns-2's default).
    #[default]
    End,
}

fn sessions() -> u64 {
    1000
}

fn inter_session_s() -> Distribution {
    Distribution::Exponential { mean: 0.5 }
}

fn pages() -> Distribution {
    Distribution::constant(10.0)
}

fn inter_page_s() -> Distribution {
    Distribution::ParetoIi {
        mean: 10.0,
        shape: 2.0,
    }
}

fn objects_per_page() -> Distribution {
    Distribution::ParetoIi {
        mean: 3.0,
        shape: 1.5,
    }
}

fn inter_object_s() -> Distribution {
    Distribution::ParetoIi {
        mean: 0.1,
        shape: 1.5,
    }
}

impl Web {
    pub(super) fn build(&self, check: &Check) -> Result<Box<dyn App>, SourceError> {
        check.distribution("inter_session_s", &self.inter_session_s)?;
        check.distribution("pages", &self.pages)?;
        check.distribution("inter_page_s", &self.inter_page_s)?;
        check.distribution("objects_per_page", &self.objects_per_page)?;
        check.distribution("inter_object_s", &self.inter_object_s)?;
        check.distribution("object_pkts", &self.object_pkts)?;
        check.at_least("sessions", self.sessions, 1)?;
        check.at_least("packet_bytes", self.packet_bytes, 1)?;
        let request_bytes = self.request_bytes.unwrap_or(self.packet_bytes);
        check.at_least("request_bytes", request_bytes, 1)?;
        let servers = check.hosts("servers", &self.servers)?;
        let clients = check.hosts("clients", &self.clients)?;
        if let Some(at) = clients.iter().position(|client| servers.contains(client)) {
            let problem = format!("\"{}\" is a server too", self.clients[at]);
            return Err(check.error("clients", problem));
        }
        Ok(Box::new(Sessions {
            stack: check.stack(&self.stack)?,
            config: self.clone(),
            request_bytes,
            servers,
            clients,
            launched: 0,
            sessions: BTreeMap::new(),
            pages: BTreeMap::new(),
            next_page: 0,
            transfers: BTreeMap::new(),
        }))
    }
}

struct Session {
    client: NodeId,
    pages: u64,
    begun_pages: u64,
    ended_pages: u64,
}

struct Page {
    session: u64,
    /// Number of the page within the session, from 0.
    number: u64,
    client: NodeId,
    server: NodeId,
    to_request: u64,
    under_way: u64,
}

struct Transfer {
    page: u64,
    bytes: u64,
    /// Bytes of the request that have not reached the server.
    missing_request_bytes: u64,
    acked_bytes: u64,
    requested_ns: Ns,
}

struct Sessions {
    config: Web,
    stack: StackId,
    request_bytes: u64,
    servers: Vec<NodeId>,
    clients: Vec<NodeId>,
    launched: u64,
    sessions: BTreeMap<u64, Session>,
    pages: BTreeMap<u64, Page>,
    next_page: u64,
    transfers: BTreeMap<ConnectionId, Transfer>,
}

// The two lowest bits of a timer's token are one of these; the bits above are the number of the session or page.
const SESSION: u64 = 0;
const PAGE: u64 = 1;
const OBJECT: u64 = 2;

fn pick(from: &[NodeId], ctx: &mut dyn Ctx) -> NodeId {
    // The bias of a 64-bit draw over a few hosts is below 2^-50.
    from[(ctx.rng().next_u64() % from.len() as u64) as usize]
}

fn after(time: &Distribution, token: u64, ctx: &mut dyn Ctx) {
    let at = ctx.now().saturating_add(time.sample_ns(ctx.rng()));
    ctx.set_timer(at, token);
}

impl Sessions {
    fn begin_session(&mut self, ctx: &mut dyn Ctx) {
        let number = self.launched;
        self.launched += 1;
        let client = pick(&self.clients, ctx);
        let pages = self.config.pages.sample_count(ctx.rng());
        self.sessions.insert(
            number,
            Session {
                client,
                pages,
                begun_pages: 0,
                ended_pages: 0,
            },
        );
        if self.launched < self.config.sessions {
            after(&self.config.inter_session_s, SESSION, ctx);
        }
        self.begin_page(number, ctx);
    }

    fn begin_page(&mut self, number: u64, ctx: &mut dyn Ctx) {
        let Some(session) = self.sessions.get_mut(&number) else {
            return;
        };
        let id = self.next_page;
        self.next_page += 1;
        let page = Page {
            session: number,
            number: session.begun_pages,
            client: session.client,
            server: pick(&self.servers, ctx),
            to_request: self.config.objects_per_page.sample_count(ctx.rng()),
            under_way: 0,
        };
        session.begun_pages += 1;
        let more = session.begun_pages < session.pages;
        self.pages.insert(id, page);
        if more && self.config.inter_page_from == PageEvent::Start {
            after(&self.config.inter_page_s, number << 2 | PAGE, ctx);
        }
        self.request_object(id, ctx);
    }

    fn request_object(&mut self, id: u64, ctx: &mut dyn Ctx) {
        let Some(page) = self.pages.get_mut(&id) else {
            return;
        };
        page.to_request -= 1;
        page.under_way += 1;
        let bytes = self
            .config
            .object_pkts
            .sample_count(ctx.rng())
            .saturating_mul(self.config.packet_bytes);
        if page.to_request > 0 {
            after(&self.config.inter_object_s, id << 2 | OBJECT, ctx);
        }
        let connection = ctx.connect(page.client, page.server, self.stack);
        self.transfers.insert(
            connection,
            Transfer {
                page: id,
                bytes,
                missing_request_bytes: self.request_bytes,
                acked_bytes: 0,
                requested_ns: ctx.now(),
            },
        );
        ctx.send(connection, Side::Opener, self.request_bytes);
    }

    fn end_object(&mut self, connection: ConnectionId, acked_ns: Option<Ns>, ctx: &mut dyn Ctx) {
        let Some(transfer) = self.transfers.remove(&connection) else {
            return;
        };
        let Some(page) = self.pages.get_mut(&transfer.page) else {
            return;
        };
        page.under_way -= 1;
        ctx.record(Record::Object(Object {
            session: page.session,
            page: page.number,
            bytes: transfer.bytes,
            requested_ns: transfer.requested_ns,
            acked_ns,
        }));
        if page.to_request == 0 && page.under_way == 0 {
            let number = page.session;
            self.pages.remove(&transfer.page);
            self.end_page(number, ctx);
        }
    }

    fn end_page(&mut self, number: u64, ctx: &mut dyn Ctx) {
        let Some(session) = self.sessions.get_mut(&number) else {
            return;
        };
        session.ended_pages += 1;
        if session.ended_pages == session.pages {
            self.sessions.remove(&number);
        } else if self.config.inter_page_from == PageEvent::End {
            after(&self.config.inter_page_s, number << 2 | PAGE, ctx);
        }
    }

    fn request_arrived(&mut self, connection: ConnectionId, bytes: u64, ctx: &mut dyn Ctx) {
        let Some(transfer) = self.transfers.get_mut(&connection) else {
            return;
        };
        if transfer.missing_request_bytes == 0 {
            return;
        }
        transfer.missing_request_bytes = transfer.missing_request_bytes.saturating_sub(bytes);
        if transfer.missing_request_bytes == 0 {
            ctx.send(connection, Side::Acceptor, transfer.bytes);
            ctx.close(connection, Side::Acceptor);
        }
    }
}

impl App for Sessions {
    fn start(&mut self, ctx: &mut dyn Ctx) {
        self.begin_session(ctx);
    }

    fn on_timer(&mut self, token: u64, ctx: &mut dyn Ctx) {
        match token & 3 {
            SESSION => self.begin_session(ctx),
            PAGE => self.begin_page(token >> 2, ctx),
            _ => self.request_object(token >> 2, ctx),
        }
    }

    fn on_connection(
        &mut self,
        id: ConnectionId,
        side: Side,
        event: ConnectionEvent,
        ctx: &mut dyn Ctx,
    ) {
        match (side, event) {
            (Side::Opener, ConnectionEvent::PeerClosed) => ctx.close(id, Side::Opener),
            (Side::Acceptor, ConnectionEvent::Received { bytes }) => {
                self.request_arrived(id, bytes, ctx);
            }
            (Side::Acceptor, ConnectionEvent::Acked { bytes }) => {
                if let Some(transfer) = self.transfers.get_mut(&id) {
                    transfer.acked_bytes += bytes;
                    if transfer.acked_bytes >= transfer.bytes {
                        let now = ctx.now();
                        self.end_object(id, Some(now), ctx);
                    }
                }
            }
            (_, ConnectionEvent::Failed) => self.end_object(id, None, ctx),
            _ => {}
        }
    }

    fn finish(&mut self, ctx: &mut dyn Ctx) {
        for (_, transfer) in std::mem::take(&mut self.transfers) {
            if let Some(page) = self.pages.get(&transfer.page) {
                ctx.record(Record::Object(Object {
                    session: page.session,
                    page: page.number,
                    bytes: transfer.bytes,
                    requested_ns: transfer.requested_ns,
                    acked_ns: None,
                }));
            }
        }
    }
}
