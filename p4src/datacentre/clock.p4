// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// The time of a block in nanoseconds: of arrival in ingress, of departure in egress. Without the embedded switch's extension
// it goes in steps of a microsecond.

#ifndef QUENCH_CLOCK_P4
#define QUENCH_CLOCK_P4

#ifdef __V1MODEL_EXTENDED__
#define READ_CLOCK(now, timestamp_us) time_ns(now)
#else
#define READ_CLOCK(now, timestamp_us) now = (time_ns_t) timestamp_us * 1000
#endif

#endif
