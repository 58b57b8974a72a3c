// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Part of [`Flow`]: parsers, whose states can follow each other in circles.

use std::collections::BTreeSet;

use super::{meet, Flow, State};
use crate::ir::{KeySet, Parser, Target, Transition};

impl<'p> Flow<'p, '_, '_> {
    pub(super) fn parser(&mut self, parser: &'p Parser) {
        self.begin(&parser.params);
        self.statements(&parser.locals);
        let mut inputs: Vec<Option<State>> = vec![None; parser.states.len()];
        if let Some(start) = inputs.first_mut() {
            *start = self.state.take();
        }
        let mut waiting = BTreeSet::from([0]);
        self.quiet += 1;
        while let Some(number) = waiting.pop_first() {
            if self.gave_up() {
                break;
            }
            self.run(parser, &inputs, number);
            for target in targets(&parser.states[number].transition) {
                let Target::State(next) = target else {
                    continue;
                };
                let next = next as usize;
                let mut input = inputs[next].clone();
                let after = self.copy();
                meet(&mut input, after);
                if input != inputs[next] {
                    inputs[next] = input;
                    waiting.insert(next);
                }
            }
        }
        self.quiet -= 1;
        let mut ended = None;
        for number in 0..parser.states.len() {
            if inputs[number].is_none() || self.gave_up() {
                continue;
            }
            self.run(parser, &inputs, number);
            let ends = |target| !matches!(target, Target::State(_));
            if targets(&parser.states[number].transition).any(ends) {
                meet(&mut ended, self.state.take());
            }
        }
        self.state = ended;
        self.end(&parser.params, &parser.type_name);
    }

    /// The state with what is known where it begins, up to its transition.
    fn run(&mut self, parser: &'p Parser, inputs: &[Option<State>], number: usize) {
        self.state = inputs[number].clone();
        self.count_copy(self.state.as_ref().map_or(0, State::len));
        let state = &parser.states[number];
        self.statements(&state.body);
        if let Transition::Select { keys, cases } = &state.transition {
            keys.iter().for_each(|key| self.read(key));
            for keyset in cases.iter().flat_map(|(keysets, _)| keysets) {
                match keyset {
                    KeySet::Value(value) => self.read(value),
                    KeySet::Mask(a, b) | KeySet::Range(a, b) => {
                        self.read(a);
                        self.read(b);
                    }
                    KeySet::DontCare | KeySet::ValueSet(_) => {}
                }
            }
        }
    }
}

/// Each once, but for those of a `select`; a `select` whose cases do not match goes to reject.
fn targets(transition: &Transition) -> impl Iterator<Item = Target> + '_ {
    let (single, cases): (_, &[_]) = match transition {
        Transition::To(target) => (*target, &[]),
        Transition::Select { cases, .. } => (Target::Reject, cases),
    };
    std::iter::once(single).chain(cases.iter().map(|(_, target)| *target))
}
