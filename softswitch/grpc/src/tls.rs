// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The server's certificate, and the authority of its clients.

use std::sync::Arc;

use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::server::WebPkiClientVerifier;
use tokio_rustls::rustls::{RootCertStore, ServerConfig};
use tokio_rustls::TlsAcceptor;

/// PEM texts: of a server, and of the authority whose clients alone it admits.
pub struct Identity<'a> {
    pub certificate: &'a [u8],
    pub key: &'a [u8],
    pub client_authority: Option<&'a [u8]>,
}

/// Texts that make no identity.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct IdentityError(String);

fn wrong(what: &str, error: impl std::fmt::Display) -> IdentityError {
    IdentityError(format!("{what}: {error}"))
}

fn certificates(what: &str, pem: &[u8]) -> Result<Vec<CertificateDer<'static>>, IdentityError> {
    let read: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem).collect();
    let read = read.map_err(|error| wrong(what, error))?;
    if read.is_empty() {
        return Err(wrong(what, "there is none"));
    }
    Ok(read)
}

/// The acceptor that takes TLS off connections, for HTTP/2 alone.
pub fn acceptor(identity: &Identity<'_>) -> Result<TlsAcceptor, IdentityError> {
    let provider = Arc::new(ring::default_provider());
    let builder = ServerConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(|error| wrong("TLS", error))?;
    let builder = match identity.client_authority {
        None => builder.with_no_client_auth(),
        Some(pem) => {
            let mut roots = RootCertStore::empty();
            for certificate in certificates("the clients' authority", pem)? {
                roots
                    .add(certificate)
                    .map_err(|error| wrong("the clients' authority", error))?;
            }
            let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider)
                .build()
                .map_err(|error| wrong("the clients' authority", error))?;
            builder.with_client_cert_verifier(verifier)
        }
    };
    let chain = certificates("the certificate", identity.certificate)?;
    let key =
        PrivateKeyDer::from_pem_slice(identity.key).map_err(|error| wrong("the key", error))?;
    let mut config = builder
        .with_single_cert(chain, key)
        .map_err(|error| wrong("the certificate and its key", error))?;
    config.alpn_protocols = vec![b"h2".to_vec()];
    Ok(TlsAcceptor::from(Arc::new(config)))
}
