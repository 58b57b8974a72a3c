// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Chooses a packet at random, the more likely the longer none was chosen.
control Draw(in bit<32> index, in bit<24> chance, out bool chosen) {
    register<bit<32>>(8) count;

    apply {
        bit<32> since;
        bit<24> drawn;
        count.read(since, index);
        random<bit<24>>(drawn, 0, 0xffffff);
        chosen = (bit<56>) drawn < (bit<56>) chance * (bit<56>) since;
        since = since + 1;
        if (chosen) {
            since = 0;
        }
        count.write(index, since);
    }
}
