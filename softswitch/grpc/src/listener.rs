// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Addresses as gRPC writes them: `HOST:PORT`, `unix:PATH`, `unix-abstract:NAME`.

use std::fs;
use std::io;
use std::os::fd::{AsRawFd, RawFd};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::FileTypeExt;
use std::os::unix::net::{SocketAddr as UnixAddress, UnixListener as StdUnixListener};
use std::path::PathBuf;
use std::pin::Pin;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, UnixListener};

/// An address that cannot be had.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct BindError(#[from] io::Error);

/// The bytes of a connection.
pub trait Socket: AsyncRead + AsyncWrite + Send {}
impl<S: AsyncRead + AsyncWrite + Send> Socket for S {}
pub type AnySocket = Pin<Box<dyn Socket>>;

enum Kind {
    Tcp(TcpListener),
    Unix(UnixListener),
}

pub struct Listener {
    kind: Kind,
    /// The address that it got.
    pub address: String,
    /// Removed with the listener.
    path: Option<PathBuf>,
}

impl Listener {
    /// Within a runtime.
    pub fn bind(address: &str) -> Result<Self, BindError> {
        if let Some(path) = address.strip_prefix("unix:") {
            return Self::bind_path(address, PathBuf::from(path));
        }
        if let Some(name) = address.strip_prefix("unix-abstract:") {
            let listener = StdUnixListener::bind_addr(&UnixAddress::from_abstract_name(name)?)?;
            return Self::unix(address, listener, None);
        }
        let listener = std::net::TcpListener::bind(address)?;
        listener.set_nonblocking(true)?;
        let host = address.rsplit_once(':').map_or(address, |(host, _)| host);
        let address = format!("{host}:{}", listener.local_addr()?.port());
        Ok(Self {
            kind: Kind::Tcp(TcpListener::from_std(listener)?),
            address,
            path: None,
        })
    }

    fn bind_path(address: &str, path: PathBuf) -> Result<Self, BindError> {
        // That of a server that was killed is in the way; that of one that lives answers.
        let is_stale = fs::symlink_metadata(&path).is_ok_and(|found| found.file_type().is_socket())
            && std::os::unix::net::UnixStream::connect(&path)
                .is_err_and(|error| error.kind() == io::ErrorKind::ConnectionRefused);
        if is_stale {
            fs::remove_file(&path)?;
        }
        let listener = StdUnixListener::bind(&path)?;
        Self::unix(address, listener, Some(path))
    }

    fn unix(
        address: &str,
        listener: StdUnixListener,
        path: Option<PathBuf>,
    ) -> Result<Self, BindError> {
        listener.set_nonblocking(true)?;
        Ok(Self {
            kind: Kind::Unix(UnixListener::from_std(listener)?),
            address: address.to_owned(),
            path,
        })
    }

    /// The next connection, and its descriptor, which is open as long as the connection is.
    pub async fn accept(&self) -> io::Result<(AnySocket, RawFd)> {
        Ok(match &self.kind {
            Kind::Tcp(listener) => {
                let (socket, _) = listener.accept().await?;
                socket.set_nodelay(true)?;
                let descriptor = socket.as_raw_fd();
                (Box::pin(socket), descriptor)
            }
            Kind::Unix(listener) => {
                let (socket, _) = listener.accept().await?;
                let descriptor = socket.as_raw_fd();
                (Box::pin(socket), descriptor)
            }
        })
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        if let Some(path) = &self.path {
            // Somebody else may have removed it.
            let _ = fs::remove_file(path);
        }
    }
}
