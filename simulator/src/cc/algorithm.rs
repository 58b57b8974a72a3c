// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Algorithms by name, and their parameters.

#![allow(unsafe_code)]

use std::ffi::CString;
use std::mem::MaybeUninit;
use std::ptr;

use super::ffi;

/// A value of `enum q_echo_rule`.
const ECHO_UNTIL_REDUCED: u32 = 1;

/// The agreement that both ends need when a connection begins: `enum q_ecn`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EcnNeed {
    Nothing,
    Rfc3168,
    Mecn,
    Accurate,
    AccEcn,
}

/// The packets that are ECN-capable: `enum q_ect`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EctNeed {
    NewData,
    All,
    /// All packets, whether ECN is agreed on or not.
    Unagreed,
    /// With Accurate ECN all packets, as ECT(1); with RFC 3168 new data, as ECT(0).
    L4s,
}

/// A window algorithm with its parameters.
#[derive(Debug, Clone, Copy)]
pub struct Algorithm {
    name: &'static str,
    ecn: EcnNeed,
    ect: EctNeed,
    obeys_quench: bool,
    pub(super) on_ack: ffi::OnAck,
    pub(super) params: ffi::Params,
}

/// A parameter that an algorithm does not take.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ParameterError {
    #[error("no parameter {name:?}; there are {known}")]
    Unknown { name: String, known: String },
    #[error("{name} cannot be {value:?}")]
    Value { name: String, value: String },
    #[error("{0}")]
    Together(String),
}

impl Algorithm {
    /// The algorithm of that name ("ecn", "becn", ...) with the default parameters.
    pub fn find(name: &str) -> Option<Self> {
        let text = CString::new(name).ok()?;

        // SAFETY: a function without arguments.
        let abi = unsafe { ffi::q_cc_abi() };
        assert_eq!(
            abi,
            ffi::Q_CC_ABI,
            "host_stack/cc has another ABI than simulator/src/cc"
        );
        // SAFETY: `text` is a string that ends with a zero; the result is NULL or static.
        let ops = unsafe { ffi::q_cc_find(text.as_ptr()).as_ref() }?;
        let mut params = MaybeUninit::uninit();
        // SAFETY: the function writes every field of what it is given.
        let params = unsafe {
            ffi::q_cc_params_default(params.as_mut_ptr());
            params.assume_init()
        };
        Some(Self {
            name: ops.name(),
            ecn: ecn_need(ops.ecn),
            ect: ect_need(ops.ect),
            obeys_quench: ops.obeys_isq != 0,
            on_ack: ops.on_ack,
            params,
        })
    }

    /// All algorithms by name.
    pub fn names() -> Vec<&'static str> {
        // SAFETY: the function takes any index; the result is NULL or static.
        (0..)
            .map_while(|index| unsafe { ffi::q_cc_at(index).as_ref() })
            .map(ffi::Ops::name)
            .collect()
    }

    /// All parameters by name.
    pub fn parameter_names() -> Vec<&'static str> {
        // SAFETY: the function takes any index; the result is NULL or static.
        (0..)
            .map_while(|index| unsafe { ffi::q_cc_param_at(index).as_ref() })
            .map(ffi::ParamInfo::name)
            .collect()
    }

    pub fn name(&self) -> &'static str {
        self.name
    }

    pub fn ecn(&self) -> EcnNeed {
        self.ecn
    }

    pub fn ect(&self) -> EctNeed {
        self.ect
    }

    /// Source quenches reach it.
    pub fn obeys_quench(&self) -> bool {
        self.obeys_quench
    }

    /// Sets a parameter from text, as `quench-host --set` does.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), ParameterError> {
        let wrong_value = || ParameterError::Value {
            name: name.to_owned(),
            value: value.to_owned(),
        };
        let unknown = || ParameterError::Unknown {
            name: name.to_owned(),
            known: Self::parameter_names().join(", "),
        };
        let name_text = CString::new(name).map_err(|_| unknown())?;
        let value_text = CString::new(value).map_err(|_| wrong_value())?;

        // SAFETY: both are strings that end with a zero, and `params` is whole.
        match unsafe {
            ffi::q_cc_param_set(
                ptr::from_mut(&mut self.params),
                name_text.as_ptr(),
                value_text.as_ptr(),
            )
        } {
            0 => Ok(()),
            -1 => Err(unknown()),
            _ => Err(wrong_value()),
        }
    }

    /// The fault of the parameters together.
    pub fn check(&self) -> Result<(), ParameterError> {
        // SAFETY: `params` is whole; the result is NULL or static.
        let problem = unsafe { ffi::q_cc_params_problem(ptr::from_ref(&self.params)) };

        if problem.is_null() {
            return Ok(());
        }
        // SAFETY: not NULL, so a static string of the library.
        let problem = unsafe { ffi::static_text(problem) };
        Err(ParameterError::Together(problem.to_owned()))
    }

    /// Lets a reduction at one packet close the window, which no host can do whose TCP always sends one packet.
    pub fn let_window_close(&mut self) {
        self.params.min_cwnd_pkts = 0;
    }

    /// mecn, as a receiver: a mark is echoed until the sender says that it has reduced its window.
    pub fn echoes_until_reduced(&self) -> bool {
        self.params.echo_rule == ECHO_UNTIL_REDUCED
    }
}

