// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// The IPv4 options in the header checksum: ten words here, one field of variable length on v1model. Missing ones count as 0.

#ifndef QUENCH_TNA_OPTION_FIELDS_P4
#define QUENCH_TNA_OPTION_FIELDS_P4

#define IPV4_OPTION_FIELDS(options) \
      options.w10.word, options.w9.word, options.w8.word, options.w7.word, options.w6.word, \
      options.w5.word, options.w4.word, options.w3.word, options.w2.word, options.w1.word

#endif
