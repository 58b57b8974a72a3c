// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Rounds, in which the cells of a network go on side by side.
//!
//! No packet comes from one cell to another in less than the look-ahead, the least delay of the links between them. So
//! each cell may handle its events up to the earliest event of all plus the look-ahead: what the others send meanwhile
//! arrives later. Between two rounds, the controller is asked, in the order of the packet-ins' times, then of their
//! routers. A cell whose router may get its answer within the look-ahead waits for it; its neighbours do not.
//!
//! The work of a cell in a round depends only on the cell and on the packets that come to it, and those are in order of
//! time, direction and sequence (`../network/away.rs`). So neither the threads, nor where rounds begin and end, change a
//! result.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Mutex;

use super::cell::{Asked, Cell, Controller};
use super::crew::{with_crew, Crew};
use super::taps::Taps;
use super::whole::Cells;
use crate::error::Error;
use crate::time::Ns;

/// Rounds after which cells are sorted anew by what they did.
const SORTED_EVERY: u64 = 16;

/// Handles all events of a network up to and including this time.
pub fn run(
    cells: &Cells,
    taps: &mut Taps,
    until: Ns,
    look_ahead: Ns,
    threads: usize,
    controller: &mut dyn Controller,
) -> Result<(), Error> {
    let rounds = Rounds {
        cells,
        end: AtomicU64::new(0),
        events: (0..cells.count()).map(|_| AtomicU64::new(0)).collect(),
        faults: Mutex::new(Vec::new()),
        asked: Mutex::new(Vec::new()),
        waits_since: (0..cells.count())
            .map(|_| AtomicU64::new(Ns::MAX))
            .collect(),
    };
    for index in 0..cells.count() {
        rounds.hand_over(index, &mut cells.lock(index));
    }
    let work = |index: usize| rounds.run_cell(index);
    let ran = with_crew(threads, cells.count(), &work, |crew| {
        rounds.lead(crew, &work, taps, (until, look_ahead), controller)
    });
    rounds.take_back();
    ran.unwrap_or_else(|error| {
        let problem = format!("the system has no {threads} threads ({error}): use fewer");
        Err(Error::at("threads", problem))
    })
}

/// The state of the rounds up to one time.
struct Rounds<'a> {
    cells: &'a Cells,
    /// The last time of the round.
    end: AtomicU64,
    /// The events that each cell handled in the last rounds.
    events: Vec<AtomicU64>,
    /// Cells that failed in the round, with the time.
    faults: Mutex<Vec<(Ns, usize, Error)>>,
    /// Packet-ins that wait for the controller: the router's number in the scenario, its cell, and the packet-in.
    asked: Mutex<Vec<(u32, usize, Asked)>>,
    /// The time from which on a cell waits for the controller; [`Ns::MAX`]: it does not.
    waits_since: Vec<AtomicU64>,
}

impl Rounds<'_> {
    fn lead(
        &self,
        crew: &Crew,
        work: &impl Fn(usize),
        taps: &mut Taps,
        (until, look_ahead): (Ns, Ns),
        controller: &mut dyn Controller,
    ) -> Result<(), Error> {
        let mut order: Vec<u32> = (0..self.cells.count() as u32).collect();
        let mut list = Vec::with_capacity(order.len());
        for round in 0_u64.. {
            if round % SORTED_EVERY == 0 {
                self.sort(&mut order);
            }
            // The first event of the cells that may go on.
            let next = |index: usize| self.cells.coming_ns(index);
            let going = (0..self.cells.count()).filter(|&index| !self.waiting(index));
            let first = going.map(next).min().unwrap_or(Ns::MAX);
            if self.ask(first, controller) {
                continue;
            }
            taps.write(self.cells, first);
            if first > until {
                break;
            }
            // Cells that wait for the controller are not before this time: it would have been asked.
            let end = until.min(first.saturating_add(look_ahead - 1));
            self.end.store(end, Ordering::Relaxed);
            list.clear();
            let due = |index: &u32| !self.waiting(*index as usize) && next(*index as usize) <= end;
            list.extend(order.iter().copied().filter(due));
            crew.share(&list, work);
            self.check()?;
        }
        Ok(())
    }

    /// The first fault of the round, if there is one.
    fn check(&self) -> Result<(), Error> {
        let mut faults = self.faults.lock().expect("no thread has panicked");
        faults.sort_by_key(|(at, index, _)| (*at, *index));
        let first = faults.drain(..).next();
        first.map_or(Ok(()), |(_, _, error)| Err(error))
    }

    /// Those that did most come last: threads take them first.
    fn sort(&self, order: &mut [u32]) {
        let events: Vec<u64> = self
            .events
            .iter()
            .map(|events| events.swap(0, Ordering::Relaxed))
            .collect();
        order.sort_by_key(|&index| (events[index as usize], index));
    }

    fn waiting(&self, index: usize) -> bool {
        self.waits_since[index].load(Ordering::Relaxed) != Ns::MAX
    }

    /// Asks the controller for the first packet-ins, if they are before all that is still to happen elsewhere.
    fn ask(&self, first: Ns, controller: &mut dyn Controller) -> bool {
        let mut asked = self.asked.lock().expect("no thread has panicked");
        let Some(at) = asked.iter().map(|(_, _, asked)| asked.at).min() else {
            return false;
        };
        if at >= first {
            return false;
        }
        let (mut now, later): (Vec<_>, Vec<_>) =
            asked.drain(..).partition(|(_, _, asked)| asked.at == at);
        *asked = later;
        drop(asked);
        // Those of one router stay in their order.
        now.sort_by_key(|(router, _, _)| *router);
        for (_, index, asked) in now {
            let mut cell = self.cells.lock(index);
            cell.ask(controller, &asked);
            if self.waits_since[index].load(Ordering::Relaxed) == asked.at {
                self.waits_since[index].store(Ns::MAX, Ordering::Relaxed);
                cell.go_on();
            }
            self.cells.set_next_ns(index, cell.next_ns());
        }
        true
    }

    /// Runs a cell to the end of the round.
    fn run_cell(&self, index: usize) {
        let mut cell = self.cells.lock(index);
        self.cells.receive(index, &mut cell);
        let before = cell.network.events.scheduled() + cell.received;
        if let Err(error) = cell.run(self.end.load(Ordering::Relaxed)) {
            let at = cell.network.now;
            let mut faults = self.faults.lock().expect("no thread has panicked");
            faults.push((at, index, error));
        }
        let events = cell.network.events.scheduled() + cell.received - before;
        self.events[index].fetch_add(events, Ordering::Relaxed);
        self.hand_over(index, &mut cell);
    }

    /// Packet-ins that a fault has left behind go back to their cells, which ask in the next run: some wait for that.
    fn take_back(&self) {
        let mut asked = self.asked.lock().expect("no thread has panicked");
        for (_, index, each) in asked.drain(..) {
            self.cells.lock(index).asked.push(each);
        }
    }

    /// Passes on what a cell has for others.
    fn hand_over(&self, index: usize, cell: &mut Cell) {
        if !cell.asked.is_empty() {
            let mut asked = self.asked.lock().expect("no thread has panicked");
            for each in cell.asked.drain(..) {
                let number = cell.router_numbers[each.router as usize];
                asked.push((number, index, each));
            }
        }
        if cell.must_ask() {
            let now = cell.network.now;
            self.waits_since[index].store(now, Ordering::Relaxed);
        }
        self.cells.send(cell);
        self.cells.set_next_ns(index, cell.next_ns());
    }
}
