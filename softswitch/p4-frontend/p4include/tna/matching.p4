// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Kinds of tables, and places of their actions: values of the table property `implementation` (Alpm also of `alpm`).

// Actions that entries share.
extern ActionProfile {
    ActionProfile(bit<32> size);
}

// Members of groups, chosen by a hash over the keys of the kind `selector`.
extern ActionSelector {
    ActionSelector(ActionProfile action_profile, Hash<_> hash, SelectorMode_t mode,
                   bit<32> max_group_size, bit<32> num_groups);
    // Members are up or down by the bits of `reg`.
    ActionSelector(ActionProfile action_profile, Hash<_> hash, SelectorMode_t mode, Register<bit<1>, _> reg,
                   bit<32> max_group_size, bit<32> num_groups);
    @deprecated("Give the ActionSelector an ActionProfile")
    ActionSelector(bit<32> size, Hash<_> hash, SelectorMode_t mode);
    @deprecated("Give the ActionSelector an ActionProfile")
    ActionSelector(bit<32> size, Hash<_> hash, SelectorMode_t mode, Register<bit<1>, _> reg);
}

// Changes the bit of a member.
extern SelectorAction {
    SelectorAction(ActionSelector sel);
    bit<1> execute(@optional in bit<32> index);
    @synchronous(execute)
    abstract void apply(inout bit<1> value, @optional out bit<1> rv);
}

// A TCAM in SRAM, partitioned by the key of the kind `atcam_partition_index`.
extern Atcam {
    Atcam(@optional bit<32> number_partitions);
}

// Longest prefixes in SRAM.
extern Alpm {
    Alpm(@optional bit<32> number_partitions, @optional bit<32> subtrees_per_partition,
         @optional bit<32> atcam_subset_width, @optional bit<32> shift_granularity);
}
