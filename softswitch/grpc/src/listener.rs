// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! Addresses as gRPC writes them: `HOST:PORT`, `unix:PATH`, `unix-abstract:NAME`.

use std::fs;
use std::io;
use std::net::SocketAddr;
use std::os::fd::{AsRawFd, RawFd};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::os::unix::net::{SocketAddr as UnixAddress, UnixListener as StdUnixListener};
use std::path::{Path, PathBuf};
use std::pin::Pin;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{lookup_host, TcpListener, TcpSocket, UnixListener, UnixStream};

/// Connections that wait to be accepted; the system may allow fewer (`net.core.somaxconn`).
const BACKLOG: u32 = 4096;

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
    /// Removed with the listener, if it is still the same: its inode says so.
    path: Option<(PathBuf, u64)>,
}

impl Listener {
    pub async fn bind(address: &str) -> Result<Self, BindError> {
        if let Some(path) = address.strip_prefix("unix:") {
            return Self::bind_path(address, Path::new(path)).await;
        }
        if let Some(name) = address.strip_prefix("unix-abstract:") {
            let listener = StdUnixListener::bind_addr(&UnixAddress::from_abstract_name(name)?)?;
            return Self::unix(address, listener, None);
        }
        let listener = Self::bind_tcp(address).await?;
        let host = address.rsplit_once(':').map_or(address, |(host, _)| host);
        let address = format!("{host}:{}", listener.local_addr()?.port());
        Ok(Self {
            kind: Kind::Tcp(listener),
            address,
            path: None,
        })
    }

    /// The first of a name's addresses that can be had.
    async fn bind_tcp(address: &str) -> io::Result<TcpListener> {
        let mut last = None;
        for each in lookup_host(address).await? {
            match Self::bind_address(each) {
                Ok(listener) => return Ok(listener),
                Err(error) => last = Some(error),
            }
        }
        Err(last.unwrap_or_else(|| io::ErrorKind::AddrNotAvailable.into()))
    }

    fn bind_address(address: SocketAddr) -> io::Result<TcpListener> {
        let socket = if address.is_ipv4() {
            TcpSocket::new_v4()?
        } else {
            TcpSocket::new_v6()?
        };
        socket.set_reuseaddr(true)?;
        socket.bind(address)?;
        socket.listen(BACKLOG)
    }

    async fn bind_path(address: &str, path: &Path) -> Result<Self, BindError> {
        // The socket of a killed server is in the way; that of a living one takes a connection, or has no room.
        let is_stale = fs::symlink_metadata(path).is_ok_and(|found| found.file_type().is_socket())
            && UnixStream::connect(path)
                .await
                .is_err_and(|error| error.kind() == io::ErrorKind::ConnectionRefused);
        if is_stale {
            fs::remove_file(path)?;
        }
        let listener = StdUnixListener::bind(path)?;
        let inode = fs::symlink_metadata(path)?.ino();
        Self::unix(address, listener, Some((path.to_owned(), inode)))
    }

    fn unix(
        address: &str,
        listener: StdUnixListener,
        path: Option<(PathBuf, u64)>,
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
                // Without it answers are only later; a connection that was reset has no options.
                let _ = socket.set_nodelay(true);
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
        let Some((path, inode)) = &self.path else {
            return;
        };
        if fs::symlink_metadata(path).is_ok_and(|found| found.ino() == *inode) {
            // Somebody else may have removed it since.
            let _ = fs::remove_file(path);
        }
    }
}
