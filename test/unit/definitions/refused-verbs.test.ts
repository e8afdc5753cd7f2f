import { describe, expect, test } from 'vitest';
import { formatLocation, type Problem } from '../../../src/contracts/problem.js';
import { registryOf } from '../temporary-project.js';

/** The first problem of a workflow whose steps begin in line 5. */
function faultOf(yaml: string): Problem & { at: string; text: string } {
  const file = 'registry/high-level/w.yaml';
  const [problem] = registryOf({ [file]: `id: w\ntype: workflow\nversion: 1\nsummary: s\n${yaml}\n` }).problems;
  if (!problem) throw new Error('it was not refused');
  const at = formatLocation(problem.location ?? { file: 'nowhere' }).replace(file, '');
  return { ...problem, at, text: `${problem.message} | ${problem.suggestion ?? ''}` };
}

/** One step whose keys begin in line 7. */
const step = (...lines: string[]): string => ['steps:', '  - id: a', ...lines.map((line) => `    ${line}`)].join('\n');
const inner = 'steps: [{ id: b, end: {} }]';

describe('a verb of the wrong form', () => {
  test.each([
    ['a `foreach` without a name for the item', step('foreach: input.rows', inner), ':6:5', /`as` is missing/],
    ['a `foreach` over a number', step('foreach: 3', 'as: x', inner), ':7:14', /A list belongs here, or bare CEL/],
    ['a `foreach` without steps', step('foreach: input.rows', 'as: x'), ':6:5', /`steps` is missing/],
    ['a `foreach` with zero turns at once', step('foreach: [1]', 'as: x', 'max_parallel: 0', inner), ':9:19', /from 1/],
    ['a limit that is a text', step('foreach: [1]', 'as: x', 'max_parallel: many', inner), ':9:19', /from 1/],
    ['a name of an item with a dash', step('foreach: [1]', 'as: a-b', inner), ':8:9', /letters, digits and _/],
    ['a reserved name of an item', step('foreach: [1]', 'as: __proto__', inner), ':8:9', /reserved/],
    [
      'an unknown value of `on_failure`',
      step('parallel: { b: { end: {} } }', 'on_failure: go'),
      ':8:17',
      /stop, finish, cancel/,
    ],
    ['a `race` as a list', step('race: [{ end: {} }]'), ':7:11', /A map/],
    ['a `switch` as a map', step('switch: { if: "true" }'), ':7:13', /A list/],
    ['a `switch` without cases', step('switch: []'), ':7:13', />=1/],
    ['a case without steps', step('switch: [{ if: "true" }]'), ':7:14', /`steps` is missing/],
    ['a `repeat` without an end', step('repeat: { max: 3 }', inner), ':7:13', /`until` is missing/],
    ['a `repeat` of zero turns', step('repeat: { until: "true", max: 0 }', inner), ':7:35', /from 1/],
    ['a `repeat` with a malformed pause', step('repeat: { until: "true", every: 10 s }', inner), ':7:37', /500ms, 20s/],
    ['a `repeat` with ISO 8601', step('repeat: { until: "true", every: PT1M }', inner), ':7:37', /such as 30s/],
    ['a `wait` of a bare number', step('wait: 30'), ':7:11', /A wait is a duration \(30s\)/],
    ['a `wait` of a malformed duration', step('wait: 30 s'), ':7:11', /500ms, 20s|A wait is/],
    ['an empty `wait`', step('wait: {}'), ':7:11', /\{ until: EXPRESSION \} or \{ signal: NAME \}|is missing/],
    ['a `wait` with a mistyped signal', step('wait: { singal: go }'), ':7:13', /Did you mean signal/],
    [
      'a `wait` for a reserved signal',
      step('wait: { signal: approve }'),
      ':7:21',
      /signal is reserved: ask people with an `approval` step/,
    ],
    ['a `wait` for a signal of Temporal', step('wait: { signal: __temporal_x }'), ':7:21', /those of Temporal itself/],
    ['a `wait` with a malformed limit', step('wait: { signal: go, timeout: soon }'), ':7:34', /500ms, 20s/],
    ['an `undo` without a call', step('call: op', 'undo: { with: {} }'), ':8:11', /`call` is missing/],
    ['an `undo` that is a list', step('call: op', 'undo: [{ call: op }]'), ':8:11', /A map/],
    ['an `undo` of a group', step(inner, 'undo: { call: op }'), ':8:5', /Unknown key `undo`/],
    ['an `on_error` that is a map', step('call: op', 'on_error: { steps: [] }'), ':8:15', /A list/],
    ['an empty `on_error`', step('call: op', 'on_error: []'), ':8:15', />=1/],
    [
      'an `on_error` with a mistyped key',
      step('call: op', 'on_error: [{ error: [x] }]'),
      ':8:18',
      /Did you mean errors/,
    ],
    ['a field without a type', step('approval: { title: x, fields: { f: {} } }'), ':7:40', /`type` is missing/],
    [
      'a field of an unknown type',
      step('approval: { title: x, fields: { f: { type: list } } }'),
      ':7:48',
      /string, number/,
    ],
    [
      'a field with a choice of another type',
      step('approval: { title: x, fields: { f: { type: string, enum: [1] } } }'),
      ':7:62',
      /must have the `type` of the field/,
    ],
    [
      'a field with a reserved name',
      step('approval: { title: x, fields: { valueOf: { type: string } } }'),
      ':7:37',
      /reserved/,
    ],
    ['a limit of zero calls', `limits: { max_calls: 0 }\n${step('end: {}')}`, ':5:22', />=1/],
    ['an id that is a reserved word of CEL', 'steps: [{ id: in, end: {} }]', ':5:15', /word of CEL/],
    ['an id that every object has', 'steps: [{ id: __proto__, end: {} }]', ':5:15', /reserved/],
    ['a branch that every object has', step('parallel: { toString: { end: {} } }'), ':7:17', /reserved/],
  ])('%s is refused with its location and the right form', (_, yaml, at, message) => {
    const fault = faultOf(yaml);
    expect(fault.text).toMatch(message);
    expect([fault.code, fault.at]).toEqual(['definition.invalid', at]);
  });
});

