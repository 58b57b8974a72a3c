// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0
// The samples of the last minutes, as columns.

/** Age at which a sample is forgotten, as the server does. */
const HISTORY_S = 300;
const MOST_OLD = 200;
/** Samples that are further apart have a gap between them. */
const GAP_S = 1;

/** Columns over time; what a sample does not say is NaN. */
export class Series {
  times = [];
  columns = new Map();
  #forgotten = 0;

  append(time_s, values) {
    for (const name of Object.keys(values)) {
      if (!this.columns.has(name)) {
        this.columns.set(name, new Array(this.times.length).fill(NaN));
      }
    }
    this.times.push(time_s);
    for (const [name, column] of this.columns) {
      column.push(values[name] ?? NaN);
    }
    const old = this.#first_from(time_s - HISTORY_S);
    if (old > MOST_OLD) {
      this.#forgotten += old;
      this.times.splice(0, old);
      for (const column of this.columns.values()) {
        column.splice(0, old);
      }
    }
  }

  /** The last value of a column, also where it is NaN. */
  last(name) {
    return this.columns.get(name)?.at(-1) ?? NaN;
  }

  /** The part between two times and a point on either side: `{time: [...], name: [...], ...}`; NaN in gaps. */
  between(start_s, end_s, names, to_x, most = Infinity) {
    const from = Math.max(0, this.#first_from(start_s) - 1);
    const until = Math.min(this.times.length, this.#first_from(end_s) + 1);
    const stride = Math.max(1, Math.ceil((until - from) / most));
    const columns = names.map((name) => this.columns.get(name) ?? []);
    const part = { time: [] };
    const taken = names.map((name) => (part[name] = []));
    let last_s = Infinity;
    // Rows by their place in the whole series: what is left out must not change from one picture to the next.
    for (let row = from; row < until; row += 1) {
      const time_s = this.times[row];
      if (time_s - last_s > GAP_S) {
        part.time.push(to_x(time_s));
        taken.forEach((column) => column.push(NaN));
      } else if ((row + this.#forgotten) % stride !== 0) {
        last_s = time_s;
        continue;
      }
      last_s = time_s;
      part.time.push(to_x(time_s));
      taken.forEach((column, index) => column.push(columns[index][row] ?? NaN));
    }
    return part;
  }

  #first_from(time_s) {
    let low = 0;
    let high = this.times.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.times[middle] < time_s) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
}

/** All series of a source, by the names of what they are about. */
export class History {
  #ports = new Map();
  #queues = new Map();
  flows = new Map();
  hosts = new Map();
  counters = new Map();
  events = [];
  latest_s = null;
  #events_seen = 0;

  forget() {
    for (const kept of [this.#ports, this.#queues, this.flows, this.hosts, this.counters]) {
      kept.clear();
    }
    this.events = [];
    this.#events_seen = 0;
    this.latest_s = null;
  }

  port(name, port) {
    return at(this.#ports, `${name} ${port}`);
  }

  queue(name, port, queue) {
    return at(this.#queues, `${name} ${port} ${queue}`);
  }

  add_events(events) {
    for (const event of events) {
      this.#events_seen += 1;
      this.events.push({ ...event, number: this.#events_seen });
    }
    this.events.splice(0, this.events.length - 1000);
  }

  add_sample(sample) {
    this.latest_s = sample.time_s;
    for (const port of sample.ports) {
      const { switch: name, port: number, queues, counters, ...rates } = port;
      this.port(name, number).append(sample.time_s, { ...rates, ...counters });
      this.counters.set(`${name} ${number}`, counters);
      for (const { queue, depth_pkts, average_pkts } of queues) {
        this.queue(name, number, queue).append(sample.time_s, { depth_pkts, average_pkts });
      }
    }
    for (const flow of sample.flows) {
      if (!this.flows.has(flow.flow)) {
        this.flows.set(flow.flow, { series: new Series() });
      }
      const kept = this.flows.get(flow.flow);
      kept.last = flow;
      kept.series.append(sample.time_s, flow_columns(flow));
    }
    for (const [name, { series }] of this.flows) {
      if (series.times.at(-1) < sample.time_s - HISTORY_S) {
        this.flows.delete(name);
      }
    }
    for (const host of sample.hosts) {
      this.hosts.set(host.host, host);
    }
  }
}

/** Columns of a flow that are numbers. */
export const FLOW_COLUMNS = ["cwnd_pkts", "ssthresh_pkts", "srtt_ms", "retransmitted_pkts", "reductions"];

function flow_columns(flow) {
  return Object.fromEntries(FLOW_COLUMNS.map((name) => [name, flow[name]]));
}

function at(map, key) {
  if (!map.has(key)) {
    map.set(key, new Series());
  }
  return map.get(key);
}
