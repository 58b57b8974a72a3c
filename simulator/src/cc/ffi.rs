// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! `host_stack/cc/q_cc.h`, as far as it is used here. The layouts are those of ABI 6, which `Algorithm::find` asserts.

#![allow(unsafe_code)]

use std::ffi::{c_char, c_int, CStr};

pub const Q_CC_ABI: u32 = 6;
pub const Q_CWND_SHIFT: u32 = 24;

/// `struct q_cc_params`.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Params {
    pub min_cwnd_pkts: u32,
    pub min_ssthresh_pkts: u32,
    pub max_cwnd_pkts: u32,
    pub initial_cwnd_pkts: u32,
    pub integer_cut: u32,
    pub hold_rule: u32,
    pub cwr_rule: u32,
    pub ece_opens_after_isq: u32,
    pub ece_guard_srtt: u32,
    pub isq_levels: u32,
    pub isq_cut_min_q16: u32,
    pub isq_cut_max_q16: u32,
    pub alpha_q16: u32,
    pub beta_q16: u32,
    pub c1_q16: u32,
    pub c2_q16: u32,
    pub initial_slow_start: u32,
    pub beta1_percent: u32,
    pub beta2_percent: u32,
    pub beta3_percent: u32,
    pub echo_rule: u32,
    pub g_q16: u32,
    pub virtual_rtt_us: u32,
    pub virtual_rtt_rounds: u32,
}

/// `struct q_cc`.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct State {
    pub cwnd_q24: u64,
    pub ssthresh_q24: u64,
    pub undo_cwnd_q24: u64,
    /// `hold_until_us`, or what dctcp and prague have seen.
    pub hold_until_us: u64,
    pub ece_guard_until_us: u64,
    pub cut_seq: u32,
    pub rto_seq: u32,
    pub flags: u16,
    pub rounds: u16,
    pub alpha_q24: u32,
    pub window_end: u32,
    pub window_began_us: u32,
}

/// `struct q_cc_event`.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Event {
    pub now_us: u64,
    pub srtt_us: u32,
    pub snd_una: u32,
    pub snd_nxt: u32,
    pub acked_pkts: u32,
    pub acked_bytes: u32,
    pub marked_pkts: u32,
    pub delivered_pkts: u32,
    pub isq_kind: u8,
    pub isq_level: u8,
    pub mark_level: u8,
    pub flags: u8,
}

/// `struct q_cc_action`.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Action {
    pub reacted: u32,
    pub suppressed: u32,
    pub queue_cwr: u32,
}

pub type OnAck = unsafe extern "C" fn(
    cc: *mut State,
    params: *const Params,
    event: *const Event,
    action: *mut Action,
);

/// `struct q_cc_ops`. Only the library makes them.
#[repr(C)]
pub struct Ops {
    name: *const c_char,
    pub on_ack: OnAck,
    pub ecn: u32,
    pub ect: u32,
    pub obeys_isq: u32,
}

/// `struct q_cc_param_info`. Only the library makes them.
#[repr(C)]
pub struct ParamInfo {
    name: *const c_char,
    offset: u32,
    min: u32,
    max: u32,
    fraction_bits: u32,
    value_names: *const *const c_char,
}

impl Ops {
    pub fn name(&self) -> &'static str {
        // SAFETY: the library made it, with a static name.
        unsafe { static_text(self.name) }
    }
}

impl ParamInfo {
    pub fn name(&self) -> &'static str {
        // SAFETY: as above.
        unsafe { static_text(self.name) }
    }
}

/// # Safety
/// `text` is a static string of the library, which ends with a zero.
pub unsafe fn static_text(text: *const c_char) -> &'static str {
    // SAFETY: the caller's promise.
    let text = unsafe { CStr::from_ptr(text) };
    text.to_str().expect("names in ASCII")
}

extern "C" {
    pub fn q_cc_abi() -> u32;
    pub fn q_cc_find(name: *const c_char) -> *const Ops;
    pub fn q_cc_at(index: u32) -> *const Ops;
    pub fn q_cc_params_default(params: *mut Params);
    pub fn q_cc_param_at(index: u32) -> *const ParamInfo;
    pub fn q_cc_param_set(params: *mut Params, name: *const c_char, value: *const c_char) -> c_int;
    pub fn q_cc_params_problem(params: *const Params) -> *const c_char;
    pub fn q_cc_init(cc: *mut State, params: *const Params, cwnd_pkts: u32);
    pub fn q_cc_on_rto(
        cc: *mut State,
        params: *const Params,
        event: *const Event,
        action: *mut Action,
    );
    pub fn q_cc_on_idle(cc: *mut State, idle_rtos: u32, restart_pkts: u32);
}
