// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! A simulation: its cells (`cells/`), and what looks at all of them at certain times.
//!
//! The samples and the end of the warm-up are events in the queue of a network that is one cell. In one of several
//! cells they come before all other events of their time.

use quench_dataplane::Switch;

use crate::cells::{run_rounds, Cells, Controller, Stop, Taps};
use crate::collect::{self, Baseline};
use crate::error::Error;
use crate::events::{Event, EventQueue};
use crate::measure::{Messages, Results};
use crate::sampling::Sampling;
use crate::snapshot::{self, Snapshot};
use crate::time::Ns;

/// The most threads of a run.
pub const MAX_THREADS: usize = 256;

/// A scenario that runs, or has run.
pub struct Simulation {
    pub(crate) cells: Cells,
    pub(crate) taps: Taps,
    pub(crate) sampling: Sampling,
    pub(crate) baseline: Baseline,
    /// The samples and the end of the warm-up, if there are several cells.
    pub(crate) agenda: EventQueue,
    pub(crate) duration_ns: Ns,
    pub(crate) threads: usize,
    /// The applications have recorded what was unfinished at the scenario's end.
    pub(crate) finished: bool,
}

impl Simulation {
    /// The end of the scenario.
    pub fn duration_ns(&self) -> Ns {
        self.duration_ns
    }

    pub fn now_ns(&self) -> Ns {
        self.cells.now()
    }

    /// The number of cells, which depends on the scenario alone. No more threads than these have work.
    pub fn cells(&self) -> usize {
        self.cells.count()
    }

    /// Later runs take this many threads, 1 to [`MAX_THREADS`]. The results are the same for any number.
    pub fn set_threads(&mut self, threads: usize) -> Result<(), Error> {
        if !(1..=MAX_THREADS).contains(&threads) {
            let problem = format!("must be 1 to {MAX_THREADS}, not {threads}");
            return Err(Error::at("threads", problem));
        }
        self.threads = threads;
        Ok(())
    }

    /// A router's switch, to be programmed before the simulation runs, and between two runs.
    pub fn router_mut(&mut self, name: &str) -> Option<&mut Switch> {
        let networks = self.cells.networks();
        let mut routers = networks.flat_map(|network| &mut network.routers);
        routers
            .find(|router| router.name == name)
            .map(|router| &mut router.switch)
    }

    /// Handles all events up to and including this time, but none after the scenario's end. At the scenario's end the
    /// sources record what they did not finish. Fails if a capture cannot be written, or if the clock stands still.
    pub fn run_until(&mut self, until: Ns, controller: &mut dyn Controller) -> Result<(), Error> {
        let until = until.min(self.duration_ns);
        match self.cells.count() {
            1 => self.run_one_cell(until, controller)?,
            _ => self.run_cells(until, controller)?,
        }
        self.cells.set_clocks(until);
        if until == self.duration_ns && !self.finished {
            self.finished = true;
            for source in 0..self.cells.sources() {
                self.cells.finish_source(source);
            }
        }
        for network in self.cells.networks() {
            for tap in &mut network.taps {
                tap.finish()?;
            }
        }
        self.taps.finish()
    }

    fn run_one_cell(&mut self, until: Ns, controller: &mut dyn Controller) -> Result<(), Error> {
        self.cells.cell(0).begin(Some(controller))?;
        loop {
            let event = match self.cells.cell(0).run_alone(until, controller)? {
                Stop::Sample => Event::Sample,
                Stop::WarmUpEnd => Event::WarmUpEnd,
                Stop::End | Stop::Asks => return Ok(()),
            };
            self.look(event);
        }
    }

    fn run_cells(&mut self, until: Ns, controller: &mut dyn Controller) -> Result<(), Error> {
        let look_ahead = self.cells.look_ahead()?;
        for index in 0..self.cells.count() {
            self.cells.cell(index).begin(None)?;
        }
        loop {
            let next_look = self.agenda.next_ns().unwrap_or(Ns::MAX);
            if let Some(before) = next_look.checked_sub(1) {
                let end = before.min(until);
                let (cells, taps) = (&self.cells, &mut self.taps);
                run_rounds(cells, taps, end, look_ahead, self.threads, controller)?;
            }
            let Some((at, event)) = self.agenda.pop(until) else {
                return Ok(());
            };
            self.cells.set_clocks(at);
            self.look(event);
        }
    }

    /// Looks at the whole network: takes a sample, or begins the statistics.
    fn look(&mut self, event: Event) {
        if event == Event::Sample {
            let next = self.sampling.sample(&mut self.cells);
            self.plan(next, event);
        } else {
            self.baseline = collect::begin(&mut self.cells, &mut self.sampling);
        }
    }

    /// Plans a look at the whole network.
    pub(crate) fn plan(&mut self, at: Ns, event: Event) {
        match self.cells.only() {
            Some(cell) => cell.network.events.schedule(at, event),
            None => self.agenda.schedule(at, event),
        }
    }

    /// The results up to now.
    pub fn results(&mut self) -> Results {
        let events = self.agenda.scheduled();
        collect::results(&mut self.cells, &self.sampling, &self.baseline, events)
    }

    /// The network as it is now. Looking changes nothing.
    pub fn snapshot(&mut self) -> Snapshot {
        snapshot::take(&mut self.cells)
    }

    /// Forgets the records of the sources up to now: [`Simulation::results`] has only later ones.
    pub fn forget_records(&mut self) {
        for network in self.cells.networks() {
            network.records = Vec::new();
            network.messages = Messages::default();
        }
    }
}
