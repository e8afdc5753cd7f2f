import { afterAll, describe, expect, test } from 'vitest';
import { ability, abilityJson } from '../fixtures/called-command.js';
import { makeProject, operation, projectFile } from '../fixtures/project-folder.js';

const foreign = (id: string, command: string): string => `
  - id: ${id}
    match: { abilities: [ops.run] }
    blocking: true
    handler: { script: { path: guards/block.sh }, format: claude-code }
    as: [{ match: { abilities: [ops.run] }, tool_name: Bash, tool_input: { command: "\${{ input.command }}" } }]
    must_deny: [{ ability: ops.run, input: { command: ${command} } }]`;

const files = (hooks: string) => ({
  'ability.yaml': projectFile(),
  ...operation('ops.run', 'return input;', { effects: 'write_idempotent' }),
  'guards/block.sh': '#!/bin/sh\nif grep -q "rm -rf"; then echo BLOCKED >&2; exit 2; fi\n',
  'registry/hooks/PreAbilityCall.yaml': `hooks:${hooks}\n`,
});
const PLAIN = `
  - { id: second, blocking: true, match: { kinds: [script] }, handler: { expression: { deny_if: "input.n == 1", reason: one } } }
  - { id: freeze, blocking: true, match: { kinds: [workflow] }, handler: { expression: { deny_if: "now() > timestamp('2029-01-01T00:00:00Z')" } } }
  - { id: flows, blocking: true, match: { kinds: [workflow] }, handler: { expression: { deny_if: "true" } } }
  - { id: agents, blocking: true, match: { callers: [agent] }, handler: { expression: { deny_if: "true" } } }`;

const good = makeProject(files(foreign('blocks', 'rm -rf /') + PLAIN));
const weak = makeProject(files(foreign('blocks', 'rm -rf /') + foreign('weak', 'shutdown')));
afterAll(() => {
  good.remove();
  weak.remove();
});

describe('`ability hooks test` makes the calls that guards of other tools must deny (answer 53)', () => {
  test('exits with 0 if each call is denied', async () => {
    const { exitCode, json } = await abilityJson(['hooks', 'test'], { cwd: good.root });
    expect(exitCode).toBe(0);
    expect(json).toContainEqual(
      expect.objectContaining({ hook: 'blocks', must_deny: 1, ability: 'ops.run', status: 'passed', said: 'deny' }),
    );
  });

  test('exits with 1 if a call is not denied, with the answer of the guard', async () => {
    const { exitCode, stdout } = await ability(['hooks', 'test'], { cwd: weak.root });
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/failed +PreAbilityCall +weak +must_deny 1 \(\w+\) +deny +it is silent/);
    expect(stdout).toMatch(/passed +PreAbilityCall +blocks +must_deny 1/);
    expect((await ability(['hooks', 'test', 'blocks'], { cwd: weak.root })).exitCode).toBe(0);
  });
});

test('`ability hooks list` names the handlers and their formats', async () => {
  const { json } = await abilityJson(['hooks', 'list'], { cwd: good.root });
  const handlers = (json.hooks ?? json).map(({ id, handler }: Record<string, string>) => [id, handler]);
  expect(handlers.slice(0, 2)).toEqual([
    ['blocks', 'script (claude-code)'],
    ['second', 'expression'],
  ]);
});

describe('`ability hooks list ID`', () => {
  test('reports the order, the reasons, and what was dropped', async () => {
    const { exitCode, json } = await abilityJson(['hooks', 'list', 'ops.run', '--caller', 'person'], {
      cwd: good.root,
    });
    expect(exitCode).toBe(0);
    const { hooks } = json as { hooks: { id: string; order: number | null; handler: string; why: string }[] };
    expect(hooks.map(({ handler }) => handler)).toEqual(['script (claude-code)', ...Array(4).fill('expression')]);
    expect(hooks.map(({ id, order, why }) => [id, order, why])).toEqual([
      ['blocks', 1, 'global: its match fits'],
      ['second', 2, 'global: its match fits'],
      ['freeze', null, 'its match does not fit: kinds workflow (here: script)'],
      ['flows', null, 'its match does not fit: kinds workflow (here: script)'],
      ['agents', null, 'it fires for agent, and the caller is person'],
    ]);
  });
});

describe('`ability hooks test HOOK --context`', () => {
  test('exits with 0 and the answer, or with 2 for an unknown hook or an invalid event', async () => {
    good.write({ 'event.json': '{ "payload": { "n": 1 } }', 'wrong.json': '{ "payloads": {} }' });
    const file = (hook: string, name: string) =>
      ability(['hooks', 'test', hook, '--context', name], { cwd: good.root });
    const denied = await file('second', 'event.json');
    expect(denied.exitCode).toBe(0);
    expect(JSON.parse(denied.stdout)).toMatchObject({ hook_id: 'second', guard_decision: 'deny', reason: 'one' });
    expect((await file('secnd', 'event.json')).exitCode).toBe(2);
    expect((await file('second', 'wrong.json')).exitCode).toBe(2);
  });

  test.each([
    ['decides as expected', { context: { payload: { n: 1 } }, expect: 'deny' }, 0],
    ['decides otherwise', { context: { payload: { n: 1 } }, expect: 'allow' }, 1],
    ['fails, whatever was expected', { context: { payload: {} }, expect: 'deny' }, 1],
    ['fails, with nothing expected', { payload: {} }, 1],
    ['allows, with nothing expected', { payload: { n: 2 } }, 0],
    ['is given an `expect` that is not a decision', { context: {}, expect: 'maybe' }, 2],
    ['is given a case without `expect`', { context: {} }, 2],
  ])('has the right exit code if the hook %s', async (_, given, exit) => {
    good.write({ 'case.json': JSON.stringify(given) });
    const { exitCode, stdout } = await ability(['hooks', 'test', 'second', '--context', 'case.json'], {
      cwd: good.root,
    });
    expect(exitCode).toBe(exit);
    if (exit === 2 || !('expect' in given)) return;
    expect(JSON.parse(stdout)).toMatchObject({ hook_id: 'second', expected: given.expect });
  });

  test('a case sets the time of `now()`', async () => {
    const of = (now: string) => JSON.stringify({ now, context: {}, expect: 'deny' });
    good.write({ 'early.json': of('2026-01-01T00:00:00Z'), 'late.json': of('2030-01-01T00:00:00Z') });
    const exits = ['early.json', 'late.json'].map((name) =>
      ability(['hooks', 'test', 'freeze', '--context', name], { cwd: good.root }),
    );
    expect((await Promise.all(exits)).map(({ exitCode }) => exitCode)).toEqual([1, 0]);
  });
});
