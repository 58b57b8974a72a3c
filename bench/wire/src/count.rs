// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! `count interface= [gaps=true]`: how many frames of the bench arrive, in what time and order, and with `gaps` how
//! evenly, by the kernel's clock. The number of frames of which gaps are kept is limited.
//!
//! It reads every 2 ms what the kernel kept, and of each frame only the beginning: a counter that is woken for each frame
//! takes its time from the sender, or from the device that has to wake it.

use std::os::fd::AsFd;
use std::thread::sleep;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::{json, Value};

use crate::arguments::{Arguments, Outcome};
use crate::frame::{self, MAX_FLOWS, MIN_BYTES};
use crate::packet_socket::{Batch, PacketSocket, Use};
use crate::serving::{ready, wait, wait_briefly, Asked};

const FRAMES: usize = 64;
const NAP: Duration = Duration::from_millis(2);
const MOST_ARRIVALS: usize = 4_000_000;
/// After the end of standard input no more frames come when none came for so long.
const QUIET_MS: u16 = 200;

#[derive(Debug)]
struct Counts {
    received: u64,
    others: u64,
    disordered: u64,
    /// The number after that of the last frame, of each flow.
    next: Vec<u64>,
    /// The first and the last reading of frames, in seconds since 1970: other counters have the same clock.
    span: Option<(f64, f64)>,
    arrivals_ns: Vec<u64>,
}

impl Counts {
    fn take(&mut self, batch: &Batch, count: usize) {
        let now = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default()
            .as_secs_f64();
        let before = self.received;
        for i in 0..count {
            let Some((flow, number)) = frame::read(batch.frame(i)) else {
                self.others += 1;
                continue;
            };
            let next = &mut self.next[usize::from(flow)];
            if number < *next {
                self.disordered += 1;
            }
            *next = number + 1;
            self.received += 1;
            if let Some(arrival_ns) = batch.arrival_ns(i) {
                if self.arrivals_ns.len() < MOST_ARRIVALS {
                    self.arrivals_ns.push(arrival_ns);
                }
            }
        }
        if self.received > before {
            self.span = Some((self.span.map_or(now, |span| span.0), now));
        }
    }
}

pub fn run(arguments: &Arguments) -> Outcome<Value> {
    let gaps: bool = arguments.find("gaps")?.unwrap_or(false);
    let purpose = if gaps {
        Use::ReceiveTimed
    } else {
        Use::Receive
    };
    let socket = PacketSocket::open(&arguments.get::<String>("interface")?, purpose)?;
    let mut batch = Batch::new(FRAMES, MIN_BYTES);
    let mut counts = Counts {
        received: 0,
        others: 0,
        disordered: 0,
        next: vec![0; usize::from(MAX_FLOWS)],
        span: None,
        arrivals_ns: Vec::new(),
    };
    ready()?;
    let mut open = true;
    while open || wait_briefly(socket.as_fd(), QUIET_MS)? {
        open = open && wait(&[socket.as_fd()])? != Asked::End;
        loop {
            let count = if gaps {
                batch.receive_timed(&socket)?
            } else {
                batch.receive(&socket)?
            };
            counts.take(&batch, count);
            if count < FRAMES {
                break;
            }
        }
        sleep(NAP);
    }
    let mut measured = json!({
        "received": counts.received,
        "overruns": socket.take_overruns()?,
        "others": counts.others,
        "disordered": counts.disordered,
        "span_s": counts.span,
    });
    if gaps {
        measured["gaps"] = spread(&counts.arrivals_ns);
    }
    Ok(measured)
}

/// The time between neighbours: mean, standard deviation and order statistics, in microseconds.
fn spread(arrivals_ns: &[u64]) -> Value {
    let mut gaps: Vec<f64> = arrivals_ns
        .windows(2)
        .map(|pair| (pair[1] as f64 - pair[0] as f64) / 1e3)
        .collect();
    if gaps.is_empty() {
        return Value::Null;
    }
    let number = gaps.len() as f64;
    let mean = gaps.iter().sum::<f64>() / number;
    let deviation = (gaps.iter().map(|gap| (gap - mean).powi(2)).sum::<f64>() / number).sqrt();
    gaps.sort_by(f64::total_cmp);
    let at = |share: f64| gaps[((gaps.len() - 1) as f64 * share).round() as usize];
    json!({
        "number": gaps.len(),
        "mean_us": mean,
        "deviation_us": deviation,
        "p1_us": at(0.01),
        "median_us": at(0.5),
        "p99_us": at(0.99),
        "longest_us": at(1.0),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_are_between_neighbours() {
        let found = spread(&[1_000, 3_000, 5_000, 13_000]);
        assert_eq!(found["number"], 3);
        assert_eq!(found["mean_us"], 4.0);
        assert_eq!(found["median_us"], 2.0);
        assert_eq!(found["longest_us"], 8.0);
        assert_eq!(spread(&[5]), Value::Null);
    }
}
