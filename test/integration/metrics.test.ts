import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { AbilityError } from '../../src/contracts/problem.js';
import { type OpenDoor, openDoor } from '../fixtures/http-door.js';
import { NO_PROVIDER } from '../fixtures/no-provider.js';
import { operation, projectFile, workflow } from '../fixtures/project-folder.js';
import { namesOf, readMetrics, type Sample, sampleOf } from '../fixtures/read-metrics.js';
import { type RunningProject, runProject } from '../fixtures/running-project.js';

/** Metrics of a worker, which a door does not have. */
const OF_WORKERS = new Set(['temporal_worker_task_slots_used', 'temporal_request_total']);

let project: RunningProject;
let door: OpenDoor;

beforeAll(async () => {
  project = await runProject({
    'ability.yaml': projectFile('{ dev: {}, empty: {} }', 'default_environment: dev'),
    ...operation('util.echo', 'return input;'),
    ...operation('util.fail', 'throw new Error("no");'),
    ...workflow('fails', 'steps: [{ id: a, call: util.fail, retry: { attempts: 1 } }]'),
    ...workflow('calls', 'steps: [{ id: a, call: inner }]'),
    ...workflow('inner', 'steps: [{ id: ask, approval: { title: Go on? } }]'),
  });
  door = await openDoor(project.connection);
});
afterAll(async () => {
  await door?.close();
  await project?.stop();
});

async function scrape(one: OpenDoor, token?: string): Promise<{ status: number; text: string; samples: Sample[] }> {
  const answer = await fetch(`${one.url}/metrics`, { headers: token ? { authorization: `Bearer ${token}` } : {} });
  const text = await answer.text();
  const isText = answer.headers.get('content-type')?.startsWith('text/plain') ?? false;
  return { status: answer.status, text, samples: isText ? readMetrics(text) : [] };
}

async function run(ability: string, more: object = {}): Promise<string> {
  const { body } = await door.call('POST', '/v1/runs', { body: { ability, environment: 'dev', ...more } });
  return body.task_key as string;
}

test('tasks by end, durations, waiting tasks, queues and requests are counted correctly', async () => {
  await run('util.echo', { input: { x: 1 }, wait: '30s' });
  await run('fails', { wait: '30s' });
  const waiting = await run('calls');
  await expect
    .poll(async () => (await door.call('GET', '/v1/approvals')).body.length, { timeout: 20_000 })
    .toBeGreaterThan(0);
  await expect
    .poll(
      async () =>
        sampleOf((await scrape(door)).samples, 'ability_tasks_waiting', { environment: 'dev', for: 'approval' }),
      {
        timeout: 20_000,
        interval: 500,
      },
    )
    .toBe(1);
  const { samples } = await scrape(door);
  const of = (name: string, labels = {}): number | undefined => sampleOf(samples, name, labels);
  expect(of('ability_task_ends_total', { ability: 'util.echo', environment: 'dev', status: 'succeeded' })).toBe(1);
  expect(of('ability_task_ends_total', { ability: 'fails', environment: 'dev', status: 'failed' })).toBe(1);
  expect(of('ability_task_ends_total', { ability: 'fails', environment: 'dev', status: 'succeeded' })).toBe(0);
  const called = samples.filter(({ name, labels }) => name === 'ability_task_ends_total' && labels.ability === 'calls');
  expect(called.map(({ value }) => value)).toEqual(Array(16).fill(0));
  expect(of('ability_task_duration_seconds_count', { ability: 'fails' })).toBe(1);
  // A called task is not counted as a task of its own.
  expect(of('ability_tasks_open', { environment: 'dev' })).toBe(1);
  expect(of('ability_tasks_open', { environment: 'empty' })).toBe(0);
  expect(of('ability_workers', { environment: 'dev', placement: 'local' })).toBe(1);
  expect(of('ability_http_requests_total', { method: 'POST', route: '/v1/runs', status: '200' })).toBe(2);
  expect(of('ability_http_requests_total', { method: 'POST', route: '/v1/runs', status: '202' })).toBe(1);
  expect(of('ability_http_streams')).toBe(0);
  await door.call('POST', `/v1/tasks/${waiting}/cancel`);
});

test('paths that callers invent create no series', async () => {
  for (const path of ['/a', '/b', '/v1/tasks/one', '/v1/tasks/two']) await fetch(`${door.url}${path}`);
  const { samples } = await scrape(door);
  expect(sampleOf(samples, 'ability_http_requests_total', { route: '(none)', status: '404' })).toBe(2);
  expect(sampleOf(samples, 'ability_http_requests_total', { route: '/v1/tasks/{key}', status: '404' })).toBe(2);
});

test('a token without read access sees no metrics', async () => {
  const runs = door.token('ann', ['run']);
  expect(await scrape(door, runs)).toMatchObject({ status: 403, samples: [] });
  const closed = await openDoor(project.connection, {
    authentication: { ...NO_PROVIDER, findToken: (text) => door.tokens.authenticate(text) },
  });
  expect((await scrape(closed)).status).toBe(401);
  expect((await scrape(closed, door.token('ann', ['read']))).status).toBe(200);
  await closed.close();
});

test('a scrape reports that Temporal does not answer', async () => {
  const lost = await openDoor(project.connection, {
    ask: () => Promise.reject(new AbilityError({ code: 'temporal.unavailable', message: 'gone' })),
  });
  const { status, samples } = await scrape(lost);
  expect(status).toBe(200);
  expect(sampleOf(samples, 'ability_temporal_up')).toBe(0);
  expect(sampleOf(samples, 'ability_tasks_open')).toBeUndefined();
  await lost.close();
});

test('a broken ability.yaml is not reported as a silent Temporal', async () => {
  const broken = await openDoor(project.connection, {
    registry: () => {
      throw new AbilityError({ code: 'usage.invalid', message: 'broken' });
    },
  });
  const { status, samples } = await scrape(broken);
  expect(status).toBe(200);
  expect(sampleOf(samples, 'ability_temporal_up')).toBe(1);
  await broken.close();
});

test('every metric named by the dashboard and the page exists', async () => {
  const { text } = await scrape(door);
  const known = namesOf(text);
  const read = (path: string): string => readFileSync(new URL(`../../docs/${path}`, import.meta.url), 'utf8');
  const dashboard = JSON.parse(read('grafana/ability-runtime.json'));
  const expressions: string[] = dashboard.panels.flatMap((panel: { targets?: { expr: string }[] }) =>
    (panel.targets ?? []).map(({ expr }) => expr),
  );
  expect(expressions.length).toBeGreaterThan(10);
  const named = [...expressions.join(' ').matchAll(/\b(?:ability|temporal|process|nodejs)_[a-z0-9_]+/g)].map(
    ([name]) => name,
  );
  expect([...new Set(named)].filter((name) => !known.has(name) && !OF_WORKERS.has(name))).toEqual([]);
  const described = [...read('metrics.md').matchAll(/^\| `(ability_\w+)`/gm)].map(([, name]) => name as string);
  const ours = [...known].filter((name) => name.startsWith('ability_') && !/_(bucket|sum|count)$/.test(name));
  expect(described.sort()).toEqual(ours.sort());
});
