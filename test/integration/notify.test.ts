import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  backfillSchedule,
  createSchedule,
  decide,
  fireSchedule,
  listSchedules,
  listTasks,
  readApprovals,
} from '../../src/client/index.js';
import { taskQueueOf } from '../../src/contracts/names.js';
import type { ScheduleSpec } from '../../src/contracts/schedules.js';
import { keepMisses } from '../../src/server/store/known-misses.js';
import { ability } from '../fixtures/called-command.js';
import { operation, projectFile, workflow } from '../fixtures/project-folder.js';
import { type RunningProject, runProject } from '../fixtures/running-project.js';

const KEY = Buffer.alloc(32, 7);
const SECRET = `whsec_${KEY.toString('base64')}`;
const TOKEN = 'a-very-secret-token-4711';

interface Received {
  path: string;
  headers: IncomingMessage['headers'];
  body: string;
}

let server: Server;
let port: number;
let received: Received[] = [];
/** The statuses that the receiver answers with, in order; then 200. A redirect leads to `elsewhere`. */
let answers: number[] = [];
/** A server that the policy does not allow, and how many requests reached it. */
let elsewhere: Server;
let strayed = 0;
let project: RunningProject;

beforeAll(async () => {
  server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      received.push({ path: request.url ?? '', headers: request.headers, body: Buffer.concat(chunks).toString() });
      const { port: away } = elsewhere.address() as AddressInfo;
      response.writeHead(answers.shift() ?? 200, { location: `http://127.0.0.1:${away}/stolen` }).end('ok');
    });
  });
  elsewhere = createServer((_, response) => {
    strayed += 1;
    response.end('ok');
  });
  for (const each of [server, elsewhere]) await new Promise<void>((resolve) => each.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
  const notify = `
notify:
  - { on: [approval.requested, approval.decided, task.failed], webhook: "env:HOOK", secret: "env:HOOK_SECRET", environments: [prod] }
  - { on: [approval.requested], webhook: "env:EVENTS", secret: "env:HOOK_SECRET", format: cloudevents, environments: [prod] }
  - { on: [approval.requested, task.failed], webhook: "env:SLACK", format: slack, environments: [prod] }
  - { on: [approval.reminded, approval.escalated], webhook: "env:LATE", secret: "env:HOOK_SECRET", environments: [slow] }
  - { on: [task.failed], webhook: "env:FORBIDDEN", secret: "env:HOOK_SECRET", environments: [closed] }
  - { on: [schedule.refused, schedule.missed, delivery.refused], webhook: "env:NIGHT", secret: "env:HOOK_SECRET", environments: [prod] }
policy: { allowed_hosts: ["127.0.0.1:${port}"] }
`;
  project = await runProject({
    'ability.yaml': projectFile(
      '{ dev: {}, prod: {}, closed: {}, slow: { approvers: [alice], remind: [200ms, 400ms], escalate: { after: 600ms, to: leads } } }',
      `people: { leads: [bob] }\n${notify}`,
    ),
    '.env': [
      `HOOK=http://127.0.0.1:${port}/hook`,
      `EVENTS=http://127.0.0.1:${port}/events`,
      `NIGHT=http://127.0.0.1:${port}/night`,
      `LATE=http://127.0.0.1:${port}/late`,
      `SLACK=http://127.0.0.1:${port}/slack`,
      'FORBIDDEN=http://localhost:9/never',
      `HOOK_SECRET=${SECRET}`,
      `TOKEN=${TOKEN}`,
    ].join('\n'),
    'registry/config/profiles.yaml': 'env_profiles: { secret: { secrets: { TOKEN: "env:TOKEN" } } }\n',
    ...operation('op.secret', 'return 1;', { script: ', env_profile: secret' }),
    ...workflow('asks', 'steps: [{ id: ask, approval: { title: "Go <on>?" } }, { id: a, call: op.secret }]'),
    'registry/config/gone.yaml': 'env_profiles: { gone: { secrets: { GONE: "env:GONE" } } }\n',
    ...operation('op.gone', 'return 1;', { script: ', env_profile: gone' }),
    ...workflow('backup', 'steps: [{ id: a, call: op.gone }]'),
    ...workflow('broken', 'steps: 3'),
    ...workflow('guarded', 'steps: [{ id: a, let: { x: 1 } }]'),
    ...workflow('frozen', 'steps: [{ id: a, let: { x: 1 } }]'),
    ...workflow('fine', 'steps: [{ id: a, let: { x: 1 } }]'),
    'registry/hooks/PreAbilityCreate.yaml': denying('guarded'),
    'registry/hooks/PreAbilityCall.yaml': denying('frozen'),
    ...workflow('fails', 'steps: [{ id: no, fail: { code: too_bad, message: It broke } }]'),
  });
});
afterAll(async () => {
  await project.stop();
  server.close();
  elsewhere.close();
});
beforeEach(() => {
  received = [];
  answers = [];
});

