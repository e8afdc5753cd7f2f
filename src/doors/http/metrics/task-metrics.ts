import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import {
  type Connection,
  countOpen,
  listSchedules,
  type OpenFigures,
  type QueueFigures,
  readEnds,
  readQueues,
  type SeenSchedule,
  type TaskEnd,
} from '../../../client/index.js';
import { END_STATES } from '../../../contracts/states.js';

/** How late Temporal's list may include an end. */
const LATE_MS = 60_000;
/** The maximum number of pairs of ability and environment shown by name; each is a series. */
const MAX_SERIES = 200;
const OTHERS = '(others)';

const BUCKETS = [0.1, 0.5, 1, 5, 15, 60, 300, 900, 3600, 6 * 3600, 24 * 3600, 7 * 24 * 3600];

export interface ProjectNames {
  environments: readonly string[];
  /** Workflows and agents, which mostly run as tasks; others get a series with their first end. */
  abilities: readonly string[];
}

export const metricIn =
  (registry: Registry) =>
  (name: string, help: string, labelNames: string[] = []) => {
    return { name, help, labelNames, registers: [registry] };
  };

interface Source {
  readEnds: typeof readEnds;
  countOpen: typeof countOpen;
  readQueues: typeof readQueues;
  listSchedules: typeof listSchedules;
}

/** Counted since the door was opened, or current at a scrape. */
export class TaskMetrics {
  private readonly ends;
  private readonly firings;
  /** Firings without a task, by schedule and status, as they were at the last query. */
  private readonly lost = new Map<string, number>();
  private readonly durations;
  private readonly up;
  private readonly gauges;
  /** Counted runs, with the time at which each may be forgotten. */
  private readonly counted = new Map<string, number>();
  private readonly shown = new Set<string>();
  private readonly opened: number;
  /** Time of the last query, in milliseconds since 1970. */
  private until: number;

  /** @param now milliseconds since 1970. @param source queries Temporal. */
  constructor(
    registry: Registry,
    private readonly now: () => number = Date.now,
    private readonly source: Source = { readEnds, countOpen, readQueues, listSchedules },
  ) {
    this.opened = now();
    this.until = this.opened;
    const metric = metricIn(registry);
    const labels = ['ability', 'environment'];
    const ends = 'Tasks that ended since this door was opened, except called tasks.';
    this.ends = new Counter(metric('ability_task_ends_total', ends, [...labels, 'status']));
    const firings =
      'Firings of schedules since this door was opened, by how their tasks ended; missed and skipped: no task.';
    this.firings = new Counter(
      metric('ability_schedule_firings_total', firings, ['schedule', 'environment', 'status']),
    );
    const duration = 'From the start of a task to its end, with all its waiting.';
    this.durations = new Histogram({ ...metric('ability_task_duration_seconds', duration, labels), buckets: BUCKETS });
    this.up = new Gauge(metric('ability_temporal_up', 'Whether Temporal answered this scrape.'));
    const gauge = (...about: Parameters<typeof metric>): Gauge => new Gauge(metric(...about));
    const queue = ['environment', 'placement'];
    this.gauges = {
      open: gauge('ability_tasks_open', 'Tasks that have not ended, except called tasks.', ['environment']),
      waiting: gauge(
        'ability_tasks_waiting',
        'Tasks that wait for people (approval) or for a lock (turn), including called tasks.',
        ['environment', 'for'],
      ),
      workers: gauge('ability_workers', 'Workers that polled the queue in the last 90 seconds.', queue),
      backlog: gauge('ability_queue_backlog', 'Work in the queue that no worker has taken.', queue),
      age: gauge('ability_queue_backlog_age_seconds', 'How long the oldest work in the queue waits.', queue),
    };
  }

