import { describe, expect, test } from 'vitest';
import type { CallStep, PlanStep } from '../../../../src/contracts/plan.js';
import { drawAbility, type GraphSubject } from '../../../../src/planning/graph/draw-ability.js';

const call = (id: string, more: Partial<CallStep> = {}): CallStep => ({
  id,
  verb: 'call',
  call: 'db.write',
  with: {},
  ...more,
});
const fail = (id: string): PlanStep => ({ id, verb: 'fail', fail: { code: 'mine', message: 'No.' } });

/**
 * Draws steps, and reads the arrows of the drawing by the first lines of the nodes that they join; `·` is a point.
 */
function draw(steps: PlanStep[], more: Partial<GraphSubject> = {}) {
  const callees = { 'db.write': { effects: 'write_idempotent' } } as const;
  const text = drawAbility({ id: 'flow', version: 3, environment: 'dev', steps, finally: [], callees, ...more });
  const nodes = [...text.matchAll(/^ *(?:subgraph )?([ng]\d+)(?: (?=\[))?[^\w\s"]+"([^"<]*)/gm)];
  const names = new Map(nodes.map(([, name, first]) => [name, first]));
  const found = [...text.matchAll(/^ {2}([ng]\d+) (-->|-\.->)(?:\|"(.*)"\|)? ([ng]\d+)$/gm)];
  const arrows = found.map(([, from, line, label, to]) => {
    const dots = line === '-->' ? '' : '.';
    return `${names.get(from)} ${dots}-${label === undefined ? '' : `${label}-`}> ${names.get(to)}`;
  });
  return { text, arrows };
}

test('steps follow one another, from the ability to its output', () => {
  expect(draw([call('a'), call('b')]).arrows).toEqual(['flow v3 -> a', 'a -> b', 'b -> output']);
});

test('a call shows ability, implementation, effect, approval, and its modifiers', () => {
  const callees = { 'db.write': { effects: 'destructive', implementation: 'pg', approvalIn: 'prod' } } as const;
  const retry = { attempts: 4, first: '1s', factor: 2, max: '30s' };
  const { text } = draw([call('a', { timeout: '20s', retry, continue_on_error: true })], { callees });
  expect(text).toContain(
    '["a<br/>db.write<br/>by pg<br/>destructive<br/>prod asks for approval first<br/>up to 4 attempts, within 20s, goes on after an error"]',
  );
  expect(text).toMatch(/^ {2}class n2 destructive$/m);
});

test('a call of something other than an operation is drawn as a workflow', () => {
  expect(draw([call('a', { call: 'other' }), call('b', { call: 'toString' })]).text).toMatch(
    /\[\["a<br\/>other"\]\][\s\S]*\[\["b<br\/>toString"\]\]/,
  );
});

test('an approval has its own shape, with who decides', () => {
  const approval = { title: 'Go "on"?', expires: '1h', comment: 'optional', quorum: 2 } as const;
  const approvers = { listed: ['managers'], people: ['alice', 'bob'], groups: [] };
  const { text } = draw([
    { id: 'ask', verb: 'approval', approval: { ...approval, approvers } },
    { id: 'any', verb: 'approval', approval: { title: 'x', expires: '1h', comment: 'optional' } },
  ]);
  expect(text).toContain('{{"ask: approval<br/>Go #34;on#34;?<br/>by 2 of managers, within 1h"}}');
  expect(text).toContain("by the environment's approvers, within 1h");
});

describe('a condition', () => {
  test('is on the arrow into its step, and another arrow bypasses the step', () => {
    expect(draw([call('a'), call('b', { if: 'x > 1' }), call('c')]).arrows).toEqual([
      'flow v3 -> a',
      'a -if x #62; 1-> b',
      'b -> c',
      'a .-else-> c',
      'c -> output',
    ]);
  });

  test('after a condition is on an arrow of its own', () => {
    expect(draw([call('a', { if: 'x' }), call('b', { if: 'y' })]).arrows).toEqual([
      'flow v3 -if x-> a',
      'a -> ·',
      'flow v3 .-else-> ·',
      '· -if y-> b',
      'b -> output',
      '· .-else-> output',
    ]);
  });

  test('of the first step of a clean-up is shown as well', () => {
    expect(draw([call('a')], { finally: [call('z', { if: 'x' })] }).arrows).toContain('· -if x-> z');
  });
});

describe('a group', () => {
  test('is a subgraph around its steps', () => {
    const retry = { attempts: 3, first: '1s', factor: 2, max: '30s' };
    const { text, arrows } = draw([{ id: 'g', verb: 'steps', steps: [call('a'), call('b')], retry }]);
    expect(text).toMatch(/subgraph g2 \["g: up to 3 attempts"\]\n {4}n3\["a.*\n {4}n4\["b.*\n {2}end/);
    expect(arrows).toEqual(['flow v3 -> a', 'a -> b', 'b -> output']);
  });

  test('parallel branches begin and end together', () => {
    const { text, arrows } = draw([{ id: 'p', verb: 'parallel', branches: [call('a'), fail('b')] }]);
    expect(text).toContain('subgraph g2 ["p: all at once"]');
    expect(arrows).toEqual(['· -> a', '· -> b', 'a -> ·', 'flow v3 -> ·', '· -> output']);
  });
});

describe('finally', () => {
  test('of the ability is a subgraph next to the steps', () => {
    const { text, arrows } = draw([call('a')], { finally: [call('y'), call('z')] });
    expect(text).toMatch(/subgraph g2 \["steps"\][\s\S]* {2}end\n {2}subgraph g4 \["finally"\]/);
    expect(arrows).toEqual(['flow v3 -> a', 'y -> z', 'steps .-always-> finally', 'finally -> output']);
  });

  test('of a step is a subgraph that the step always leads to', () => {
    const { arrows } = draw([call('a', { finally: [call('y')] }), call('b')]);
    expect(arrows).toEqual(['flow v3 -> a', 'a .-always-> finally of a', 'y -> b', 'b -> output']);
  });
});

describe('ends', () => {
  test('nothing follows `fail` and `end`', () => {
    const end: PlanStep = { id: 'stop', verb: 'end', end: { output: null } };
    const { text, arrows } = draw([fail('bad'), end]);
    expect(text).toContain('(["bad<br/>fail mine<br/>No."])');
    expect(text).toContain('(["stop<br/>end: succeeded"])');
    expect(arrows).toEqual(['flow v3 -> bad']);
  });

  test('`fail` with `continue_on_error` continues', () => {
    expect(draw([{ ...fail('bad'), continue_on_error: true }]).arrows).toEqual(['flow v3 -> bad', 'bad -> output']);
  });
});

test('the values of a `let` are named', () => {
  expect(draw([{ id: 'v', verb: 'let', let: { x: 1, y: 2 } }]).text).toContain('[/"v<br/>let x, y"/]');
});

describe('the rest of the language', () => {
  test('loops are groups that show what they iterate over', () => {
    const { text, arrows } = draw([
      {
        id: 'all',
        verb: 'foreach',
        foreach: { expression: 'input.list' },
        as: 'x',
        max_parallel: 5,
        steps: [call('a')],
      },
      {
        id: 'ready',
        verb: 'repeat',
        repeat: { until: 'steps.b.output.ok', every: '10s', max: 30 },
        steps: [call('b')],
      },
    ]);
    expect(text).toContain('all: each x of input.list, 5 at once');
    expect(text).toContain('ready: until steps.b.output.ok, at most 30 turns');
    expect(arrows).toEqual(['flow v3 -> a', 'a -> b', 'b -> output']);
  });

  test('a switch leads to each case, and past the cases if none may match', () => {
    const cases = [{ if: 'input.n > 2', steps: [call('many')] }, { steps: [call('few')] }];
    expect(draw([{ id: 'pick', verb: 'switch', cases }]).arrows).toEqual([
      'flow v3 -> pick',
      'pick -if input.n #62; 2-> many',
      'pick -else-> few',
      'many -> output',
      'few -> output',
    ]);
    const [first] = cases as [(typeof cases)[number]];
    expect(draw([{ id: 'pick', verb: 'switch', cases: [first] }]).arrows).toContain('pick .-else-> output');
  });

  test('a race, waits, handlers and calls that undo', () => {
    const { text, arrows } = draw([
      {
        id: 'first',
        verb: 'race',
        branches: [
          call('a', { undo: { call: 'db.delete', with: {} } }),
          { id: 'w', verb: 'wait', wait: { signal: 'go', timeout: '5m' } },
        ],
      },
      call('b', {
        on_error: [
          { errors: ['http.409'], steps: [call('lookup')] },
          { steps: [], rethrow: true },
        ],
      }),
    ]);
    expect(text).toContain('first: the first to end wins');
    expect(text).toContain('wait for the signal go, within 5m');
    expect(arrows).toContain('a .-when the task fails-> undo of a');
    expect(arrows).toContain('b .-on http.409-> on_error of b');
    expect(arrows.filter((arrow) => arrow.endsWith('> output'))).toEqual(['b -> output', 'lookup -> output']);
  });
});
