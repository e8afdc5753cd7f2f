import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cancelTask, decide, runTask } from '../../src/client/index.js';
import { nextArguments } from '../../src/rules/tasks/task-arguments.js';
import { type Flows, startFlows } from '../fixtures/flows.js';
import { continueElsewhere, startForeign } from '../fixtures/foreign-workflow.js';
import { operation } from '../fixtures/project-folder.js';
import { readStart } from '../fixtures/read-start.js';
import { scriptAbility } from '../fixtures/servers/definitions.js';

let flows: Flows;

beforeAll(async () => {
  flows = await startFlows({
    ...operation('w.harm', 'writeFileSync(input.file, "done"); return 1;', { effects: 'destructive' }),
    ...scriptAbility('w.slow', 'scripts/w.slow.sh', 'sleep 30\n', {
      script: { args: [], timeout_sec: 0.5 },
      more: { effects: 'destructive' },
    }),
    ...scriptAbility('w.then_fails', 'scripts/w.then-fails.sh', 'test -e tried && exit 3; touch tried; sleep 30\n', {
      script: { args: [], timeout_sec: 0.5 },
      more: { effects: 'destructive' },
    }),
    'registry/hooks/PreAbilityCall.yaml': [
      'hooks:',
      '  - id: slow_guard',
      '    match: { abilities: [w.harm] }',
      '    blocking: true',
      '    handler: { script: { path: scripts/guard.sh, args: [] } }',
      '  - id: built_in',
      '    match: { abilities: [util.fail] }',
      '    blocking: true',
      '    handler: { builtin: { name: environment_scope, options: { allow: [dev] } } }',
    ].join('\n'),
    'scripts/guard.sh': 'sleep 1.5; echo \'{"guard_decision": "allow"}\'\n',
  });
});
afterAll(() => flows.project.stop());

const ended = async (id: string) => {
  const end = await flows.project.wait(id);
  if (end.kind !== 'ended') throw new Error(end.kind);
  return end.result;
};

describe('what was shown is what runs', () => {
  test.each(['input', 'user', 'plan'] as const)(
    'a run that continues with a different %s from the sealed one does nothing',
    async (part) => {
      const file = flows.file(`harm-${part}`);
      const { id } = await flows.project.create('w.harm', { file: flows.file('harmless') }, { run: false });
      const { temporal, project } = flows.project.connection;
      const start = await readStart(flows.project.connection, id);
      const unguarded = Object.entries(start.plan.operations).map(([key, operation]) => [
        key,
        { ...operation, hooks: { ...operation.hooks, pre_call: [] } },
      ]);
      const other = {
        input: { input: { file } },
        user: { options: { ...start.options, user: { name: 'boss' } } },
        plan: { plan: { ...start.plan, operations: Object.fromEntries(unguarded) } },
      }[part];
      await cancelTask(flows.project.connection, id);
      await ended(id);
      const at = await startForeign(flows.project.connection, id, 'w.harm', []);
      await continueElsewhere(flows.project.connection, at, {
        type: 'w.harm',
        queue: `${project}-dev-local`,
        args: nextArguments({ ...start, ...other, run: true }),
      });
      const ending = temporal.workflow.getHandle(id).result();
      const type = await ending.catch((error: { cause?: { type?: string } }) => error.cause?.type);
      expect(type).toBe('seal.invalid');
      expect(existsSync(file) || existsSync(flows.file('harmless'))).toBe(false);
    },
  );

  test('a guard edited after the task was created answers in its earlier version', async () => {
    const file = flows.file('guarded');
    flows.project.write({ 'scripts/guard.sh': 'echo \'{"guard_decision": "deny", "reason": "as shown"}\'\n' });
    const { id } = await flows.project.create('w.harm', { file }, { run: false });
    flows.project.write({ 'scripts/guard.sh': 'sleep 1.5; echo \'{"guard_decision": "allow"}\'\n' });
    await runTask(flows.project.connection, id);
    expect(await ended(id)).toMatchObject({ status: 'denied', error: { code: 'guard.denied' } });
    expect(existsSync(file)).toBe(false);
  });
});

