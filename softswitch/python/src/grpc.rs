// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! `GrpcServer`: connections and calls of gRPC, whose ends and messages are told to Python.
//!
//! What Python passes as `done` is called on the server's thread, and at most once.

use std::future::Future;
use std::hash::{Hash, Hasher};
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use pyo3::call::PyCallArgs;
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use quench_grpc::{
    Call, Code, Connection, Handler, Identity, Limits, OpenError, ReadError, Server,
};
use quench_python_control::number::Num;

#[pyclass(
    name = "GrpcConnection",
    module = "quench_switch._native",
    frozen,
    eq,
    hash
)]
struct PyConnection(Arc<Connection>);

impl PartialEq for PyConnection {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Hash for PyConnection {
    fn hash<H: Hasher>(&self, state: &mut H) {
        Arc::as_ptr(&self.0).hash(state);
    }
}

#[pymethods]
impl PyConnection {
    #[getter]
    fn calls(&self) -> usize {
        self.0.calls()
    }

    fn close(&self) {
        self.0.close();
    }
}

#[pyclass(name = "GrpcCall", module = "quench_switch._native", frozen)]
struct PyCall(Arc<Call>);

/// gRPC's number of an error, and its text.
type Error = Option<(i32, String)>;

/// An exception of Python's side, which is a fault there: nobody is called who could take it.
fn log(py: Python<'_>, name: &str, raised: &PyErr) {
    let trace = raised.traceback(py).and_then(|trace| trace.format().ok());
    tracing::error!(
        "gRPC: {name} raised {raised}\n{}",
        trace.unwrap_or_default()
    );
}

/// Tell Python; nobody listens while the interpreter ends.
fn tell(done: &Py<PyAny>, error: Error, data: Option<&[u8]>) {
    Python::try_attach(|py| {
        let data = data.map(|data| PyBytes::new(py, data));
        if let Err(raised) = done.call1(py, (data, error)) {
            log(py, "done", &raised);
        }
    });
}

fn cancelled() -> Error {
    Some((Code::Cancelled as i32, "the call is over".to_owned()))
}

#[pymethods]
impl PyCall {
    #[getter]
    fn path(&self) -> &str {
        self.0.path()
    }

    #[getter]
    fn connection(&self) -> PyConnection {
        PyConnection(Arc::clone(self.0.connection()))
    }

    fn read<'py>(
        &self,
        py: Python<'py>,
        limit_bytes: Num<u32>,
        done: Py<PyAny>,
    ) -> Option<(Option<Bound<'py, PyBytes>>, Error)> {
        let call = Arc::clone(&self.0);
        let mut reading = Box::pin(async move {
            match call.read(limit_bytes.0 as usize).await {
                Ok(message) => (message, None),
                Err(error) => {
                    let code = match error {
                        ReadError::TooLong(_) => Code::ResourceExhausted,
                        ReadError::Broken(code, _) => code,
                    };
                    (None, Some((code as i32, error.to_string())))
                }
            }
        });
        // Most messages are here already: they need no other thread.
        let polled = py.detach(|| {
            reading
                .as_mut()
                .poll(&mut Context::from_waker(Waker::noop()))
        });
        if let Poll::Ready((message, error)) = polled {
            return Some((message.map(|message| PyBytes::new(py, &message)), error));
        }
        self.0.spawn(async move {
            let (message, error) = reading.await;
            tell(&done, error, message.as_deref());
        });
        None
    }

    fn write(&self, message: &[u8], done: Py<PyAny>) -> bool {
        let Some(taken) = self.0.write(message.to_vec().into()) else {
            return true;
        };
        self.0.spawn(async move {
            let error = taken.await.map_or_else(|_| cancelled(), |()| None);
            tell(&done, error, None);
        });
        false
    }

    fn end(&self, code: Num<u32>, message: &str, details: &[u8]) {
        let code = i32::try_from(code.0).map_or(Code::Unknown, Code::from_i32);
        self.0.end(code, message, details.to_vec().into());
    }

    fn over(&self, done: Py<PyAny>) {
        let call = Arc::clone(&self.0);
        self.0.spawn(async move {
            call.over().await;
            if !call.has_ended() {
                tell(&done, cancelled(), None);
            }
        });
    }
}