describe('two verbs in one step', () => {
  test.each([
    ['call and wait', step('call: op', 'wait: 1s')],
    ['call and steps', step('call: op', inner)],
    ['foreach and call', step('foreach: [1]', 'as: x', 'call: op', inner)],
    ['foreach and repeat', step('foreach: [1]', 'as: x', 'repeat: { until: "true" }', inner)],
    ['parallel and race', step('parallel: {}', 'race: {}')],
    ['switch and let', step('switch: [{ else: [{ id: c, end: {} }] }]', 'let: {}')],
  ])('%s: refused, since a step has exactly one', (_, yaml) => {
    expect(faultOf(yaml)).toMatchObject({
      code: 'definition.invalid',
      text: expect.stringMatching(/exactly one verb/),
    });
  });
});

describe('a habit from elsewhere', () => {
  test.each([
    ['catch', step('call: op', 'catch: []'), /`on_error: \[/],
    ['while', step('while: input.x', inner), /`repeat: \{ until/],
    ['until', step('call: op', 'until: input.x'), /`repeat: \{ until/],
    ['for', step('for: input.rows', inner), /`foreach: input\.list`/],
    ['with_items', step('call: op', 'with_items: [1]'), /`foreach: input\.list`/],
    ['loop', step('call: op', 'loop: [1]'), /`foreach: input\.list`/],
    ['matrix', step('call: op', 'matrix: {}'), /`foreach: input\.list`/],
    ['parallelism', step('foreach: [1]', 'as: x', 'parallelism: 2', inner), /`max_parallel: 5`/],
    ['sleep', step('sleep: 10'), /`wait: 30s`/],
    ['on_failure', step('call: op', 'on_failure: []'), /`on_error: \[.*`foreach` and `parallel`/],
    ['compensate', step('call: op', 'compensate: { call: op }'), /`undo: \{ call/],
    ['rollback', step('call: op', 'rollback: { call: op }'), /`undo: \{ call/],
    ['try', step('try: []', 'catch: []'), /`steps: \[\.\.\]`, with `on_error`/],
    ['then', step('if: input.x', 'then: []'), /`switch: \[/],
    ['return', step('return: 1'), /`end: \{ output/],
    ['throw', step('throw: oops'), /`fail: \{ code/],
    ['vars', step('vars: { x: 1 }'), /`let: \{/],
    ['max_attempts', step('call: op', 'retry: { max_attempts: 3 }'), /Write `attempts`/],
  ])('%s is refused with the right form', (_, yaml, message) => {
    const fault = faultOf(yaml);
    expect(fault.text).toMatch(message);
    expect(fault.code).toBe('definition.invalid');
  });
});
