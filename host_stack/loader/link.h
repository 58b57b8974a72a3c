/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: 2026 The Quench Authors */
/* Network devices by the kind of link. */
#ifndef QUENCH_LINK_H
#define QUENCH_LINK_H

#include <stdbool.h>
#include <stdint.h>

/* Bytes in front of the IP header in packets of the device: 14 of Ethernet, or 0 on devices without a link header (tun,
 * WireGuard). Returns 0, or -1 after a message. */
int link_header_bytes(const char *device, uint32_t *bytes);

/* Does the device have a clsact qdisc, or another one in its place? */
bool link_has_clsact(const char *device);

#endif
