// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! `echo address=IP:PORT` sends datagrams back; `ask address=IP:PORT seconds= [interval_us=500]` measures how long one
//! takes there and back, through the kernel's own UDP.

use std::net::{SocketAddr, UdpSocket};
use std::os::fd::AsFd;
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::{json, Value};

use crate::arguments::{Arguments, Outcome};
use crate::serving::{ready, wait, Asked};

/// A datagram that took longer is lost.
const PATIENCE: Duration = Duration::from_secs(1);
const PAYLOAD_BYTES: usize = 32;

pub fn echo(arguments: &Arguments) -> Outcome<Value> {
    let socket = UdpSocket::bind(arguments.get::<SocketAddr>("address")?)?;
    socket.set_nonblocking(true)?;
    ready()?;
    let (mut buffer, mut echoed) = ([0; 2048], 0u64);
    while wait(&[socket.as_fd()])? != Asked::End {
        while let Ok((bytes, from)) = socket.recv_from(&mut buffer) {
            socket.send_to(&buffer[..bytes], from)?;
            echoed += 1;
        }
    }
    Ok(json!({"echoed": echoed}))
}

pub fn ask(arguments: &Arguments) -> Outcome<Value> {
    let seconds = Duration::from_secs_f64(arguments.get("seconds")?);
    let interval = Duration::from_micros(arguments.find("interval_us")?.unwrap_or(500));
    let socket = UdpSocket::bind("0.0.0.0:0")?;
    socket.connect(arguments.get::<SocketAddr>("address")?)?;
    socket.set_read_timeout(Some(PATIENCE))?;
    let (began, mut number, mut lost) = (Instant::now(), 0u64, 0u64);
    let mut waits_us = Vec::new();
    while began.elapsed() < seconds {
        number += 1;
        let mut payload = [0; PAYLOAD_BYTES];
        payload[..8].copy_from_slice(&number.to_be_bytes());
        let sent = Instant::now();
        socket.send(&payload)?;
        let mut answer = [0; PAYLOAD_BYTES];
        loop {
            match socket.recv(&mut answer) {
                Ok(_) if answer == payload => {
                    waits_us.push(sent.elapsed().as_secs_f64() * 1e6);
                    break;
                }
                // The late answer to another.
                Ok(_) => {}
                Err(_) => {
                    lost += 1;
                    break;
                }
            }
        }
        sleep(interval.saturating_sub(sent.elapsed()));
    }
    waits_us.sort_by(f64::total_cmp);
    let at = |share: f64| {
        let last = waits_us.len().checked_sub(1)?;
        Some(waits_us[(last as f64 * share).round() as usize])
    };
    Ok(json!({
        "number": waits_us.len(),
        "lost": lost,
        "median_us": at(0.5),
        "p99_9_us": at(0.999),
        "longest_us": at(1.0),
    }))
}
