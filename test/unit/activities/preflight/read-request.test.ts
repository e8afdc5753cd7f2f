import { describe, expect, test, vi } from 'vitest';
import { environmentOf, readRequest, readRequestOfRun } from '../../../../src/activities/preflight/read-request.js';
import type { PreflightRequest, TaskOptions } from '../../../../src/contracts/task.js';
import type { Registry } from '../../../../src/definitions/registry.js';
import { digestOf } from '../../../../src/rules/canonical.js';
import { sharedProofs } from '../../../../src/server/keys/check-proof.js';
import { createDoorKey, proveAtDoor, publicKeyOf, readDoorKey } from '../../../../src/server/keys/door-key.js';
import { errorOf } from '../../error-of.js';

const REGISTRY = {
  digest: 'abcdef'.repeat(10),
  project: { environments: { dev: {}, 'dev-cloud': {}, prod: {} }, placements: { 'near-db': {} } },
} as unknown as Registry;
const RUN = { workflowId: 'k', runId: 'r-2' };
const INFO = { workflowType: 'signup', workflowExecution: RUN, taskQueue: 'acme-dev-local' };

function read(request: Partial<PreflightRequest> = {}, info: object = {}) {
  const dependencies = { project: 'acme' } as never;
  const whole = { input: { n: 1 }, options: {}, first: 'r-1', created_at: '2030', moment: 5, ...request };
  return readRequest(whole, { ...INFO, ...info } as never, REGISTRY, dependencies);
}

const refusal = (request: Partial<PreflightRequest>, info: object = {}) => errorOf(() => read(request, info));

describe('the request of a task', () => {
  test('has its ability from its type, its key from its id and its environment from the queue', () => {
    expect(read()).toStrictEqual({
      ability: 'signup',
      environment: 'dev',
      input: { n: 1 },
      task: 'k',
      taskQueue: 'acme-dev-local',
      first: 'r-1',
      created_at: '2030',
      moment: 5,
      outside: false,
      again: false,
      user: { name: 'unknown', source: 'claimed' },
      session: null,
      scope: undefined,
      caller: undefined,
      options: {},
    });
  });

  test('names what proved its user, if a door that is known here signed this very start', () => {
    const door = readDoorKey(createDoorKey('front').value);
    const check = sharedProofs('acme', { front: publicKeyOf(door) });
    const start = {
      task: 'k',
      ability: 'signup',
      environment: 'dev',
      input: digestOf({ n: 1 }),
      by: 'ada',
      agent: null,
    };
    const admitted = { source: 'token', issuer: null, subject: 'T1', groups: [] } as const;
    const proof = { ...proveAtDoor(door, 'acme', start, { ...admitted, groups: [] }) };
    const options = (more: object = {}): TaskOptions => ({ user: { name: 'ada' }, vouched: { ...proof, ...more } });
    const ask = (request: Partial<PreflightRequest>, info: object = {}, proofs: object | null = check) => {
      const whole = { input: { n: 1 }, options: options(), first: 'r-1', created_at: '2030', moment: 5, ...request };
      const dependencies = { project: 'acme', proofs: () => proofs } as never;
      return readRequest(whole, { ...INFO, ...info } as never, REGISTRY, dependencies).user;
    };
    expect(ask({})).toEqual({ name: 'ada', source: 'token' });
    const otherRun = { workflowExecution: { workflowId: 'other', runId: 'r-2' } };
    const forged: [Partial<PreflightRequest>, object?, (null | undefined)?][] = [
      [{ options: { ...options(), user: { name: 'bob' } } }],
      [{ options: { ...options(), user: { name: 'ada', agent: 'x' } } }],
      [{ options: options({ source: 'oidc' }) }],
      [{ options: options({ door: 'back' }) }],
      [{ options: options({ signature: 'x' }) }],
      [{ input: { n: 2 } }],
      [{}, otherRun],
      [{}, { workflowType: 'other' }],
      [{}, { taskQueue: 'acme-prod-local' }],
      [{}, {}, null],
    ];
    for (const each of forged) expect(errorOf(() => ask(...each)).code).toBe('seal.invalid');
  });

  test('has the claims of its start', () => {
    const options: TaskOptions = { user: { name: 'ada' }, session: 's-1', scope: 'modules/users', run: 'r-1' };
    expect(read({ options, outside: true })).toMatchObject({
      user: { name: 'ada', source: 'claimed' },
      session: 's-1',
      scope: 'modules/users',
      caller: 'session',
      outside: true,
      options,
    });
  });

  test('has no caller that a start may not claim', () => {
    expect(read({ options: { caller: 'ci' } }).caller).toBe('ci');
    expect(read({ options: { caller: 'child' } }).caller).toBeUndefined();
  });

  test('may name its project and insist on the definitions that the worker has', () => {
    expect(read({ project: 'acme', options: { registry: REGISTRY.digest.slice(0, 12) } })).toMatchObject({ task: 'k' });
  });

  test.each([`direct:${'0'.repeat(36)}`, 'schedule:acme:nightly-2026-11-28T03:00:00Z', 'webhook:forge:1'])(
    'may have the id %s',
    (workflowId) => {
      expect(read({}, { workflowExecution: { ...RUN, workflowId } }).task).toBe(workflowId);
    },
  );

  test.each<[string, string, Partial<PreflightRequest>, object]>([
    ['outside of a workflow', 'seal.invalid', {}, { workflowExecution: undefined }],
    ['of no workflow type', 'seal.invalid', {}, { workflowType: undefined }],
    ['under an id that is no key', 'task.key_invalid', {}, { workflowExecution: { ...RUN, workflowId: 'a:b' } }],
    ['under the id of a called task', 'task.key_invalid', {}, { workflowExecution: { ...RUN, workflowId: 'k/a' } }],
    ['of a type that is no id of an ability', 'ability.not_found', {}, { workflowType: 'Sign Up' }],
    ['on a queue of no environment', 'environment.not_found', {}, { taskQueue: 'acme-test-local' }],
    ['on a queue of another project', 'environment.not_found', {}, { taskQueue: 'other-dev-local' }],
    ['for another project', 'task.other_project', { project: 'other' }, {}],
    ['for a project without a name', 'task.other_project', { project: '' }, {}],
    ['that insists on other definitions', 'config.registry_differs', { options: { registry: 'f'.repeat(12) } }, {}],
    ['for a run in plain words whose id is a path', 'usage.invalid', { options: { run: '../a' } }, {}],
    ['with a scope outside of the project', 'usage.invalid', { options: { scope: '../a' } }, {}],
  ])('is refused %s', (_, code, request, info) => {
    expect(refusal(request, info).code).toBe(code);
  });

  test('names in a refusal only the beginning of what is too long', () => {
    const long = 'A'.repeat(5000);
    expect(refusal({}, { workflowType: long }).message.length).toBeLessThan(200);
    expect(refusal({}, { workflowExecution: { ...RUN, workflowId: long } }).message.length).toBeLessThan(300);
  });
});

