import { describe, expect, test } from 'vitest';
import {
  fence,
  renderCalls,
  renderHookScripts,
  renderPlainSteps,
} from '../../../../src/activities/record/render-record.js';
import type { PlanHook } from '../../../../src/contracts/plan.js';
import type { RecordedCall, RecordedStep, TaskRecord } from '../../../../src/contracts/record.js';
import { examplePlan } from '../../rules/example-plan.js';

const callsIn = (record: object): string => renderCalls(record as TaskRecord).join('\n\n');
const stepsIn = (record: object): string => renderPlainSteps(record as TaskRecord).join('\n\n');
const call: RecordedCall = {
  path: 'a',
  call: 'db.write',
  runs: { kind: 'script', script: 's.mjs', digest: 'd' },
  given: { value: 1 },
};
const step: RecordedStep = { path: 'w', verb: 'wait', status: 'succeeded' };
const json = (value: unknown) => `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``;

describe('the calls of a record', () => {
  test.each<[string, Partial<RecordedCall>, string]>([
    ['its path and what it calls', {}, '## Calls\n\n### `a`: `db.write`\n\n'],
    ['what it was given', {}, `Given:\n\n${json(1)}`],
    ['that it was cut', {}, 'It was cut before it ended.'],
    ['what it gave', { gave: { value: { b: 2 } } }, `Gave:\n\n${json({ b: 2 })}`],
    ['why it failed', { error: { code: 'mine', message: 'It broke' } }, 'Failed with `mine`:\n\n```\nIt broke\n```'],
    [
      'the start of a long value',
      { given: { start: '{"a"', characters: 9 } },
      'Given, the first 4 of 9 characters of JSON:\n\n```\n{"a"\n```',
    ],
    ['the length of one left out', { given: { start: '', characters: 9 } }, 'Given: 9 characters of JSON, left out.'],
    ['its script', {}, 'Script: `s.mjs`, SHA-256 d'],
    ['its request', { runs: { kind: 'api', method: 'GET', url: 'https://a.test/' } }, 'Request: `GET https://a.test/`'],
    ['its tool', { runs: { kind: 'mcp', server: 's', tool: 't' } }, 'Tool: `t` of the MCP server `s`\n'],
    [
      'its pinned tool',
      { runs: { kind: 'mcp', server: 's', tool: 't', pinned: 'p' } },
      'Tool: `t` of the MCP server `s`, pinned as p\n',
    ],
    ['its model', { runs: { kind: 'model', model: 'm' } }, 'Model: `m`\n'],
    [
      'the program in place of a model',
      { runs: { kind: 'model', model: 'm', digest: 'd' } },
      'Model: `m`, a program with SHA-256 d\n',
    ],
    ['its task', { runs: { kind: 'workflow', task: 't-1/a' } }, 'Task: `t-1/a`'],
  ])('state for each one %s', (_, more, text) => {
    expect(callsIn({ calls: [{ ...call, ...more }] })).toContain(text);
  });

  test.each<[string, Partial<RecordedCall>, string]>([
    ['what it gave where it gave nothing', {}, 'Gave'],
    ['a failure where it did not fail', { gave: { value: 1 } }, 'Failed'],
    ['that it was cut where it ended', { gave: { value: 1 } }, 'It was cut'],
    ['that it was cut where it failed', { error: { code: 'mine', message: 'm' } }, 'It was cut'],
  ])('do not state %s', (_, more, text) => {
    expect(callsIn({ calls: [{ ...call, ...more }] })).not.toContain(text);
  });

  test('state how many are left out', () => {
    expect(callsIn({ calls: [call], calls_left_out: 3 })).toContain('3 more calls are not listed');
    expect(callsIn({ calls: [call] })).not.toContain('more calls');
  });

  test('have no section in a record without them', () => {
    expect(renderCalls({} as TaskRecord)).toEqual([]);
  });
});

describe('the steps without calls', () => {
  test.each<[string, Partial<RecordedStep>, string]>([
    ['that it ended', {}, '## Steps without calls\n\n`w` (wait): succeeded.'],
    ['what it gave', { gave: { value: 1 } }, `\`w\` (wait): succeeded, gave:\n\n${json(1)}`],
    [
      'why it failed',
      { status: 'failed', error: { code: 'mine', message: 'm' } },
      '`w` (wait): failed with `mine`:\n\n```\nm\n```',
    ],
  ])('state for each one %s', (_, more, text) => {
    expect(stepsIn({ steps: [{ ...step, ...more }] })).toBe(
      text.startsWith('##') ? text : `## Steps without calls\n\n${text}`,
    );
  });

  test('state how many are left out', () => {
    expect(stepsIn({ steps: [step], steps_left_out: 3 })).toContain('3 more such steps are not listed.');
    expect(stepsIn({ steps: [step] })).not.toContain('more such');
    expect(renderPlainSteps({} as TaskRecord)).toEqual([]);
  });
});

describe('the scripts of hooks', () => {
  const script = (id: string): PlanHook => ({
    id,
    handler: { kind: 'script', script: { path: `${id}.mjs`, digest: 'd' }, timeout_ms: 1 } as never,
  });
  const expression: PlanHook = { id: 'e', handler: { kind: 'expression', deny_if: 'true', reason: 'r' } };

  test('are listed once each, from all phases of the ability and its operations', () => {
    const plan = examplePlan();
    const hooks = { pre_create: [script('a')], pre_call: [expression, script('b')], post_call: [script('c')] };
    plan.ability.hooks = hooks;
    for (const operation of Object.values(plan.operations)) operation.hooks = { ...hooks, pre_create: [script('x')] };
    expect(renderHookScripts(plan)).toEqual([
      ['## Scripts of hooks\n', ...['a', 'b', 'c', 'x'].map((id) => `- \`${id}\`: \`${id}.mjs\`, SHA-256 d`)].join(
        '\n',
      ),
    ]);
  });

  test('have no section if there are none', () => {
    expect(renderHookScripts(examplePlan())).toEqual([]);
  });
});

test.each([
  ['three marks', 'a', '```\na\n```'],
  ['three marks around fewer', 'a ``b', '```\na ``b\n```'],
  ['more than any in the text', '```` and ```', '`````\n```` and ```\n`````'],
])('a block is fenced by %s, so that no text can end it', (_, text, block) => {
  expect(fence(text)).toBe(block);
});