describe('an outcome that could not be determined', () => {
  test('is unknown even if the author allows another attempt, but not for this error', async () => {
    const yaml = 'steps: [{ id: a, call: w.slow, with: {}, retry: { attempts: 3, errors: [unavailable] } }]';
    expect(await flows.run(yaml)).toMatchObject({ status: 'unknown', error: { code: 'outcome.unknown', step: 'a' } });
  });

  test('stays unknown when the next attempt fails clearly', async () => {
    const yaml =
      'steps: [{ id: a, call: w.then_fails, with: {}, retry: { attempts: 2, first: 100ms, errors: [timeout, script] } }]';
    expect(await flows.run(yaml)).toMatchObject({ status: 'unknown', steps: [{ attempts: 2, status: 'unknown' }] });
  });

  test('takes precedence over another failure, and over an early end', async () => {
    for (const other of ['call: util.fail, with: {}', 'end: { output: 1 }']) {
      const result = await flows.run(
        `steps: [{ id: p, parallel: { lost: { call: w.slow, with: {} }, other: { ${other} } } }]`,
      );
      expect(result).toMatchObject({ status: 'unknown', error: { code: 'outcome.unknown', step: 'lost' } });
    }
  });
});

describe('a key whose task has ended and is no longer known to Temporal', () => {
  test('gives the recorded result, and nothing is repeated', async () => {
    const file = flows.file('forgotten');
    const input = { file, text: 'once' };
    const { id } = await flows.project.create('util.note', input, { key: 'remembered' });
    await ended(id);
    // After retention only the record of a task remains; a key that Temporal never knew looks the same.
    const records = join(flows.project.root, '.system/implement');
    cpSync(join(records, id), join(records, 'forgotten'), { recursive: true });
    const record = join(records, 'forgotten/record.json');
    writeFileSync(record, readFileSync(record, 'utf8').replaceAll('"remembered"', '"forgotten"'));
    const again = await flows.project.create('util.note', input, { key: 'forgotten' });
    expect(again).toMatchObject({ id: 'forgotten', attached: true });
    expect(await ended('forgotten')).toMatchObject({ status: 'succeeded', task_key: 'forgotten' });
    expect(flows.lines('forgotten')).toEqual(['once']);
    await expect(
      flows.project.create('util.note', { ...input, text: 'other' }, { key: 'forgotten' }),
    ).rejects.toMatchObject({ code: 'task.key_conflict' });
  });
});

describe('after a branch has failed', () => {
  test('a call that was still waiting for its guard does not start', async () => {
    const file = flows.file('late');
    const result = await flows.run(
      `
steps:
  - id: p
    parallel:
      bad: { call: util.fail, with: {} }
      late: { call: w.harm, with: { file: "\${{ input.file }}" } }`,
      { file },
    );
    expect(result).toMatchObject({ status: 'failed', error: { step: 'bad' } });
    expect(existsSync(file)).toBe(false);
    // The answer of the built-in guard inside the failed call is still reported.
    expect(result.hooks).toContainEqual(expect.objectContaining({ hook_id: 'built_in', decision: 'allow' }));
  });
});

describe('an approval in a group that is tried again', () => {
  test('is requested again, and can be given again', async () => {
    const yaml = `
steps:
  - id: g
    retry: { attempts: 2, first: 10ms }
    steps:
      - { id: ask, approval: { title: Go on? } }
      - { id: n, call: util.count, with: { file: "\${{ input.file }}" } }
      - { id: check, if: steps.n.output.n < 2, fail: { code: once_more, message: again } }`;
    const { id } = await flows.project.create(flows.define(yaml), { file: flows.file('again') });
    for (let n = 0; n < 2; n += 1) {
      await flows.project.wait(id, { approvalMs: 0 });
      await decide(flows.project.connection, id, 'approve', { by: 'tester' });
      await expect.poll(() => flows.lines('again'), { timeout: 20_000 }).toEqual([String(n + 1)]);
    }
    const result = await ended(id);
    expect(result.status).toBe('succeeded');
    expect(result.approvals.map(({ status }) => status)).toEqual(['approved', 'approved']);
  });
});
