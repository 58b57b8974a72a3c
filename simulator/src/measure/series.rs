// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Time series with bounded memory.

use serde::Serialize;

/// Values at regular times. A series that is full drops every second point, and keeps only every second sample from
/// then on.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Series {
    /// A direction, as "bottleneck.ab", or a source.
    pub name: String,
    pub columns: Vec<String>,
    /// The time between two samples; point number n is the sample number `samples[n]`, taken at that many intervals.
    pub interval_s: f64,
    pub samples: Vec<u64>,
    /// The points one after another, each with a value for every column.
    pub values: Vec<f64>,
    #[serde(skip)]
    max_points: usize,
    /// Only samples whose number this divides are kept.
    #[serde(skip)]
    every: u64,
}

impl Series {
    pub fn new(name: String, columns: &[&str], interval_s: f64, max_points: usize) -> Self {
        Self {
            name,
            columns: columns.iter().map(|&column| column.to_owned()).collect(),
            interval_s,
            samples: Vec::new(),
            values: Vec::new(),
            max_points: max_points.max(2),
            every: 1,
        }
    }

    /// Whether a sample of this number is kept.
    pub fn wants(&self, sample: u64) -> bool {
        sample % self.every == 0
    }

    /// Adds a sample that is wanted: a value for each column.
    pub fn add(&mut self, sample: u64, values: &[f64]) {
        debug_assert_eq!(values.len(), self.columns.len());
        while self.samples.len() >= self.max_points {
            self.thin_out();
        }
        if self.wants(sample) {
            self.samples.push(sample);
            self.values.extend_from_slice(values);
        }
    }

    fn thin_out(&mut self) {
        self.every *= 2;
        let width = self.columns.len();
        let mut kept = 0;
        for point in 0..self.samples.len() {
            if self.samples[point] % self.every == 0 {
                self.samples[kept] = self.samples[point];
                self.values
                    .copy_within(point * width..(point + 1) * width, kept * width);
                kept += 1;
            }
        }
        self.samples.truncate(kept);
        self.values.truncate(kept * width);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_series_halves_its_resolution_and_never_grows_beyond() {
        let mut series = Series::new("x".to_owned(), &["a", "b"], 0.1, 4);
        for sample in 0..=9 {
            if series.wants(sample) {
                series.add(sample, &[sample as f64, -(sample as f64)]);
            }
            assert!(series.samples.len() <= 4);
        }
        assert_eq!(series.samples, [0, 4, 8]);
        assert_eq!(series.values, [0.0, 0.0, 4.0, -4.0, 8.0, -8.0]);
    }

    #[test]
    fn a_series_that_begins_late_keeps_the_same_times_as_others() {
        let mut series = Series::new("x".to_owned(), &["a"], 0.1, 2);
        for sample in 5..=12 {
            if series.wants(sample) {
                series.add(sample, &[0.0]);
            }
        }
        assert_eq!(series.samples, [8, 12]);
    }
}