/// # Panics
/// For a value that `enum q_ecn` of this ABI does not have.
fn ecn_need(value: u32) -> EcnNeed {
    match value {
        0 => EcnNeed::Nothing,
        1 => EcnNeed::Rfc3168,
        2 => EcnNeed::Mecn,
        3 => EcnNeed::Accurate,
        4 => EcnNeed::AccEcn,
        _ => panic!("host_stack/cc has a q_ecn of {value}, which simulator/src/cc lacks"),
    }
}

/// # Panics
/// For a value that `enum q_ect` of this ABI does not have.
fn ect_need(value: u32) -> EctNeed {
    match value {
        0 => EctNeed::NewData,
        1 => EctNeed::All,
        2 => EctNeed::Unagreed,
        3 => EctNeed::L4s,
        _ => panic!("host_stack/cc has a q_ect of {value}, which simulator/src/cc lacks"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_algorithm_of_host_stack_is_found_by_its_name() {
        let names = Algorithm::names();
        assert!(names.contains(&"plain"), "{names:?}");
        for name in names {
            assert_eq!(Algorithm::find(name).expect(name).name(), name);
        }
        assert!(Algorithm::find("cubic").is_none());
    }

    #[test]
    fn an_algorithm_says_what_it_needs_of_the_receiver() {
        let needs = |name| {
            let found = Algorithm::find(name).expect(name);
            (found.ecn(), found.ect(), found.obeys_quench())
        };

        assert_eq!(needs("plain"), (EcnNeed::Nothing, EctNeed::NewData, false));
        assert_eq!(needs("ecn"), (EcnNeed::Rfc3168, EctNeed::NewData, false));
        assert_eq!(needs("becn"), (EcnNeed::Nothing, EctNeed::Unagreed, true));
        assert_eq!(
            needs("ecn-becn"),
            (EcnNeed::Rfc3168, EctNeed::NewData, true)
        );
        assert_eq!(needs("mecn"), (EcnNeed::Mecn, EctNeed::NewData, false));
        for name in ["ecn-mod", "dctcp"] {
            assert_eq!(needs(name), (EcnNeed::Accurate, EctNeed::All, false));
        }
        assert_eq!(needs("prague"), (EcnNeed::AccEcn, EctNeed::L4s, false));
    }

    #[test]
    fn the_layout_of_the_parameters_is_that_of_the_c_code() {
        let mut algorithm = Algorithm::find("becn").expect("becn");
        let defaults = algorithm.params;

        assert_eq!(defaults.min_cwnd_pkts, 1);
        assert_eq!(defaults.min_ssthresh_pkts, 2);
        assert_eq!(defaults.c1_q16, 1 << 12);
        assert_eq!(defaults.beta3_percent, 50);
        assert_eq!(defaults.g_q16, 1 << 12);
        assert_eq!(defaults.virtual_rtt_us, 25_000);
        for (name, value) in [
            ("max_cwnd_pkts", "100"),
            ("c2", "0.5"),
            ("hold_rule", "old-window"),
            ("echo_rule", "until-reduced"),
            ("g", "0.25"),
            ("virtual_rtt_rounds", "7"),
        ] {
            algorithm.set(name, value).expect(name);
        }
        let expected = ffi::Params {
            max_cwnd_pkts: 100,
            c2_q16: 1 << 15,
            hold_rule: 3,
            echo_rule: 1,
            g_q16: 1 << 14,
            virtual_rtt_rounds: 7,
            ..defaults
        };
        assert_eq!(algorithm.params, expected);
        assert!(algorithm.echoes_until_reduced());
    }

    #[test]
    fn what_cannot_be_set_is_said_in_one_line() {
        let mut algorithm = Algorithm::find("ecn").expect("ecn");

        let unknown = algorithm
            .set("speed", "1")
            .expect_err("unknown")
            .to_string();
        assert!(
            unknown.starts_with("no parameter \"speed\"; there are min_cwnd_pkts, "),
            "{unknown}"
        );
        let value = algorithm
            .set("hold_rule", "sometimes")
            .expect_err("no value")
            .to_string();
        assert_eq!(value, "hold_rule cannot be \"sometimes\"");
        algorithm.set("alpha", "1").expect("alpha");
        let together = algorithm.check().expect_err("together").to_string();
        assert_eq!(
            together,
            "alpha must be less than beta, or the window has no bound"
        );
    }
}
