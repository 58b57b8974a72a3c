// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Multicast groups: nodes, backups, and the two levels of exclusion.

use quench_dataplane::control::{ErrorCode, MulticastGroup, Replica};
use quench_dataplane::Switch;

use super::{packet, send, stat, switches, Seen, EXCLUDE, GROUP};

#[test]
fn copies_of_a_group_know_their_node_and_whether_they_are_its_first() {
    for mut switch in switches() {
        let replicas = [(2, 10), (3, 10), (4, 20)].map(|(port, rid)| Replica { port, rid });
        let group = MulticastGroup {
            replicas: replicas.to_vec(),
            ..MulticastGroup::default()
        };
        switch.multicast_group_set(7, group).unwrap();
        let sent = packet(GROUP, 0, 7);
        let at = |port: u16, rid, rid_first| {
            let seen = Seen {
                rid,
                rid_first,
                ..Seen::unicast(port)
            };
            (u32::from(port), seen.before(&sent))
        };
        let expected = [at(2, 10, 1), at(3, 10, 0), at(4, 20, 1)];
        assert_eq!(send(&mut switch, 1, &sent), expected);
        assert_eq!(send(&mut switch, 1, &packet(GROUP, 0, 8)), []);
        assert_eq!(stat(&switch, "dropped_multicast_group"), 1);
    }
}

#[test]
fn a_copy_goes_to_the_first_backup_whose_port_is_up() {
    for mut switch in switches() {
        let replica = |port, rid| Replica { port, rid };
        let group = MulticastGroup {
            replicas: vec![replica(2, 10), replica(3, 20)],
            backups: vec![vec![], vec![replica(5, 20), replica(6, 30)]],
        };
        switch.multicast_group_set(7, group).unwrap();
        let at = |port: u16, rid, sent: &[u8]| {
            let seen = Seen {
                rid,
                rid_first: 1,
                ..Seen::unicast(port)
            };
            (u32::from(port), seen.before(sent))
        };
        let sent = packet(GROUP, 0, 7);
        for (port, up, live) in [
            (2, false, (3, 20)),
            (3, false, (5, 20)),
            (5, false, (6, 30)),
            // Where all are down, the replica itself.
            (6, false, (3, 20)),
            (6, true, (6, 30)),
        ] {
            switch.set_port_up(port, up, 0);
            let expected = [at(2, 10, &sent), at(live.0, live.1, &sent)];
            assert_eq!(send(&mut switch, 1, &sent), expected, "port {port}: {up}");
        }
        // Exclusion looks at the replica that is live: the packet's RID is 20.
        let sent = packet(EXCLUDE, 0, 7);
        switch.set_level2_exclusion(9, &[3, 6]).unwrap();
        let expected = [at(2, 10, &sent), at(6, 30, &sent)];
        assert_eq!(send(&mut switch, 1, &sent), expected);
        switch.set_port_up(3, true, 0);
        assert_eq!(send(&mut switch, 1, &sent), [at(2, 10, &sent)]);
    }
}

#[test]
fn a_copy_for_a_group_without_replicas_is_counted() {
    for mut switch in switches() {
        let group = MulticastGroup::default();
        switch.multicast_group_set(7, group).unwrap();
        for (group, dropped) in [(7, 1), (8, 2)] {
            assert_eq!(send(&mut switch, 1, &packet(GROUP, 0, group)), []);
            assert_eq!(stat(&switch, "dropped_multicast_group"), dropped);
        }
        // Exclusion is no fault.
        let group = MulticastGroup::from(vec![Replica { port: 2, rid: 20 }]);
        switch.multicast_group_set(7, group).unwrap();
        switch.set_level2_exclusion(9, &[2]).unwrap();
        assert_eq!(send(&mut switch, 1, &packet(EXCLUDE, 0, 7)), []);
        assert_eq!(stat(&switch, "dropped_multicast_group"), 2);
    }
}

#[test]
fn nodes_and_ports_are_excluded_by_their_ids() {
    for mut switch in switches() {
        let replicas = [(2, 10), (3, 20), (4, 20), (5, 30)];
        let group = MulticastGroup {
            replicas: replicas.map(|(port, rid)| Replica { port, rid }).to_vec(),
            ..MulticastGroup::default()
        };
        switch.multicast_group_set(7, group).unwrap();
        let sent = packet(EXCLUDE, 0, 7);
        let ports = |switch: &mut Switch| {
            let sent = send(switch, 1, &sent);
            sent.iter().map(|(port, _)| *port).collect::<Vec<_>>()
        };
        assert_eq!(ports(&mut switch), [2, 3, 4, 5]);
        // The packet's level 1 id is 7, its level 2 id 9 and its RID 20.
        switch.set_level1_exclusion(7, 10, Some(7)).unwrap();
        switch.set_level1_exclusion(7, 30, Some(8)).unwrap();
        switch.set_level2_exclusion(9, &[3, 5]).unwrap();
        assert_eq!(ports(&mut switch), [4, 5]);
        switch.set_level1_exclusion(7, 10, None).unwrap();
        switch.set_level2_exclusion(9, &[]).unwrap();
        assert_eq!(ports(&mut switch), [2, 3, 4, 5]);
        let error = switch.set_level2_exclusion(512, &[]).unwrap_err();
        assert_eq!(error.code, ErrorCode::OutOfRange);
    }
}