const denying = (ability: string) => `
hooks:
  - id: no_${ability}
    blocking: true
    match: { abilities: [${ability}] }
    handler: { expression: { deny_if: 'true', reason: Nothing at night. } }
`;

/** The open approvals of a task, once it has any. */
const expectOpen = async (key: string) => {
  await expect.poll(async () => (await readApprovals(project.connection, key)).length, { timeout: 20_000 }).toBe(1);
  return readApprovals(project.connection, key);
};

const sent = (path: string) => received.filter((one) => one.path === path);
const arrived = (path: string, count: number) => expect.poll(() => sent(path).length, { timeout: 20_000 }).toBe(count);
const bodyOf = (path: string, index = 0) => JSON.parse(sent(path)[index]?.body ?? 'null');

describe('a receiver of notices', () => {
  test('learns that nobody decides, and whom that lets decide as well', async () => {
    const { id } = await project.create('asks', {}, { environment: 'slow' });
    const [approval] = await expectOpen(id);
    const early = decide(project.connection, id, 'approve', { by: 'bob', approval_id: approval?.id as string });
    await expect(early).rejects.toMatchObject({ code: 'approval.ignored' });
    await arrived('/late', 3);
    const bodies = sent('/late').map(({ body }) => JSON.parse(body));
    expect(bodies.map(({ type }) => type).sort()).toEqual([
      'approval.escalated',
      'approval.reminded',
      'approval.reminded',
    ]);
    expect(new Set(bodies.map((body) => body.id)).size).toBe(3);
    const escalated = bodies.find(({ type }) => type === 'approval.escalated');
    expect(escalated.data).toMatchObject({
      approval: { approvers: ['alice', 'leads'] },
      links: { commands: [expect.stringContaining('ability approve '), expect.anything()] },
    });
    await decide(project.connection, id, 'approve', { by: 'bob', approval_id: approval?.id as string });
    const { result } = (await project.wait(id)) as { result: { approvals: { escalated_at?: string }[] } };
    expect(result.approvals[0]?.escalated_at).toBeDefined();
  });

  test('gets the request and the decision of an approval, signed, with the commands and without secrets', async () => {
    const { id } = await project.create('asks', { token: TOKEN }, { environment: 'prod' });
    await arrived('/hook', 1);
    await arrived('/events', 1);
    await arrived('/slack', 1);
    const [approval] = await readApprovals(project.connection, id);
    const [first] = sent('/hook');
    const event = `${id}:${approval?.id}:approval.requested`;
    // The signed id has no full stop, as Standard Webhooks requires.
    expect(first?.headers['webhook-id']).toBe(event.replaceAll('.', '~'));
    for (const path of ['/hook', '/events']) {
      const [one] = sent(path);
      const verify = (body: string) => new Webhook(SECRET).verify(body, one?.headers as Record<string, string>);
      expect(verify(one?.body ?? '')).toEqual(bodyOf(path));
      expect(() => verify(`${one?.body} `)).toThrow(/No matching signature/);
    }
    expect(sent('/slack')[0]?.headers).not.toHaveProperty('webhook-signature');
    expect(bodyOf('/hook')).toMatchObject({
      type: 'approval.requested',
      data: {
        task_key: id,
        approval: { title: 'Go <on>?', what: { input: { token: '***' } } },
        links: {
          temporal: expect.stringContaining(id),
          commands: [`ability approve ${id} --approval ${approval?.id}`, expect.stringMatching(/deny/)],
        },
      },
    });
    expect(sent('/events')[0]?.headers['content-type']).toBe('application/cloudevents+json');
    expect(bodyOf('/events')).toMatchObject({ specversion: '1.0', id: event, type: 'ability.approval.requested' });
    expect(bodyOf('/slack').text).toContain('Go &lt;on&gt;?');
    await decide(project.connection, id, 'approve', { by: 'alice' });
    expect(await project.wait(id)).toMatchObject({ result: { status: 'succeeded' } });
    await arrived('/hook', 2);
    expect(bodyOf('/hook', 1)).toMatchObject({ type: 'approval.decided', data: { approval: { status: 'approved' } } });
    expect(received.map(({ body }) => body).join('')).not.toContain(TOKEN);
  });

  test('gets the notice of a failure, even if it was down at first and the task ended long ago', async () => {
    // A redirect counts as a failure: a notice is sent only to the target in the plan.
    answers = [503, 307];
    const result = await project.run('fails', {}, { environment: 'prod' });
    expect(result).toMatchObject({ status: 'failed', error: { code: 'too_bad' }, warnings: [] });
    await expect.poll(() => received.length, { timeout: 50_000, interval: 500 }).toBe(4);
    const again = [...sent('/hook'), ...sent('/slack')];
    expect(again).toHaveLength(4);
    expect(strayed).toBe(0);
    // Each attempt has its own timestamp, and so its own signature, under the same id.
    for (const { body, headers } of sent('/hook')) {
      expect(new Webhook(SECRET).verify(body, headers as Record<string, string>)).toMatchObject({
        type: 'task.failed',
      });
    }
    expect(new Set(sent('/hook').map(({ headers }) => headers['webhook-timestamp'])).size).toBe(2);
    const ids = sent('/hook').map(({ headers }) => headers['webhook-id']);
    expect(new Set(ids)).toEqual(new Set([`${result.task_key}:task~failed`]));
    expect(bodyOf('/hook')).toMatchObject({ data: { error: { code: 'too_bad', message: 'It broke' } } });
  }, 60_000);

  test('gets nothing from other environments, whose histories contain no notices', async () => {
    const result = await project.run('fails', {}, { environment: 'dev' });
    const { events } = await project.connection.temporal.workflow.getHandle(result.task_key ?? '').fetchHistory();
    expect(events?.some((event) => event.startChildWorkflowExecutionInitiatedEventAttributes)).toBe(false);
    expect(received).toEqual([]);
  });

  test('is not called if the policy does not allow it, and the task is not affected', async () => {
    const result = await project.run('fails', {}, { environment: 'closed' });
    expect(result).toMatchObject({ status: 'failed', error: { code: 'too_bad' }, warnings: [] });
    const handle = project.connection.temporal.workflow.getHandle(`notify:${result.task_key}:task.failed`);
    expect(await handle.result()).toEqual([expect.stringMatching(/policy does not allow/)]);
    expect((await listTasks(project.connection, { limit: 50 })).every(({ task_key }) => !task_key.includes(':'))).toBe(
      true,
    );
  });

  test('cannot be chosen by starting the notifier by hand', async () => {
    const { id } = await project.create('asks', {}, { environment: 'prod', run: false });
    const description = await project.connection.temporal.workflow.getHandle(id).describe();
    const notice = {
      id: 'x',
      event: 'task.failed',
      at: '',
      project: 'p',
      task_key: id,
      ability: 'asks',
      environment: 'prod',
    };
    const handle = await project.connection.temporal.workflow.start('ability:notify', {
      workflowId: `notify:by-hand:${id}`,
      taskQueue: description.taskQueue,
      args: [{ notice, targets: [0] }],
    });
    expect(await handle.result()).toEqual([expect.stringMatching(/not requested by a task that passed preflight/)]);
    expect(received).toEqual([]);
  });
});

