import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { decide } from '../../src/client/index.js';
import type { HookAnswer } from '../../src/contracts/hooks.js';
import { operation, type ProjectFiles, projectFile, workflow } from '../fixtures/project-folder.js';
import { type RunningProject, runProject } from '../fixtures/running-project.js';

const HOOKS = `
hooks:
  - { id: closed, blocking: true, match: { abilities: [adds] }, handler: { expression: { deny_if: "has(input.n) && input.n == 0", reason: Not zero. } } }
  - { id: where, blocking: true, match: { abilities: [adds] }, handler: { builtin: { name: environment_scope, options: { allow: [dev] } } } }`;
const CALLS = `
hooks:
  - { id: small, blocking: true, match: { abilities: [op.add] }, handler: { expression: { deny_if: "input.n == 1", reason: Not one. } } }
  - { id: sure, blocking: true, match: { abilities: [op.add] }, handler: { expression: { confirm_if: "input.n == 2", reason: Two? } } }
  - { id: here, blocking: true, match: { abilities: [op.add] }, handler: { builtin: { name: environment_scope, options: { allow: [dev] } } } }`;

const files = (policy: string): ProjectFiles => ({
  'ability.yaml': projectFile('{ dev: {} }', policy),
  'registry/hooks/PreAbilityCreate.yaml': HOOKS,
  'registry/hooks/PreAbilityCall.yaml': CALLS,
  ...operation('op.add', 'return { n: input.n + 1 };'),
  ...operation('op.free', 'return {};'),
  ...workflow(
    'adds',
    `input_schema: { type: object, required: [n], properties: { n: { type: integer } } }
steps:
  - { id: free, call: op.free, with: {} }
  - { id: add, call: op.add, with: { n: "\${{ input.n }}" } }
output: "\${{ steps.add.output }}"`,
  ),
  ...workflow(
    'outer',
    `input_schema: { type: object, required: [n], properties: { n: { type: integer } } }
steps: [{ id: inner, call: adds, with: { n: "\${{ input.n }}" } }]`,
  ),
});

let shown: RunningProject;
let plain: RunningProject;
beforeAll(async () => {
  [shown, plain] = await Promise.all([runProject(files('policy: { hooks: activities }\n')), runProject(files(''))]);
});
afterAll(() => Promise.all([shown?.stop(), plain?.stop()]));

/** The activities of guards in the history of a task, with what each answered: hooks and decisions. */
async function guardsOf(project: RunningProject, key: string) {
  const { temporal, codec } = project.connection;
  const { events } = await temporal.workflow.getHandle(key).fetchHistory();
  const types = new Map(
    (events ?? []).map((event) => [
      String(event.eventId),
      event.activityTaskScheduledEventAttributes?.activityType?.name ?? '',
    ]),
  );
  const found: string[] = [];
  for (const { activityTaskCompletedEventAttributes: end, activityTaskFailedEventAttributes: failure } of events ??
    []) {
    const type = types.get(String((end ?? failure)?.scheduledEventId)) ?? '';
    if (!type.startsWith('PreAbility')) continue;
    const [payload] = await codec.decode(end?.result?.payloads ?? []);
    const said = payload ? JSON.parse(Buffer.from(payload.data ?? []).toString()) : failure?.failure?.message;
    const answers: HookAnswer[] | string = said.hooks ?? said;
    const text = Array.isArray(answers) ? answers.map((one) => `${one.hook_id} ${one.decision}`).join(', ') : answers;
    found.push(`${type}: ${text}`);
  }
  return found;
}

describe('with `policy: { hooks: activities }`, in the history', () => {
  test('each guard phase is an activity whose result is its answers, also of expressions and built-ins', async () => {
    expect(await shown.run('adds', { n: 5 }, { key: 'as-shown' })).toMatchObject({
      status: 'succeeded',
      output: { n: 6 },
    });
    expect(await guardsOf(shown, 'as-shown')).toEqual([
      'PreAbilityCreate: closed allow, where allow',
      'PreAbilityCall: small allow, sure allow, here allow',
    ]);
  });

  test('a call of another workflow has those of its own', async () => {
    expect(await shown.run('outer', { n: 5 }, { key: 'as-nested' })).toMatchObject({ status: 'succeeded' });
    const [ofRoot] = await guardsOf(shown, 'as-nested');
    expect(ofRoot).toBe('PreAbilityCreate: closed allow, where allow');
    expect(await guardsOf(shown, 'as-nested/inner')).toContain('PreAbilityCall: small allow, sure allow, here allow');
  });

  test('a denial before creation is one as well, and the key is free again', async () => {
    const refused = await shown.create('adds', { n: 0 }, { key: 'as-refused' }).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: 'guard.denied', message: expect.stringContaining('Not zero.') });
    expect(await guardsOf(shown, 'as-refused')).toEqual([expect.stringMatching(/^PreAbilityCreate: .*Not zero\./)]);
    expect(await shown.run('adds', { n: 5 }, { key: 'as-refused' })).toMatchObject({ status: 'succeeded' });
  });

  test('a denial before a call is one, and the call is not made', async () => {
    const result = await shown.run('adds', { n: 1 }, { key: 'as-denied' });
    expect(result).toMatchObject({ status: 'denied', error: { code: 'guard.denied' } });
    expect(await guardsOf(shown, 'as-denied')).toEqual([expect.any(String), 'PreAbilityCall: small deny']);
  });

  test('a confirmation asks people as it does without', async () => {
    await shown.create('adds', { n: 2 }, { key: 'as-asks' });
    expect(await shown.wait('as-asks', { approvalMs: 0 })).toMatchObject({ kind: 'approval' });
    await decide(shown.connection, 'as-asks', 'approve', { by: 'ann' });
    expect(await shown.wait('as-asks')).toMatchObject({
      kind: 'ended',
      result: { status: 'succeeded', output: { n: 3 } },
    });
  });
});

describe('without it', () => {
  test('the same guards answer the same, and add no event', async () => {
    const result = await plain.run('adds', { n: 5 }, { key: 'as-plain' });
    expect(await guardsOf(plain, 'as-plain')).toEqual([]);
    const { hooks } = await shown.run('adds', { n: 5 }, { key: 'as-same' });
    const answersOf = (all: HookAnswer[]) =>
      all.map((one) => `${one.phase} ${one.path} ${one.hook_id} ${one.decision}`).sort();
    expect(answersOf(result.hooks)).toEqual(answersOf(hooks));
    expect(await plain.create('adds', { n: 0 }).catch((error: unknown) => error)).toMatchObject({
      code: 'guard.denied',
    });
    expect(await plain.run('adds', { n: 1 })).toMatchObject({ status: 'denied' });
  });
});
