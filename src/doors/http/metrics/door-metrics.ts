import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { loadedComposites } from '../../../definitions/find-ability.js';
import { endsWithin } from '../../../rules/any-abort-signal.js';
import type { HttpDoor } from '../http-door.js';
import { streamsOf } from '../reserve-wait.js';
import { metricIn, type ProjectNames, TaskMetrics } from './task-metrics.js';

/** How long a query of Temporal is reused. */
const FRESH_MS = 2000;
/** The maximum wait of a scrape for Temporal; the query continues, and the next scrape shows its result. */
const PATIENCE_MS = 5000;

const known = new WeakMap<HttpDoor, DoorMetrics>();

/** Counted since the door was opened. */
export function metricsOf(door: HttpDoor): DoorMetrics {
  const metrics = known.get(door) ?? new DoorMetrics(() => streamsOf(door));
  known.set(door, metrics);
  return metrics;
}

export class DoorMetrics {
  private readonly registry = new Registry();
  private readonly tasks = new TaskMetrics(this.registry);
  private readonly requests;
  private readonly durations;
  private looking: Promise<void> | undefined;
  private looked = Number.NEGATIVE_INFINITY;
  private isWatchingProcess = false;
  private names: ProjectNames = { environments: [], abilities: [] };

  /** @param streams how many requests listen or wait now. */
  constructor(streams: () => number) {
    const metric = metricIn(this.registry);
    const requests = 'Requests that were answered.';
    this.requests = new Counter(metric('ability_http_requests_total', requests, ['method', 'route', 'status']));
    const duration = 'From the head of a request to the end of its answer; streams of events are left out.';
    this.durations = new Histogram(metric('ability_http_request_duration_seconds', duration, ['method', 'route']));
    new Gauge({
      ...metric('ability_http_streams', 'Requests that listen to a task, or wait for one, now.'),
      collect() {
        this.set(streams());
      },
    });
  }

  get contentType(): string {
    return this.registry.contentType;
  }

  watch(app: FastifyInstance): void {
    app.addHook('onResponse', async (request, reply) => {
      const { method } = request;
      const route = routeOf(request);
      this.requests.inc({ method, route, status: String(reply.raw.statusCode) });
      const isStream = String(reply.raw.getHeader('content-type')).startsWith('text/event-stream');
      if (!isStream) this.durations.observe({ method, route }, reply.elapsedTime / 1000);
    });
  }

  /** All metrics as text; without Temporal, `ability_temporal_up` is 0 and its metrics are left out. */
  async scrape(door: Pick<HttpDoor, 'ask' | 'registry'>): Promise<string> {
    this.watchProcess();
    if (performance.now() - this.looked > FRESH_MS) this.looking ??= this.look(door);
    if (this.looking && !(await endsWithin(PATIENCE_MS, this.looking))) this.tasks.lose();
    return this.registry.metrics();
  }

  /** Starts at the first scrape: measuring wakes the processor a hundred times a second. */
  private watchProcess(): void {
    if (this.isWatchingProcess) return;
    this.isWatchingProcess = true;
    collectDefaultMetrics({ register: this.registry });
  }

  private async look({ ask, registry }: Pick<HttpDoor, 'ask' | 'registry'>): Promise<void> {
    this.readNames(registry);
    try {
      await ask((connection) => this.tasks.look(connection, this.names));
      this.looked = performance.now();
    } catch {
      this.tasks.lose();
    } finally {
      this.looking = undefined;
    }
  }

  /** Keeps the earlier names while `ability.yaml` is broken, since Temporal still answers. */
  private readNames(registry: HttpDoor['registry']): void {
    try {
      const definitions = registry();
      const environments = Object.keys(definitions.project.environments);
      this.names = { environments, abilities: loadedComposites(definitions).map(([id]) => id) };
    } catch {
      // Each request that needs the definitions reports what is broken.
    }
  }
}

/** The path as defined: values from callers would create unlimited series. */
function routeOf({ routeOptions }: FastifyRequest): string {
  return routeOptions.url?.replaceAll(/:(\w+)/g, '{$1}') ?? '(none)';
}
