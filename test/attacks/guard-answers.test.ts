import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { operation } from '../fixtures/project-folder.js';
import { type RunningProject, runProject } from '../fixtures/running-project.js';
import { WHOLE } from './extent.js';

/** A hook that prints the answer contained in the input of its call, unchanged. */
const PARROT = [
  "import { readFileSync } from 'node:fs';",
  "const { event_type, payload } = JSON.parse(readFileSync(0, 'utf8'));",
  "const answer = event_type === 'PostAbilityCall' ? payload.input.answer : payload.answer;",
  "process.stdout.write(answer.replaceAll('<much>', ' '.repeat(1_200_000)));",
].join('\n');

let project: RunningProject;
let calls = 0;

beforeAll(async () => {
  const hooks = (id: string) => `hooks: [{ id: ${id}, handler: { script: { path: hooks/parrot.mjs } } }]`;
  project = await runProject({
    'hooks/parrot.mjs': PARROT,
    'registry/hooks/PreAbilityCreate.yaml': hooks('at_creation'),
    'registry/hooks/PreAbilityCall.yaml': hooks('before'),
    'registry/hooks/PostAbilityCall.yaml': hooks('after'),
    ...operation('op.created', run('created'), { yaml: 'hooks: { pre_create: [at_creation] }' }),
    ...operation('op.called', run('called'), { yaml: 'hooks: { pre_call: [before] }' }),
    ...operation('op.after', run('after'), { yaml: 'hooks: { post_call: [after] }' }),
  });
});
afterAll(() => project.stop());

function run(name: string): string {
  return `appendFileSync("${name}.txt", input.n + "\\n"); return 1;`;
}

/** Whether the operation really ran for this input. */
function ran(name: string, n: number): boolean {
  const file = join(project.root, `${name}.txt`);
  return existsSync(file) && readFileSync(file, 'utf8').split('\n').includes(String(n));
}

const next = () => {
  calls += 1;
  return calls;
};
const guard = (ability: string, decision: string, more = '') =>
  `{"hook_signals":{"ability_guards":[{"ability_id":"${ability}","decision":"${decision}","reason":"Decided by a signal."}]}${more}}`;

const SILENT: [string, string][] = [
  ['an empty object', '{}'],
  ['a mistyped key', '{"guard_decison":"deny"}'],
  ['another key', '{"decision":"deny"}'],
  ["another tool's deny", '{"hookSpecificOutput":{"permissionDecision":"deny"}}'],
  ['a key twice', '{"guard_decision":"deny","guard_decision":"allow"}'],
  ['a status alone', '{"status":"ok"}'],
  ['an unknown key beside a decision', '{"guard_decision":"allow","guard_reason":"x"}'],
  ['a decision about another ability', guard('op.other', 'allow')],
  ['a second answer beyond the output limit', '{"guard_decision":"allow"}<much>{"guard_decision":"deny"}'],
];
const MORE: [string, string][] = [
  ['a block', '{"decision":"block","reason":"no"}'],
  ['a stop', '{"continue":false,"stopReason":"no"}'],
  ['a key twice, once escaped', '{"guard_decision":"deny","guard_decisi\\u006fn":"allow"}'],
  ['a key twice, far inside', '{"guard_decision":"allow","infra":{"log":{"a":1,"a":2}}}'],
  ['an unknown decision', '{"guard_decision":"Deny"}'],
  ['an unknown decision in a signal', guard('op.called', 'block', ',"guard_decision":"allow"')],
  ['a mistyped signal', '{"guard_decision":"allow","hook_signals":{"ability_gaurds":[]}}'],
  ['null', 'null'],
  ['a list', '[{"guard_decision":"allow"}]'],
  ['a string', '"allow"'],
  ['no output', ''],
  ['two answers', '{"guard_decision":"allow"}\n{"guard_decision":"deny"}'],
];

describe('R-002-18, C-08: a guard without a valid answer denies, and nothing runs', () => {
  test.each(WHOLE ? [...SILENT, ...MORE] : SILENT)('before a call: %s', async (_, answer) => {
    const n = next();
    const result = await project.run('op.called', { n, answer });
    expect(result).toMatchObject({ status: 'denied', error: { code: 'hook.failed' } });
    expect(ran('called', n)).toBe(false);
  });

  test.each(WHOLE ? [...SILENT, ...MORE] : SILENT.slice(0, 2))('at creation: %s', async (_, answer) => {
    await expect(project.create('op.created', { n: next(), answer })).rejects.toMatchObject({ code: 'hook.failed' });
  });
});

describe('an answer in the form of signals decides about the ability it names', () => {
  test('a deny among the signals denies, with its own reason', async () => {
    const n = next();
    const result = await project.run('op.called', { n, answer: guard('op.called', 'deny') });
    expect(result.error).toMatchObject({ code: 'guard.denied', message: 'Decided by a signal. (hook before)' });
    const answer = guard('op.created', 'deny');
    await expect(project.create('op.created', { n, answer })).rejects.toMatchObject({ code: 'guard.denied' });
    expect(ran('called', n)).toBe(false);
  });

  test('of both forms the more severe one counts, with its own reason', async () => {
    const more = ',"guard_decision":"allow","reason":"All is well."';
    const denied = await project.run('op.called', { n: next(), answer: guard('op.called', 'deny', more) });
    expect(denied.error).toMatchObject({ code: 'guard.denied', message: 'Decided by a signal. (hook before)' });
    const input = { n: next(), answer: guard('op.called', 'need_user_confirm', more) };
    const { id } = await project.create('op.called', input);
    const waits = await project.wait(id, { approvalMs: 0 });
    const reasons = ['Decided by a signal. (hook before)'];
    expect(waits).toMatchObject({ kind: 'approval', result: { approvals: [{ reasons }] } });
  });

  test('an allow, in either form, allows', async () => {
    for (const answer of ['{"guard_decision":"allow"}', guard('op.called', 'allow')]) {
      const n = next();
      expect(await project.run('op.called', { n, answer })).toMatchObject({ status: 'succeeded' });
      expect(ran('called', n)).toBe(true);
    }
  });
});

test('after a call unknown keys are warnings, and the rest is used', async () => {
  const answer = '{"lgo":1,"metrics":{"ms":3},"guard_decision":"deny"}';
  const result = await project.run('op.after', { n: next(), answer });
  expect(result.status).toBe('succeeded');
  expect(result.hooks.at(-1)).toMatchObject({ status: 'ok', decision: 'allow', infra: { metrics: { ms: 3 } } });
  expect(result.warnings.join('\n')).toMatch(/hook after has an unknown key: "lgo"\. Did you mean log\?/);
});