  /** Queries Temporal. @throws errors of the connection; the next query then counts what this one missed. */
  async look(connection: Connection, { environments, abilities }: ProjectNames): Promise<void> {
    this.declare(environments, abilities);
    const to = this.now();
    const since = new Date(Math.max(this.opened, this.until - LATE_MS));
    const [ends, open, queues, schedules] = await Promise.all([
      this.source.readEnds(connection, since, (run) => this.counted.has(run)),
      Promise.all(environments.map((environment) => this.source.countOpen(connection, environment))),
      Promise.all(environments.map((environment) => this.source.readQueues(connection, environment))),
      this.source.listSchedules(connection),
    ]);
    this.countFirings(schedules, ends);
    this.count(ends, to);
    this.show(open, queues.flat());
    this.up.set(1);
  }

  /** Temporal does not answer: its earlier state no longer counts. */
  lose(): void {
    this.up.set(0);
    for (const gauge of Object.values(this.gauges)) gauge.reset();
  }

  /** Before {@link count}, which notes the tasks as counted. */
  private countFirings(schedules: readonly SeenSchedule[], ends: readonly TaskEnd[]): void {
    for (const { spec, counts } of schedules) {
      const labels = { schedule: spec.id, environment: spec.environment };
      for (const status of ['missed', 'skipped'] as const) {
        const name = `${spec.id} ${status}`;
        // Its first value is what there was before this door.
        const more = counts[status] - (this.lost.get(name) ?? counts[status]);
        this.firings.inc({ ...labels, status }, Math.max(0, more));
        this.lost.set(name, counts[status]);
      }
      // A series that begins at 0 shows its first increase.
      for (const status of END_STATES) this.firings.inc({ ...labels, status }, 0);
    }
    for (const { run, schedule, environment, status } of ends) {
      if (schedule !== undefined && !this.counted.has(run)) this.firings.inc({ schedule, environment, status });
    }
  }

  private count(ends: readonly TaskEnd[], to: number): void {
    for (const { run, ability, environment, status, seconds } of ends) {
      if (this.counted.has(run)) continue;
      this.counted.set(run, to + 2 * LATE_MS);
      const labels = this.named(ability, environment);
      this.ends.inc({ ...labels, status });
      this.durations.observe(labels, seconds);
    }
    for (const [run, until] of this.counted) if (until < to) this.counted.delete(run);
    this.until = to;
  }

  private named(ability: string, environment: string): { ability: string; environment: string } {
    const pair = `${ability} ${environment}`;
    if (this.shown.has(pair)) return { ability, environment };
    if (this.shown.size >= MAX_SERIES) return { ability: OTHERS, environment: OTHERS };
    this.shown.add(pair);
    for (const status of END_STATES) this.ends.inc({ ability, environment, status }, 0);
    return { ability, environment };
  }

  /** Starts each series at 0 if all have room, since `increase()` of Prometheus misses a first value. */
  private declare(environments: readonly string[], abilities: readonly string[]): void {
    const pairs = environments.flatMap((environment) => abilities.map((ability) => ({ ability, environment })));
    const fresh = pairs.filter(({ ability, environment }) => !this.shown.has(`${ability} ${environment}`));
    if (this.shown.size + fresh.length > MAX_SERIES) return;
    for (const { ability, environment } of fresh) this.named(ability, environment);
  }

  private show(figures: readonly OpenFigures[], queues: readonly QueueFigures[]): void {
    const { open, waiting, workers, backlog, age } = this.gauges;
    for (const gauge of Object.values(this.gauges)) gauge.reset();
    for (const { environment, ...count } of figures) {
      open.set({ environment }, count.open);
      waiting.set({ environment, for: 'approval' }, count.waitingForApproval);
      waiting.set({ environment, for: 'turn' }, count.waitingForTurn);
    }
    for (const { environment, placement, ...queue } of queues) {
      const labels = { environment, placement };
      workers.set(labels, queue.workers);
      if (queue.backlog !== undefined) backlog.set(labels, queue.backlog);
      if (queue.backlogSeconds !== undefined) age.set(labels, queue.backlogSeconds);
    }
  }
}