describe('what starts by itself and did not run', () => {
  const hour = 3_600_000;
  const spec = (id: string, ability: string, cron = '0 0 1 1 *'): ScheduleSpec => ({
    ...{ id, ability, environment: 'prod', input: {}, cron, timezone: 'UTC' },
    ...{ overlap: 'skip', jitter_ms: 0, catch_up_ms: hour },
  });
  const nights = () => sent('/night').map(({ body }) => JSON.parse(body));

  test('a secret that is gone, a broken definition and guards before a task and in it are four notices', async () => {
    for (const id of ['backup', 'broken', 'guarded', 'frozen']) {
      await createSchedule(project.connection, spec(id, id));
      await fireSchedule(project.connection, id);
    }
    await arrived('/night', 4);
    const seen = Object.fromEntries(
      nights().map(({ type, data }) => [data.schedule, [type, data.status, data.error.code]]),
    );
    expect(seen).toEqual({
      backup: ['schedule.refused', 'unavailable', 'config.missing_credential'],
      broken: ['schedule.refused', 'unavailable', 'definition.invalid'],
      guarded: ['schedule.refused', 'unavailable', 'guard.denied'],
      frozen: ['schedule.refused', 'denied', 'guard.denied'],
    });
    const { data } = nights().find(({ data: { schedule } }) => schedule === 'backup');
    expect(data).toMatchObject({
      task_key: expect.stringMatching(/^schedule:.*:backup-/),
      scheduled_for: expect.stringMatching(/Z$/),
      links: { commands: [`ability why ${data.task_key}`] },
    });
    const { store, project: name } = project.connection;
    const { address } = project.connection;
    const shown = (await listSchedules(project.connection)).find(({ spec: { id } }) => id === 'guarded');
    const miss = { created_at: String(shown?.created_at), missed: 1, at: new Date().toISOString() };
    await keepMisses(store, name, 'guarded', miss);
    const listed = await ability(['schedule', 'list'], { cwd: project.root, env: { TEMPORAL_ADDRESS: address } });
    expect(
      listed.stdout
        .split('\n')
        .map((line) => /(unavailable|refused|denied|missed)( [a-z_]+\.[a-z_]+)?/.exec(line)?.[0]),
    ).toEqual([undefined, 'refused config.missing_credential', expect.stringMatching(/^refused /), 'denied', 'missed']);
  });

  test('a delivery that is refused after it was accepted is a notice; a task that somebody waits for is none', async () => {
    const start = (workflowId: string) =>
      project.connection.temporal.workflow.start('guarded', {
        workflowId,
        taskQueue: taskQueueOf(project.connection.project, 'prod', 'local'),
        args: [{}],
      });
    await Promise.allSettled([(await start('by-hand')).result(), (await start('webhook:forge:d-1')).result()]);
    await arrived('/night', 1);
    expect(nights()).toMatchObject([
      {
        type: 'delivery.refused',
        data: { webhook: 'forge', task_key: 'webhook:forge:d-1', error: { code: 'guard.denied' } },
      },
    ]);
    const again = await fetchNotices('by-hand');
    expect(again).toEqual([]);
  });

  test('a firing of a project whose ability.yaml is broken is sent to whom it named before', async () => {
    await createSchedule(project.connection, spec('unreadable', 'fine'));
    const whole = readFileSync(join(project.root, 'ability.yaml'), 'utf8');
    writeFileSync(join(project.root, 'ability.yaml'), `${whole}\nnonsense: 1\n`);
    try {
      await fireSchedule(project.connection, 'unreadable');
      await arrived('/night', 1);
    } finally {
      writeFileSync(join(project.root, 'ability.yaml'), whole);
    }
    expect(nights()).toMatchObject([{ type: 'schedule.refused', data: { error: { code: 'definition.invalid' } } }]);
  });

  test('a firing that begins late is a notice and a warning; one that somebody makes up for is none', async () => {
    const due = new Date(Math.floor(Date.now() / 60_000 - 10) * 60_000);
    await createSchedule(project.connection, spec('late', 'fine', `${due.getUTCMinutes()} * * * *`));
    const around = (at: number): [Date, Date] => [new Date(at - 30_000), new Date(at + 30_000)];
    await backfillSchedule(project.connection, 'late', ...around(due.getTime() - 2 * hour));
    await backfillSchedule(project.connection, 'late', ...around(due.getTime()));
    await arrived('/night', 1);
    const [{ type, data }] = nights();
    expect({ type, data }).toMatchObject({
      type: 'schedule.missed',
      data: { status: 'late', schedule: 'late', scheduled_for: due.toISOString().replace('.000', '') },
    });
    expect(data.late_seconds).toBeGreaterThan(500);
    expect(await project.wait(data.task_key)).toMatchObject({
      result: { status: 'succeeded', warnings: [`It began ${data.late_seconds} s later than its schedule says`] },
    });
  });

  test('nobody can have a notice sent that is not true', async () => {
    const { workflow } = project.connection.temporal;
    const notice = { id: 'x', event: 'schedule.missed', at: '', project: 'p', task_key: null, ability: 'fine' };
    const forge = async (environment: string, more: object) => {
      const handle = await workflow.start('ability:notify', {
        workflowId: `notify:forged:${JSON.stringify(more)}`,
        taskQueue: taskQueueOf(project.connection.project, 'prod', 'local'),
        args: [{ notice: { ...notice, environment, ...more }, targets: [4], unplanned: true }],
      });
      return handle.result();
    };
    const refused = (what: RegExp) => [expect.stringMatching(what)];
    expect(await forge('prod', { schedule: 'late', missed: 1 })).toEqual(refused(/has not missed/));
    expect(await forge('dev', { schedule: 'late', missed: 0 })).toEqual(refused(/not the queue/));
    expect(await forge('prod', { task_key: 't', event: 'schedule.refused' })).toEqual(refused(/passed preflight/));
    expect(received).toEqual([]);
  });

  async function fetchNotices(key: string): Promise<string[]> {
    const { events } = await project.connection.temporal.workflow.getHandle(key).fetchHistory();
    return (events ?? []).flatMap(
      ({ startChildWorkflowExecutionInitiatedEventAttributes: child }) => child?.workflowId ?? [],
    );
  }
});
