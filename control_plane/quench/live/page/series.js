// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0
// The samples of the last minutes, as columns.

/** Ages in seconds at which a sample is forgotten, and from which one a second is kept, as the server does. */
const HISTORY_S = 900;
const FINE_S = 60;
/** Samples between two times at which the series are thinned, and most profiles of a queue that are known. */
const THIN_SAMPLES = 200;
const MOST_PROFILES = 1000;
/** Samples that are further apart have a gap between them: one a second comes while nobody watches. */
export const GAP_S = 3;
/** Share of the windows below and above the band. */
const LOW = 0.1;
const HIGH = 0.9;

/** Columns over time; what a sample does not say is null. */
export class Series {
  times = [];
  columns = new Map();

  append(time_s, values) {
    for (const name of Object.keys(values)) {
      if (!this.columns.has(name)) {
        this.columns.set(name, new Array(this.times.length).fill(null));
      }
    }
    this.times.push(time_s);
    for (const [name, column] of this.columns) {
      column.push(values[name] ?? null);
    }
  }

  /** Forget what is old, and all but one sample of each second that is not new. */
  thin(now_s) {
    const { times } = this;
    const is_kept = times.map((time_s, row) => time_s > now_s - HISTORY_S
      && (time_s > now_s - FINE_S || row === 0 || Math.floor(time_s) !== Math.floor(times[row - 1])));
    this.times = times.filter((_, row) => is_kept[row]);
    for (const [name, column] of this.columns) {
      this.columns.set(name, column.filter((_, row) => is_kept[row]));
    }
  }

  /** The last value of a column. */
  last(name) {
    return this.columns.get(name)?.at(-1) ?? null;
  }

  /** Rows between two times and one on either side: `[from, until]`. */
  rows(start_s, end_s) {
    return [Math.max(0, this.#first_from(start_s) - 1), Math.min(this.times.length, this.#first_from(end_s) + 1)];
  }

  /** The part between two times as `[times, column, ...]`, with a row of nulls in each gap. */
  between(start_s, end_s, names) {
    const [from, until] = this.rows(start_s, end_s);
    const columns = names.map((name) => this.columns.get(name) ?? []);
    const part = [[], ...names.map(() => [])];
    for (let row = from; row < until; row += 1) {
      if (row > from && this.times[row] - this.times[row - 1] > GAP_S) {
        part[0].push(this.times[row - 1] + GAP_S / 2);
        columns.forEach((_, index) => part[index + 1].push(null));
      }
      part[0].push(this.times[row]);
      columns.forEach((column, index) => part[index + 1].push(column[row] ?? null));
    }
    return part;
  }

  /** `[value, seconds]` of each sample of a column between two times; a sample lasts until the next, at most a gap. */
  *weighted(name, start_s, end_s) {
    const column = this.columns.get(name) ?? [];
    for (let row = this.#first_from(start_s); row < this.times.length && this.times[row] < end_s; row += 1) {
      const until_s = Math.min(end_s, this.times[row + 1] ?? this.times[row], this.times[row] + GAP_S);
      if (column[row] !== null && column[row] !== undefined && until_s > this.times[row]) {
        yield [column[row], until_s - this.times[row]];
      }
    }
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
  #thresholds = new Map();
  #samples = 0;
  flows = new Map();
  hosts = new Map();
  counters = new Map();
  /** The windows of all flows: `low`, `median` and `high`. */
  windows = new Series();
  events = [];
  latest_s = null;

  forget() {
    for (const kept of [this.#ports, this.#queues, this.#thresholds, this.flows, this.hosts, this.counters]) {
      kept.clear();
    }
    this.windows = new Series();
    this.events = [];
    this.latest_s = null;
  }

  port({ switch: name, port }) {
    return at(this.#ports, `${name} ${port}`);
  }

  queue({ switch: name, port, queue }) {
    return at(this.#queues, `${name} ${port} ${queue}`);
  }

  /** A queue has these thresholds now. */
  learn(place, thresholds) {
    const key = JSON.stringify([place.switch, place.port, place.queue]);
    const known = this.#thresholds.get(key) ?? { of_profile: new Map(), since: [] };
    this.#thresholds.set(key, known);
    const profile = this.queue(place).last("profile");
    if (profile !== null && !known.of_profile.has(profile) && known.of_profile.size < MOST_PROFILES) {
      known.of_profile.set(profile, thresholds);
    }
    if (known.since.at(-1)?.thresholds !== thresholds) {
      known.since.push({ time_s: this.latest_s ?? -Infinity, thresholds });
      known.since.splice(0, known.since.length - MOST_PROFILES);
    }
  }

  /** The thresholds of each of a queue's samples: by its profile, else by the time; none: the page was not there. */
  thresholds(place) {
    const known = this.#thresholds.get(JSON.stringify([place.switch, place.port, place.queue]));
    const series = this.queue(place);
    return series.times.map((time_s, row) => {
      const profile = series.columns.get("profile")[row];
      const found = profile === null ? known?.since.findLast((each) => each.time_s <= time_s)?.thresholds
        : known?.of_profile.get(profile);
      return found ?? [];
    });
  }

  /** Changes have numbers, which the source gives; a connection that comes and goes has none. */
  add_events(events) {
    this.events.push(...events.map((event) => ({ ...event, number: event.change ?? null })));
    this.events.splice(0, this.events.length - 1000);
  }

  add_sample(sample) {
    this.latest_s = sample.time_s;
    for (const port of sample.ports) {
      const { switch: name, port: number, queues, counters, ...rates } = port;
      this.port(port).append(sample.time_s, { ...rates, ...counters });
      this.counters.set(`${name} ${number}`, counters);
      for (const { queue, depth_pkts, average_pkts, profile } of queues) {
        this.queue({ ...port, queue }).append(sample.time_s, { depth_pkts, average_pkts, profile });
      }
    }
    for (const flow of sample.flows) {
      if (!this.flows.has(flow.flow)) {
        this.flows.set(flow.flow, { series: new Series() });
      }
      const kept = this.flows.get(flow.flow);
      kept.last = flow;
      kept.series.append(sample.time_s, Object.fromEntries(FLOW_COLUMNS.map((name) => [name, flow[name]])));
    }
    if (sample.flows.length > 0) {
      const sorted = sample.flows.map(({ cwnd_pkts }) => cwnd_pkts).sort((a, b) => a - b);
      const [low, median, high] = [LOW, 0.5, HIGH].map((share) => quantile(sorted, share));
      this.windows.append(sample.time_s, { low, median, high });
    }
    this.#samples += 1;
    if (this.#samples % THIN_SAMPLES === 0) {
      const flows = [...this.flows.values()].map(({ series }) => series);
      for (const series of [...this.#ports.values(), ...this.#queues.values(), ...flows, this.windows]) {
        series.thin(sample.time_s);
      }
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
export const FLOW_COLUMNS = ["cwnd_pkts", "ssthresh_pkts", "srtt_ms", "retransmitted_pkts", "reductions", "acked_bytes"];

/** The value below which a share of sorted numbers lies, between two of them by a straight line. */
export function quantile(sorted, share) {
  const place = (sorted.length - 1) * share;
  const below = Math.floor(place);
  return sorted[below] + (place - below) * ((sorted[below + 1] ?? sorted[below]) - sorted[below]);
}

function at(map, key) {
  if (!map.has(key)) {
    map.set(key, new Series());
  }
  return map.get(key);
}
