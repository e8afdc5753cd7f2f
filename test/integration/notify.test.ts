import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { decide, listTasks, readApprovals } from '../../src/client/index.js';
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
  - { on: [task.failed], webhook: "env:FORBIDDEN", secret: "env:HOOK_SECRET", environments: [closed] }
policy: { allowed_hosts: ["127.0.0.1:${port}"] }
`;
  project = await runProject({
    'ability.yaml': projectFile('{ dev: {}, prod: {}, closed: {} }', notify),
    '.env': [
      `HOOK=http://127.0.0.1:${port}/hook`,
      `EVENTS=http://127.0.0.1:${port}/events`,
      `SLACK=http://127.0.0.1:${port}/slack`,
      'FORBIDDEN=http://localhost:9/never',
      `HOOK_SECRET=${SECRET}`,
      `TOKEN=${TOKEN}`,
    ].join('\n'),
    'registry/config/profiles.yaml': 'env_profiles: { secret: { secrets: { TOKEN: "env:TOKEN" } } }\n',
    ...operation('op.secret', 'return 1;', { script: ', env_profile: secret' }),
    ...workflow('asks', 'steps: [{ id: ask, approval: { title: "Go <on>?" } }, { id: a, call: op.secret }]'),
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

const sent = (path: string) => received.filter((one) => one.path === path);
const arrived = (path: string, count: number) => expect.poll(() => sent(path).length, { timeout: 20_000 }).toBe(count);
const bodyOf = (path: string, index = 0) => JSON.parse(sent(path)[index]?.body ?? 'null');

describe('a receiver of notices', () => {
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
