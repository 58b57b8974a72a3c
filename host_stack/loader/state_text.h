/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
/* A namespace's state as text: a line "algo NAME", "paper 0|1", "netns INODE", for each device "device NAME PROGRAM_ID
 * MADE_CLSACT [CSIG]", and for each setting "sysctl NAME VALUE". */
#ifndef QUENCH_STATE_TEXT_H
#define QUENCH_STATE_TEXT_H

#include "state.h"

/* Longest text of a state. */
#define STATE_TEXT_BYTES 8192

/*
 * Read a state, but for its cookie. The text is not trusted: a state that `enable` cannot have written is refused.
 * Returns 0, or -1.
 */
int state_parse(const char *text, size_t bytes, struct host_state *state);

/* Write a state. Returns its length, or 0 if it does not fit. */
size_t state_format(const struct host_state *state, char text[STATE_TEXT_BYTES]);

#endif
