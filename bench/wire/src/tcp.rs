// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! `tcp-receive address=IP:PORT` and `tcp-send address=IP:PORT seconds=`: one connection of the kernel's TCP.

use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

use serde_json::{json, Value};

use crate::arguments::{Arguments, Outcome};
use crate::serving::{ready, wait, Asked};

const BLOCK_BYTES: usize = 256 << 10;
/// A connection that takes nothing for so long has stalled.
const STALL: Duration = Duration::from_secs(2);

pub fn receive(arguments: &Arguments) -> Outcome<Value> {
    let listener = TcpListener::bind(arguments.get::<SocketAddr>("address")?)?;
    ready()?;
    let (mut buffer, mut bytes) = (vec![0; BLOCK_BYTES], 0u64);
    let mut span: Option<(Instant, Instant)> = None;
    if wait(&[listener.as_fd()])? != Asked::End {
        let (mut stream, _) = listener.accept()?;
        while wait(&[stream.as_fd()])? != Asked::End {
            let count = stream.read(&mut buffer)?;
            if count == 0 {
                break;
            }
            let now = Instant::now();
            span = Some((span.map_or(now, |span| span.0), now));
            bytes += count as u64;
        }
    }
    let seconds = span.map_or(0.0, |(first, last)| (last - first).as_secs_f64());
    Ok(json!({"bytes": bytes, "seconds": seconds}))
}

pub fn send(arguments: &Arguments) -> Outcome<Value> {
    let seconds = Duration::from_secs_f64(arguments.get("seconds")?);
    let address = arguments.get::<SocketAddr>("address")?;
    let block = vec![0; BLOCK_BYTES];
    let mut stalled = false;
    let mut stream = match TcpStream::connect_timeout(&address, STALL) {
        Ok(stream) => stream,
        Err(error) if error.kind() == ErrorKind::TimedOut => return Ok(json!({"stalled": true})),
        Err(error) => return Err(error.into()),
    };
    stream.set_write_timeout(Some(STALL))?;
    let began = Instant::now();
    while began.elapsed() < seconds {
        match stream.write(&block) {
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::WouldBlock => {
                stalled = true;
                break;
            }
            Err(error) => return Err(error.into()),
        }
    }
    Ok(json!({"stalled": stalled}))
}