/// An object of Python with the methods of the same names.
struct PyHandler(Py<PyAny>);

impl PyHandler {
    /// The result of a method; `None` while the interpreter ends, or if it raised, which is a fault.
    fn call<T>(
        &self,
        name: &str,
        args: impl for<'py> PyCallArgs<'py>,
        take: impl FnOnce(Bound<'_, PyAny>) -> PyResult<T>,
    ) -> Option<T> {
        Python::try_attach(|py| {
            let given = self.0.bind(py).call_method1(name, args).and_then(take);
            given.map_err(|raised| log(py, name, &raised)).ok()
        })
        .flatten()
    }

    fn tell(&self, name: &str, connection: &Arc<Connection>) {
        let connection = PyConnection(Arc::clone(connection));
        self.call(name, (connection,), |_| Ok(()));
    }
}

impl Handler for PyHandler {
    fn opened(&self, connection: &Arc<Connection>, socket: i32) -> Option<String> {
        let connection = PyConnection(Arc::clone(connection));
        self.call("opened", (connection, socket), |peer| peer.extract())
            .flatten()
    }

    fn authenticated(&self, connection: &Arc<Connection>) {
        self.tell("authenticated", connection);
    }

    fn closed(&self, connection: &Arc<Connection>) {
        self.tell("closed", connection);
    }

    fn begun(&self, call: Call) {
        self.call("begun", (PyCall(Arc::new(call)),), |_| Ok(()));
    }

    fn failed(&self, reason: String) {
        self.call("failed", (reason,), |_| Ok(()));
    }
}

#[pyclass(module = "quench_switch._native", frozen)]
pub struct GrpcServer(Server);

#[pymethods]
impl GrpcServer {
    #[new]
    #[pyo3(signature = (address, handler, *, certificate, key, client_authority, calls, calls_of_peer, calls_per_connection, metadata_bytes, stream_window_bytes, connection_window_bytes, first_call_ms, answer_ms, keepalive_ms, keepalive_answer_ms))]
    #[expect(clippy::too_many_arguments, reason = "they are named in Python")]
    fn new(
        py: Python<'_>,
        address: &str,
        handler: Py<PyAny>,
        certificate: Option<&[u8]>,
        key: Option<&[u8]>,
        client_authority: Option<&[u8]>,
        calls: Num<u32>,
        calls_of_peer: Num<u32>,
        calls_per_connection: Num<u32>,
        metadata_bytes: Num<u32>,
        stream_window_bytes: Num<u32>,
        connection_window_bytes: Num<u32>,
        first_call_ms: Num<u32>,
        answer_ms: Num<u32>,
        keepalive_ms: Num<u32>,
        keepalive_answer_ms: Num<u32>,
    ) -> PyResult<Self> {
        let time = |ms: Num<u32>| Duration::from_millis(ms.0.into());
        let limits = Limits {
            calls: calls.0 as usize,
            calls_of_peer: calls_of_peer.0 as usize,
            calls_per_connection: calls_per_connection.0,
            metadata_bytes: metadata_bytes.0,
            stream_window_bytes: stream_window_bytes.0,
            connection_window_bytes: connection_window_bytes.0,
            first_call: time(first_call_ms),
            answer: time(answer_ms),
            keepalive: time(keepalive_ms),
            keepalive_answer: time(keepalive_answer_ms),
        };
        let identity = certificate.zip(key).map(|(certificate, key)| Identity {
            certificate,
            key,
            client_authority,
        });
        py.detach(|| {
            let handler = Box::new(PyHandler(handler));
            Server::bind(address, identity.as_ref(), limits, handler)
        })
        .map(Self)
        .map_err(|error| match error {
            OpenError::Identity(error) => PyValueError::new_err(error.to_string()),
            OpenError::Bind(_) | OpenError::Threads(_) => PyOSError::new_err(error.to_string()),
        })
    }

    #[getter]
    fn address(&self) -> &str {
        self.0.address()
    }

    fn start(&self) {
        self.0.start();
    }

    fn stop(&self, py: Python<'_>, grace_ms: Num<u32>) {
        py.detach(|| self.0.stop(Duration::from_millis(grace_ms.0.into())));
    }
}
