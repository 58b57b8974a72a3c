// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// The Tofino Native Architecture of Tofino 1, for programs of `quench compile --arch tna`.
// Names, widths and orders are those of the architecture's public interface (p4lang/open-p4studio and p4lang/p4c,
// backends/tofino); its description is Intel's "P4-16 Tofino Native Architecture, public version" (document 631348).

#ifndef _TOFINO1_NATIVE_ARCHITECTURE_
#define _TOFINO1_NATIVE_ARCHITECTURE_

#if __TARGET_TOFINO__ == 2
#error not supported: T2NA, the architecture of Tofino 2; only TNA (Tofino 1) is there
#elif __TARGET_TOFINO__ != 1
#error tna.p4 is for Tofino 1: choose it with --arch tna
#endif

#include "tofino1_specs.p4"
#include "tofino1_arch.p4"

#endif
