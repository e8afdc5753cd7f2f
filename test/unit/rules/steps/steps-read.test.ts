import { expect, test } from 'vitest';
import type { ForeachStep, PlanStep, RepeatStep } from '../../../../src/contracts/plan.js';
import { readInTurns, readsItself, stepsRead } from '../../../../src/rules/steps/steps-read.js';
import { lowLevel, resolved, SCRIPT, SCRIPT_FILE } from '../../temporary-project.js';

/** The steps that are read by a workflow whose steps end with the passed ones. */
function readBy(...lines: string[]): string[] | undefined {
  const yaml = ['id: w', 'type: workflow', 'version: 1', 'summary: s', 'steps:', '  - { id: a, call: op }', ...lines];
  const files = { ...SCRIPT_FILE, ...lowLevel('op', SCRIPT), 'registry/high-level/w.yaml': yaml.join('\n') };
  const read = stepsRead(resolved(files, 'w').plan);
  return read && [...read].sort();
}

const A = '${{ steps.a.output }}';

test.each([
  ['if', '  - { id: b, end: {}, if: "steps.a.output" }'],
  ['with', `  - { id: b, call: op, with: { x: ["${A}"] } }`],
  ['timeout', `  - { id: b, call: op, timeout: "${A}" }`],
  ['retry', `  - { id: b, call: op, retry: { first: "${A}" } }`],
  ['the retry of a group', `  - { id: b, steps: [{ id: c, end: {} }], retry: { max: "${A}" } }`],
  ['undo', `  - { id: b, call: op, undo: { call: op, with: { x: "${A}" } } }`],
  ['the output of a handler', `  - { id: b, call: op, on_error: [{ output: "${A}" }] }`],
  ['a step of a handler', `  - { id: b, call: op, on_error: [{ steps: [{ id: c, end: { output: "${A}" } }] }] }`],
  ['the title of an approval', `  - { id: b, approval: { title: "x \${{ steps.a.output }}" } }`],
  ['the time of an approval', `  - { id: b, approval: { title: x, timeout: "${A}" } }`],
  ['max_parallel', `  - { id: b, parallel: { c: { end: {} } }, max_parallel: "${A}" }`],
  ['a branch of a race', `  - { id: b, race: { c: { end: { output: "${A}" } } } }`],
  ['foreach', '  - { id: b, foreach: steps.a.output, as: x, steps: [{ id: c, end: {} }] }'],
  ['the list of foreach', `  - { id: b, foreach: ["${A}"], as: x, steps: [{ id: c, end: {} }] }`],
  ['a turn of foreach', `  - { id: b, foreach: [1], as: x, steps: [{ id: c, end: { output: "${A}" } }] }`],
  ['a case', '  - { id: b, switch: [{ if: "steps.a.output", steps: [{ id: c, end: {} }] }] }'],
  ['the steps of a case', `  - { id: b, switch: [{ else: [{ id: c, end: { output: "${A}" } }] }] }`],
  ['repeat.until', '  - { id: b, repeat: { until: "steps.a.output" }, steps: [{ id: c, end: {} }] }'],
  ['repeat.every', `  - { id: b, repeat: { until: "true", every: "${A}" }, steps: [{ id: c, end: {} }] }`],
  ['repeat.max', `  - { id: b, repeat: { until: "true", max: "${A}" }, steps: [{ id: c, end: {} }] }`],
  ['wait', `  - { id: b, wait: "${A}" }`],
  ['wait.until', '  - { id: b, wait: { until: "steps.a.output" } }'],
  ['wait.if', '  - { id: b, wait: { signal: go, if: "signal.x == steps.a.output" } }'],
  ['wait.timeout', `  - { id: b, wait: { signal: go, timeout: "${A}" } }`],
  ['let', `  - { id: b, let: { x: "${A}" } }`],
  ['the message of fail', `  - { id: b, fail: { code: oops, message: "${A}" } }`],
  ['the details of fail', `  - { id: b, fail: { code: oops, message: m, details: { x: "${A}" } } }`],
  ['end', `  - { id: b, end: { output: "${A}" } }`],
  ['the clean-up', `finally: [{ id: b, end: { output: "${A}" } }]`],
  ['the output of the workflow', `output: "${A}"`],
  ['a handler of the workflow', `on_error: [{ output: "${A}" }]`],
])('what %s reads is retained', (_, line) => {
  expect(readBy(line)).toEqual(['a']);
});

/** The loop that is the only step of a workflow. */
function loopOf(yaml: string): ForeachStep | RepeatStep {
  const head = ['id: w', 'type: workflow', 'version: 1', 'summary: s', `steps: [${yaml}]`];
  const files = { ...SCRIPT_FILE, ...lowLevel('op', SCRIPT), 'registry/high-level/w.yaml': head.join('\n') };
  return resolved(files, 'w').plan.steps[0] as ForeachStep | RepeatStep;
}

const inLoop = (...steps: string[]) => loopOf(`{ id: l, foreach: [1], as: n, steps: [${steps.join(', ')}] }`);
const letOf = (id: string, read: string) => `{ id: ${id}, let: { x: "\${{ ${read} }}" } }`;

test('a turn of a loop may see what its steps, or its `until`, read from each other', () => {
  expect(readInTurns(inLoop(letOf('b', 'n'), letOf('c', 'n')))).toEqual([]);
  expect(readInTurns(inLoop(letOf('b', 'steps.c.status'), letOf('c', 'n')))).toEqual(['c']);
  expect(readInTurns(inLoop(letOf('b', 'n'), `{ id: g, steps: [${letOf('c', 'steps.c.output')}] }`))).toEqual(['c']);
  expect(readInTurns(inLoop(letOf('b', 'size(steps)'), letOf('c', 'n')))).toEqual(['b', 'c']);
  const repeat = loopOf(`{ id: l, repeat: { until: steps.b.output.x }, steps: [${letOf('b', 'true')}] }`);
  expect(readInTurns(repeat)).toEqual(['b']);
});

test.each([
  ['its own output', 'steps.b.output', true],
  ['its own error', 'steps.b.error', true],
  ['`steps` as a whole', 'steps[input.id].output', true],
  ['another step', 'steps.c.output', false],
  ['nothing', 'n', false],
])('whether a step that reads %s reads itself', (_, read, itself) => {
  expect(readsItself(inLoop(letOf('b', read), letOf('c', 'n')).steps[0] as PlanStep)).toBe(itself);
});

test('outputs that nothing reads need not be retained; all are retained if `steps` is read as a whole', () => {
  expect(readBy('  - { id: b, end: {} }')).toEqual([]);
  expect(readBy('output: "${{ steps }}"')).toBeUndefined();
});