test.each([
  ['acme-dev-local', 'dev'],
  ['acme-dev-cloud', 'dev'],
  ['acme-dev-cloud-local', 'dev-cloud'],
  ['acme-prod-cloud', 'prod'],
  ['acme-dev', undefined],
  ['acme-dev-local-2', undefined],
  ['acme-dev-near-db', 'dev'],
  ['acme-dev-cloud-near-db', 'dev-cloud'],
  ['acme-dev-near', undefined],
  ['acme-dev-db', undefined],
])('the queue %s is that of the environment %s', (queue, environment) => {
  expect(environmentOf(queue, REGISTRY, 'acme')).toBe(environment);
});

describe('the request of a run that asks for the activity of its hooks', () => {
  const asked = async (given: unknown, info: object = {}, foreign?: Error) => {
    const refuseForeignStart = vi.fn(async () => {
      if (foreign) throw foreign;
    });
    const readGiven = vi.fn(async () => given as never);
    const dependencies = { project: 'acme', plans: { refuseForeignStart }, readGiven } as never;
    const wanted = await readRequestOfRun({ ...INFO, ...info } as never, REGISTRY, dependencies);
    return { wanted, refuseForeignStart, readGiven };
  };

  test('is that of its first event, whatever the run says of itself', async () => {
    const given = {
      input: { n: 2 },
      options: { user: { name: 'eve' } },
      first: 'r-0',
      created_at: '2030',
      outside: true,
    };
    const { wanted, readGiven } = await asked(given);
    expect(wanted).toMatchObject({ task: 'k', first: 'r-0', input: { n: 2 }, user: { name: 'eve' }, outside: true });
    expect(readGiven).toHaveBeenCalledWith(RUN);
  });

  test('is taken only of a run that was started as this ability on a queue of this environment', async () => {
    const { refuseForeignStart } = await asked({ input: {}, options: {} });
    expect(refuseForeignStart).toHaveBeenCalledWith(RUN, 'signup', [
      'acme-dev-local',
      'acme-dev-cloud',
      'acme-dev-near-db',
    ]);
    const foreign = new Error('foreign');
    await expect(asked({ input: {}, options: {} }, {}, foreign)).rejects.toBe(foreign);
  });

  test.each<[string, unknown, object, string]>([
    ['whose first event has other arguments', undefined, {}, 'seal.invalid'],
    ['outside of a workflow', { input: {}, options: {} }, { workflowExecution: undefined }, 'seal.invalid'],
    ['on a queue of no environment', { input: {}, options: {} }, { taskQueue: 'other' }, 'environment.not_found'],
  ])('is refused %s', async (_, given, info, code) => {
    await expect(asked(given, info)).rejects.toMatchObject({ code });
  });
});
