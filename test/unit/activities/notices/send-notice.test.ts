import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { closeAgents } from '../../../../src/activities/connections/guarded-connections.js';
import { createSendNotice, noticeFailure } from '../../../../src/activities/notices/send-notice.js';
import type { Notice, PlanNotify, PlanWebhook } from '../../../../src/contracts/notices.js';
import type { Plan } from '../../../../src/contracts/plan.js';
import { secretsHere } from '../../../fixtures/secrets-here.js';
import {
  type Answer,
  breakOff,
  type RecordingService,
  send,
  startService,
} from '../../../fixtures/servers/recording-service.js';
import { examplePlan } from '../../rules/example-plan.js';
import { activityEnvironment } from '../admitted-task.js';

let service: RecordingService;
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => {
  await closeAgents();
  await service.stop();
});

const SIGNING = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
const NOTICE: Notice = {
  id: 't-1:ap.1:task.failed',
  event: 'task.failed',
  at: '2030-01-01T00:00:00Z',
  project: 'acme',
  task_key: 't-1',
  ability: 'deploy',
  environment: 'staging',
  status: 'failed',
  error: { code: 'mine', message: 'not hunter2-hunter2' },
} as Notice;

interface Sent {
  wanted?: Partial<PlanWebhook>;
  plan?: Partial<Plan>;
  target?: number;
  answer?: Answer;
  env?: Record<string, string>;
  ui?: string | null;
  page?: string | null;
  namespace?: string;
}

/** Sends a notice to a path of the service. @returns the requests that arrived there. */
async function sendTo(
  path: string,
  { wanted = {}, plan = {}, target = 0, answer, env = {}, ui = null, page = null, namespace }: Sent = {},
) {
  if (answer) service.on(path, answer);
  const notify: PlanNotify = { on: ['task.failed'], webhook: 'env:HOOK', format: 'json', ...wanted };
  const whole: Plan = { ...examplePlan(), notify: [notify], ...plan };
  const activity = createSendNotice({
    plans: { admitNotice: async () => whole } as never,
    secrets: (name) => secretsHere('/nowhere', name, { HOOK: `${service.origin}${path}`, SIGNING, ...env }),
    ui,
    page,
    isOwnRuntime: false,
    project: 'acme',
    lastDefinitions: () => undefined,
    countMissed: async () => 0,
    findSent: async () => undefined,
    recentApprovals: async () => [],
  });
  const environment = activityEnvironment(namespace === undefined ? {} : { workflowNamespace: namespace });
  await environment.run(activity, { notice: NOTICE, target });
  return service.requestsOf(path);
}

describe('a notice', () => {
  test('is sent once to its address, in its format', async () => {
    const requests = await sendTo('/json');
    expect(requests).toHaveLength(1);
    expect(requests[0]).toMatchObject({ method: 'POST', headers: { 'content-type': 'application/json' } });
    expect(requests[0]?.headers).not.toHaveProperty('webhook-signature');
    const [{ headers } = { headers: {} }] = await sendTo('/cloud', { wanted: { format: 'cloudevents' } });
    expect(headers).toMatchObject({ 'content-type': 'application/cloudevents+json' });
  });

  test('is signed if the plan has a secret', async () => {
    const [{ headers } = { headers: {} }] = await sendTo('/signed', { wanted: { secret: 'env:SIGNING' } });
    expect(headers).toMatchObject({
      'webhook-id': 't-1:ap~1:task~failed',
      'webhook-signature': expect.stringMatching(/^v1,/),
    });
  });

  test('reveals neither secrets of the task nor those of notices', async () => {
    const plan = examplePlan();
    const [operation] = Object.values(plan.operations);
    if (operation?.implementation.kind !== 'script') throw new Error('a script is expected');
    operation.implementation.script.env = { pass: [], set: {}, secrets: { TOKEN: 'env:TOKEN' } };
    const env = { TOKEN: 'hunter2-hunter2' };
    const [ofTask] = await sendTo('/masked', { plan: { operations: plan.operations }, env });
    expect(JSON.parse(ofTask?.body ?? '')).toMatchObject({ data: { error: { message: 'not ***' } } });
    const wanted = { secret: 'env:KEY' } as const;
    const notify: PlanNotify[] = [
      { on: ['task.failed'], webhook: 'env:HOOK', format: 'json' },
      { on: ['task.failed'], webhook: 'env:GONE', format: 'json', ...wanted },
    ];
    const [ofNotice] = await sendTo('/masked-too', { plan: { notify }, env: { KEY: 'hunter2-hunter2' } });
    expect(ofNotice?.body).not.toContain('hunter2');
  });

  test('has a link to its task if the Temporal UI is known', async () => {
    const linkOf = async (path: string, more: Sent) =>
      JSON.parse((await sendTo(path, more))[0]?.body ?? '').data.links.temporal;
    expect(await linkOf('/no-link', {})).toBeNull();
    expect(await linkOf('/link', { ui: 'http://ui.test', namespace: 'mine' })).toMatch(
      /^http:\/\/ui\.test\/.*mine.*t-1/,
    );
  });
});

describe('a notice that is not delivered', () => {
  test.each<[string, Sent, object]>([
    ['to a target that the plan does not have', { target: 1 }, { type: 'seal.invalid', nonRetryable: true }],
    ['to a target of a plan without notices', { plan: { notify: undefined as never } }, { type: 'seal.invalid' }],
    ['to what is no address', { env: { HOOK: 'nowhere' } }, { type: 'config.invalid', nonRetryable: false }],
    ['to an address that is none of the web', { env: { HOOK: 'ftp://127.0.0.1/x' } }, { type: 'config.invalid' }],
    [
      'to a host that the policy does not allow',
      { wanted: { allowed_hosts: ['hooks.test'] } },
      { type: 'denied.host', nonRetryable: true },
    ],
    ['which the receiver refuses', { answer: send(300, 'text/plain', '') }, { type: 'unavailable.connection' }],
    [
      'which is redirected',
      { answer: send(307, 'text/plain', '', { location: '/other' }) },
      { type: 'unavailable.connection' },
    ],
    ['whose connection breaks', { answer: breakOff }, { type: 'unavailable.connection', nonRetryable: false }],
  ])('fails %s', async (name, sent, failure) => {
    await expect(sendTo(`/${name.replaceAll(' ', '-')}`, sent)).rejects.toMatchObject(failure);
    expect(service.requestsOf('/other')).toEqual([]);
  });

  test('does not reveal the address', async () => {
    const sent = sendTo('/secret-path', { answer: send(500, 'text/plain', 'no') });
    await expect(sent).rejects.toThrow('The receiver of env:HOOK answered 500');
  });

  test('without a code is described with its message', () => {
    expect(noticeFailure(new Error('other side closed')).message).toContain('other side closed');
  });
});
