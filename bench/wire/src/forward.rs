// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! `forward a= b=`: the plainest forwarder between two interfaces on packet sockets, recvmmsg to sendmmsg both ways. It
//! answers each line of standard input with its counts.

use std::os::fd::AsFd;

use serde_json::{json, Value};

use crate::arguments::{Arguments, Outcome};
use crate::packet_socket::{Batch, PacketSocket, Use};
use crate::serving::{ready, wait, Asked};

const FRAMES: usize = 32;
/// The longest frame that an offload on the other side of a veth may hand over.
const SLOT_BYTES: usize = 65_536 + 18;

pub fn run(arguments: &Arguments) -> Outcome<Value> {
    let a = PacketSocket::open(&arguments.get::<String>("a")?, Use::Receive)?;
    let b = PacketSocket::open(&arguments.get::<String>("b")?, Use::Receive)?;
    let mut batch = Batch::new(FRAMES, SLOT_BYTES);
    let (mut forwarded, mut refused) = (0u64, 0u64);
    ready()?;
    let mut overruns = 0;
    loop {
        let asked = wait(&[a.as_fd(), b.as_fd()])?;
        loop {
            let mut most = 0;
            for (from, to) in [(&a, &b), (&b, &a)] {
                let count = batch.receive(from)?;
                batch.turn(count);
                let mut done = 0;
                while done < count {
                    match batch.send(to, done, count) {
                        Ok(more) => {
                            done += more;
                            forwarded += more as u64;
                        }
                        // Too long for the interface, or its queue is full.
                        Err(_) => {
                            done += 1;
                            refused += 1;
                        }
                    }
                }
                most = most.max(count);
            }
            if most < FRAMES {
                break;
            }
        }
        if asked == Asked::Nothing {
            continue;
        }
        overruns += a.take_overruns()? + b.take_overruns()?;
        let counts = json!({"forwarded": forwarded, "refused": refused, "overruns": overruns});
        if asked == Asked::End {
            return Ok(counts);
        }
        println!("{counts}");
    }
}
