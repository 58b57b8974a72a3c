// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! `send interface= seconds= bytes= source_mac= destination_mac= source= destination= [flows=1] [rate=PKTS_PER_S]`:
//! as fast as the kernel takes them, or at a rate.

use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::{json, Value};

use crate::arguments::{Arguments, Outcome};
use crate::frame::{self, Ends, MAX_BYTES, MAX_FLOWS, MIN_BYTES};
use crate::packet_socket::{Batch, PacketSocket, Use};

const FRAMES: usize = 64;
/// The shortest sleep of a sender with a rate: what is due comes as a small burst.
const NAP: Duration = Duration::from_micros(50);

pub fn run(arguments: &Arguments) -> Outcome<Value> {
    let socket = PacketSocket::open(&arguments.get::<String>("interface")?, Use::Send)?;
    let seconds: f64 = arguments.get("seconds")?;
    let bytes: usize = arguments.get("bytes")?;
    let flows: u16 = arguments.find("flows")?.unwrap_or(1);
    let rate: Option<f64> = arguments.find("rate")?;
    if !(MIN_BYTES..=MAX_BYTES).contains(&bytes) {
        return Err(format!("bytes={bytes}: choose {MIN_BYTES} to {MAX_BYTES}").into());
    }
    if !(1..=MAX_FLOWS).contains(&flows) {
        return Err(format!("flows={flows}: choose 1 to {MAX_FLOWS}").into());
    }
    let ends = Ends {
        source_mac: arguments.get("source_mac")?,
        destination_mac: arguments.get("destination_mac")?,
        source: arguments.get("source")?,
        destination: arguments.get("destination")?,
    };
    let mut batch = Batch::new(FRAMES, bytes);
    (0..FRAMES).for_each(|i| frame::build(batch.slot(i), &ends));

    let began = Instant::now();
    let (mut sent, mut refused) = (0u64, 0u64);
    loop {
        let passed = began.elapsed().as_secs_f64();
        if passed >= seconds {
            break;
        }
        let offered = sent + refused;
        let due = match rate {
            None => FRAMES as u64,
            Some(rate) => ((passed * rate) as u64 + 1).saturating_sub(offered),
        };
        if due == 0 {
            sleep(NAP);
            continue;
        }
        let count = due.min(FRAMES as u64) as usize;
        for i in 0..count {
            let number = offered + i as u64;
            frame::number(batch.slot(i), (number % u64::from(flows)) as u16, number);
        }
        let mut done = 0;
        while done < count {
            match batch.send(&socket, done, count) {
                Ok(more) => {
                    done += more;
                    sent += more as u64;
                }
                Err(error) if error.raw_os_error() == Some(libc::ENOBUFS) => {
                    done += 1;
                    refused += 1;
                }
                Err(error) => return Err(error.into()),
            }
        }
    }
    let seconds = began.elapsed().as_secs_f64();
    Ok(json!({"sent": sent, "refused": refused, "seconds": seconds}))
}
