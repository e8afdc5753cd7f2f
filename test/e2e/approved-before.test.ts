import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Approval } from '../../src/contracts/approvals.js';
import { ability, abilityJson } from '../fixtures/called-command.js';
import { LONG } from '../fixtures/extent.js';
import { makeProject, operation, type ProjectFolder, projectFile, workflow } from '../fixtures/project-folder.js';

/** Schedules fire on the minute. */
const LONGER = { ...LONG, timeout: 300_000 };
const PATIENCE = { timeout: 150_000, interval: 500 };
/** Time to decide: with less, the next firing is waited for. */
const ENOUGH_MS = 20_000;

let project: ProjectFolder;
const ran = (): string => join(project.root, 'ran');

beforeAll(async () => {
  project = makeProject({
    'ability.yaml': projectFile('{ dev: { approve: [destructive], approvers: [alice] } }'),
    ...operation('db.migrate', `appendFileSync(input.file, input.to + "\\n"); return {};`, { effects: 'destructive' }),
    ...workflow('asks', 'steps: [{ id: ask, approval: { title: Go on? } }]'),
    ...workflow(
      'nightly',
      `
input_schema: { type: object, required: [to, file], properties: { to: { type: string }, file: { type: string } } }
schedules: [{ id: stated, cron: "* * * * *", environment: dev, approve_before: 1m, input: { to: v2, file: RAN } }]
steps:
  - { id: ask, approval: { title: "Migrate to \${{ input.to }}?" } }
  - { id: migrate, call: db.migrate, with: { to: "\${{ input.to }}", file: "\${{ input.file }}" } }`,
    ),
  });
  const file = 'registry/high-level/nightly.yaml';
  project.write({ [file]: readFileSync(join(project.root, file), 'utf8').replace('RAN', ran()) });
  await run('up', '--detach');
});
afterAll(async () => {
  await run('down', '--yes');
  project.remove();
});

const run = (...args: string[]) => ability(args, { cwd: project.root });
const json = (...args: string[]) => abilityJson(args, { cwd: project.root });

type Open = Approval & { task_key: string };

/** The open approvals of the next firing of a schedule on which there is time to decide. */
async function askedOf(schedule: string, count: number): Promise<Open[]> {
  const open = async (): Promise<Open[]> => {
    const all: Open[] = (await json('approvals')).json;
    return all.filter(
      ({ task_key, due_at = '' }) => task_key.includes(`:${schedule}-`) && Date.parse(due_at) - Date.now() > ENOUGH_MS,
    );
  };
  await expect.poll(async () => (await open()).length, PATIENCE).toBe(count);
  return open();
}

/** Approves the next firing. @returns its key. */
async function approveNext(schedule: string, count: number): Promise<string> {
  const asked = await askedOf(schedule, count);
  for (const { id, task_key } of asked) {
    const { exitCode } = await run('approve', task_key, '--approval', id, '--as', 'alice', '--yes');
    expect(exitCode).toBe(0);
  }
  return asked[0]?.task_key as string;
}

const ended = async (key: string) => {
  await expect
    .poll(async () => (await json('task', 'show', key)).json.status, PATIENCE)
    .toMatch(/succeeded|denied|failed|cancelled/);
  return (await json('task', 'show', key)).json;
};

test(
  'a nightly migration that was approved before runs at its time, though its worker was killed meanwhile',
  LONGER,
  async () => {
    expect((await run('schedule', 'sync')).exitCode).toBe(0);
    const key = await approveNext('stated', 2);
    const due = key.slice(-20);
    expect((await json('task', 'show', key)).json).toMatchObject({ status: 'waiting', started_at: null });
    expect((await run('why', key)).stdout).toContain('asked ahead, due ');
    const { pid } = JSON.parse(readFileSync(join(project.root, '.system/runtime.json'), 'utf8'));
    process.kill(pid, 'SIGKILL');
    expect(existsSync(ran())).toBe(false);
    await run('up', '--detach');
    const result = await ended(key);
    expect(result).toMatchObject({ status: 'succeeded', approvals: [{ path: 'ask' }, { path: 'migrate' }] });
    expect(Date.parse(result.started_at)).toBeGreaterThanOrEqual(Date.parse(due));
    expect(readFileSync(ran(), 'utf8')).toBe('v2\n');
    const shown = (await json('schedule', 'show', 'stated')).json;
    expect(shown.counts).toMatchObject({ missed: 0, skipped: 0 });
    expect(shown.firings.filter(({ task_key }: Open) => task_key === key)).toMatchObject([{ status: 'succeeded' }]);
    await run('schedule', 'delete', 'stated');
  },
);

test(
  'a firing that no longer takes place does not run, and one that no one decides ends when it is due',
  LONGER,
  async () => {
    const names = ['paused', 'deleted', 'silent'];
    for (const name of names) {
      const times = ['--cron', '* * * * *', '--approve-before', '1m'];
      expect((await run('schedule', 'create', 'asks', '--name', name, '--env', 'dev', ...times)).exitCode).toBe(0);
    }
    const keys = await Promise.all([
      ...['paused', 'deleted'].map((name) => approveNext(name, 1)),
      askedOf('silent', 1).then(([asked]) => asked?.task_key as string),
    ]);
    // By hand it asks as always; in the second of a firing it would be that one.
    const askedByHand = async (): Promise<number> => {
      await run('schedule', 'run', 'silent');
      const open: Open[] = (await json('approvals')).json;
      return open.filter(({ task_key, due_at }) => task_key.includes(':silent-') && due_at === undefined).length;
    };
    await expect.poll(askedByHand, PATIENCE).toBeGreaterThan(0);
    await run('schedule', 'pause', 'paused');
    await run('schedule', 'delete', 'deleted');
    const ends = await Promise.all(keys.map(ended));
    expect(ends).toMatchObject([
      { status: 'denied', error: { code: 'approval.withdrawn', message: expect.stringContaining('paused') } },
      { status: 'denied', error: { code: 'approval.withdrawn', message: expect.stringContaining('deleted') } },
      { status: 'denied', error: { code: 'approval.expired' } },
    ]);
    expect(ends[2].finished_at.slice(0, 16)).toBe(keys[2]?.slice(-20, -4));
    for (const name of ['paused', 'silent']) await run('schedule', 'delete', name);
  },
);
