// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

// Copies of a packet and messages to the control plane: only in deparsers, each in an `if` on its type in the metadata
// for the deparser.

extern Mirror {
    @deprecated("Give the Mirror its mirror_type")
    Mirror();
    Mirror(MirrorType_t mirror_type);
    void emit(in MirrorId_t session_id);
    // `hdr` goes before the copy.
    void emit<T>(in MirrorId_t session_id, in T hdr);
}

// Only in ingress: the packet as it came, with at most 8 bytes before it, to the ingress parser again.
extern Resubmit {
    @deprecated("Give the Resubmit its resubmit_type")
    Resubmit();
    Resubmit(ResubmitType_t resubmit_type);
    void emit();
    void emit<T>(in T hdr);
}

// Only in ingress.
extern Digest<T> {
    @deprecated("Give the Digest its digest_type")
    Digest();
    Digest(DigestType_t digest_type);
    void pack(in T data);
}
