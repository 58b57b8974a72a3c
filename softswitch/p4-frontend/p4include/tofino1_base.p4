// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Everything but the blocks of a pipeline.

#ifndef _TOFINO1_P4_BASE_
#define _TOFINO1_P4_BASE_

#include <core.p4>

#define PACK_VERSION(a, b, c) (((a) << 24) + ((b) << 12) + (c))
#define COMPILER_VERSION PACK_VERSION(__p4c_major__, __p4c_minor__, __p4c_patchlevel__)

#include "tna/enumerations.p4"
#include "tna/metadata.p4"
#include "tna/headers.p4"
#include "tna/parsing.p4"
#include "tna/functions.p4"
#include "tna/hashing.p4"
#include "tna/counting.p4"
#include "tna/registers.p4"
#include "tna/matching.p4"
#include "tna/copies.p4"

#endif
