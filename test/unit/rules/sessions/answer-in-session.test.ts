import { expect, test } from 'vitest';
import type { SessionCall } from '../../../../src/contracts/session.js';
import { compileExpression, evaluateCondition } from '../../../../src/rules/expressions/evaluate.js';
import { answerExpression, type HookFacts } from '../../../../src/rules/hooks/handlers.js';
import { answerInSession, CallLedger, MAX_CALLS } from '../../../../src/rules/sessions/call-ledger.js';
import { handlerReadsSession, readsCalls, readsSession } from '../../../../src/rules/sessions/session-reads.js';

const facts = {
  input: { amount: 100 },
  environment: { name: 'dev', protected: false, vars: {} },
  ability: { id: 'pay.refund', version: 1, modules: [] },
  implementation: null,
  effects: 'write_additive',
  tags: [],
  task: { key: 't', ability: 'pay.refund' },
  user: { name: 'ada', source: 'claimed' },
  outcome: null,
};

function handler(deny_if: string) {
  return { kind: 'expression', deny_if, reason: 'Enough.' } as const;
}

function call(id: string, more: Partial<SessionCall> = {}): Omit<SessionCall, 'status'> {
  return { id, ability: 'pay.refund', effects: 'write_additive', environment: 'dev', input: { amount: 100 }, ...more };
}

function ask(ledger: CallLedger, deny_if: string, id: string, more: Partial<SessionCall> = {}) {
  const guards = [{ id: 'limit', handler: handler(deny_if) }];
  const word = { kind: 'call', guards, facts, path: 'a', moment: 0 } as const;
  return answerInSession('s', ledger, { ...word, call: call(id, more) })[0];
}

const AT_MOST_500 =
  "sum(session.calls.filter(c, c.ability == 'pay.refund' && c.status != 'failed').map(c, c.input.amount)) + input.amount > 500";

test('a sum over the calls of a session allows calls up to the limit, and not beyond it', () => {
  const ledger = new CallLedger();
  const decisions = ['1', '2', '3', '4', '5', '6'].map((id) => ask(ledger, AT_MOST_500, id)?.decision);
  expect(decisions).toEqual(['allow', 'allow', 'allow', 'allow', 'allow', 'deny']);
  expect(ledger.counts).toMatchObject({ write_additive: 5, total: 5 });
});

test('a failed call returns what it took, and a denied call never counts', () => {
  const ledger = new CallLedger();
  for (const id of ['1', '2', '3', '4', '5']) ask(ledger, AT_MOST_500, id);
  ledger.end('1', 'failed');
  expect(ask(ledger, AT_MOST_500, '6')?.decision).toBe('allow');
  ledger.end('6', 'denied');
  expect(ledger.counts.total).toBe(5);
  expect(ledger.calls.map(({ status }) => status)).toEqual(['failed', 'running', 'running', 'running', 'running']);
});

test('the end of a call is noted once: later reports change nothing', () => {
  const ledger = new CallLedger();
  ledger.enter(call('1'));
  ledger.end('1', 'succeeded');
  ledger.end('1', 'denied');
  ledger.end('unheard of', 'failed');
  expect(ledger.calls).toMatchObject([{ status: 'succeeded' }]);
  expect(ledger.counts.total).toBe(1);
});

test('a call whose answer was lost is evaluated again, without counting itself', () => {
  const ledger = new CallLedger();
  const once = 'session.counts.total > 0';
  expect(ask(ledger, once, '1')?.decision).toBe('allow');
  expect(ask(ledger, once, '1')?.decision).toBe('allow');
  expect(ask(ledger, once, '2')?.decision).toBe('deny');
});

test('no external call after a read of secrets', () => {
  const ledger = new CallLedger();
  const rule = "effects == 'write_additive' && session.calls.exists(c, c.ability.startsWith('secrets.'))";
  expect(ask(ledger, rule, '1')?.decision).toBe('allow');
  ledger.enter(call('2', { ability: 'secrets.read', effects: 'read' }));
  expect(ask(ledger, rule, '3')?.decision).toBe('deny');
});

test('beyond a thousand calls a guard over the list fails and names the counts, but one over the counts still works', () => {
  const ledger = new CallLedger();
  for (let n = 0; n <= MAX_CALLS; n += 1) ledger.enter(call(`c${n}`));
  expect(ledger.calls).toHaveLength(MAX_CALLS);
  expect(ask(ledger, 'size(session.calls) > 5000', 'x')).toMatchObject({
    status: 'error',
    decision: 'deny',
    suggestion: expect.stringContaining('session.counts'),
  });
  expect(ask(ledger, 'session.counts.write_additive > 5000', 'y')?.decision).toBe('allow');
  ledger.end('y', 'denied');
  expect(ledger.counts.total).toBe(MAX_CALLS + 1);
});

test('a guard over a thousand calls stays within the cost limit of an expression', () => {
  const ledger = new CallLedger();
  for (let n = 0; n < MAX_CALLS; n += 1) ledger.enter(call(`c${n}`, { input: { amount: 0 } }));
  expect(ask(ledger, AT_MOST_500, 'x')).toMatchObject({ status: 'ok', decision: 'allow' });
});

test.each([
  ['session.counts.total > 3', true, false],
  ['sum(session.calls.map(c, c.input.n)) > 3', true, true],
  ['session != null && session.counts.read > 1', true, false],
  ['session.?calls.orValue([]).size() > 1', true, true],
  ['session[?"ca" + "lls"].orValue([]).size() > 1', true, true],
  ['[session].exists(s, size(s.calls) > 1)', true, true],
  ['session == null', false, false],
  ['session != null && session.id == "x"', false, false],
  ['input.session == "x"', false, false],
  ['null == session', false, false],
  ['null == session.calls', true, true],
  ['null == session["calls"]', true, true],
  ['input.session == null || session.counts.total > 1', true, false],
])('%s reads the session: %s, its calls: %s', (condition, session, calls) => {
  expect(readsSession(condition)).toBe(session);
  expect(readsCalls(handler(condition))).toBe(calls);
});

test.each([
  [{ deny_if: 'session.counts.total > 3' }, true, false],
  [{ deny_if: 'input.n > 3', warn_if: 'session.counts.total > 3' }, true, false],
  [{ confirm_if: 'size(session.calls) > 3', warn_if: 'session.counts.total > 3' }, true, true],
  [{ deny_if: 'session.counts.total > 3 && size(session.calls) > 3' }, true, true],
  [{ deny_if: 'input.n > 3' }, false, false],
])('the handler with %j reads the session: %s, its calls: %s', (conditions, session, calls) => {
  const rule = { kind: 'expression', reason: 'Enough.', ...conditions } as const;
  expect(handlerReadsSession(rule)).toBe(session);
  expect(readsCalls(rule)).toBe(calls);
});

test('a guard whose answer cannot be written fails with the reason', () => {
  const guards = [{ id: 'limit', handler: { kind: 'expression', deny_if: 'true' } as never }];
  const word = { kind: 'call', guards, facts, path: 'a', moment: 0, call: call('1') } as const;
  const [answer] = answerInSession('s', new CallLedger(), word);
  expect(answer).toMatchObject({ status: 'error', decision: 'deny' });
  expect(answer?.reason).toMatch(/^it could not be evaluated: Cannot read/);
});

test('the guards after one that denies are not evaluated, and the call is not entered', () => {
  const ledger = new CallLedger();
  const guards = ['false', 'true', 'true'].map((deny_if, index) => ({ id: `g${index}`, handler: handler(deny_if) }));
  const word = { kind: 'call', guards, facts, path: 'a', moment: 0, call: call('1') } as const;
  expect(answerInSession('s', ledger, word).map(({ hook_id }) => hook_id)).toEqual(['g0', 'g1']);
  expect(ledger.has('1')).toBe(false);
});

test('outside a session such a guard fails with a suggestion, unless it allows for that', () => {
  const outside: HookFacts = { ...facts, session: null };
  const answer = (deny_if: string) =>
    answerExpression('limit', handler(deny_if), { phase: 'PreAbilityCall', path: '' }, outside, 0);
  expect(answer('session.counts.total > 3')).toMatchObject({
    status: 'error',
    decision: 'deny',
    suggestion: expect.stringContaining('--session'),
  });
  expect(answer('session == null || session.counts.total > 3')).toMatchObject({ status: 'ok', decision: 'deny' });
  expect(answer('session != null && session.counts.total > 3')).toMatchObject({ status: 'ok', decision: 'allow' });
});

test.each([
  ['sum([]) == 0', true],
  ['sum([1, 2, 3]) == 6', true],
  ['sum([1.5, 2]) == 3.5', true],
  ['sum([uint(1), uint(2)]) == uint(3)', true],
])('%s', (source, value) => {
  expect(evaluateCondition(source, {})).toBe(value);
});

test.each(['sum(["1"])', 'sum([1, null])', 'sum([9223372036854775807, 1])', 'sum(1)'])('%s is an error', (source) => {
  expect(() => compileExpression(source).evaluate({ values: {} })).toThrow(/sum|overload|large/);
});

test.each([
  'output.?name.orValue("none")',
  'output[?"name"].orValue("none")',
  'output.?name.?deep.orValue("none")',
  'optional.of(output).?name.orValue("none")',
])('the output of a step that did not run is empty for %s (decision 0009)', (source) => {
  expect(compileExpression(source).evaluate({ values: { output: null } })).toBe('none');
  expect(() => compileExpression(source).evaluate({ values: { output: 'text' } })).toThrow(/overload/);
});

test('an internal error while a guard is evaluated makes that guard fail, and the session continues', () => {
  const ledger = new CallLedger();
  const broken = Object.defineProperty({}, 'amount', {
    enumerable: true,
    get() {
      throw new TypeError('a mistake of ours');
    },
  });
  const guards = [{ id: 'limit', handler: handler('input.amount > 1') }];
  const word = { kind: 'call', guards, path: 'a', moment: 0, call: call('1') } as const;
  const [answer] = answerInSession('s', ledger, { ...word, facts: { ...facts, input: broken } });
  expect(answer).toMatchObject({ hook_id: 'limit', status: 'error', decision: 'deny' });
  expect(answer?.reason).toContain('a mistake of ours');
  expect(ledger.counts.total).toBe(0);
  expect(ask(ledger, 'input.amount > 1000', '2')).toMatchObject({ status: 'ok', decision: 'allow' });
});

test('names such as __proto__ and deeply nested inputs are plain data to a guard over a session', () => {
  const ledger = new CallLedger();
  const strange = JSON.parse('{"__proto__":{"amount":1},"constructor":{"prototype":{"amount":2}},"amount":100}');
  let deep: SessionCall['input'] = { amount: 100 };
  for (let depth = 0; depth < 2000; depth += 1) deep = { deep, amount: 100 };
  expect(ask(ledger, AT_MOST_500, '1', { input: strange })?.decision).toBe('allow');
  expect(ask(ledger, AT_MOST_500, '2', { input: deep })?.decision).toBe('allow');
  for (const id of ['3', '4', '5']) expect(ask(ledger, AT_MOST_500, id)?.decision).toBe('allow');
  expect(ask(ledger, AT_MOST_500, '6')?.decision).toBe('deny');
  expect(({} as { amount?: number }).amount).toBeUndefined();
});

test('a guard that asks at its limit says so, does not enter the call, and has a limit of its own', () => {
  const ledger = new CallLedger();
  const guard = (id: string) => ({
    id,
    handler: { ...handler('session.counts.total >= 1 + session.raised'), on_limit: 'ask' } as const,
  });
  const answers = (id: string) => {
    const guards = [guard('one'), guard('two')];
    const word = { kind: 'call', guards, facts, path: 'a', moment: 0 } as const;
    return answerInSession('s', ledger, { ...word, call: call(id) }).map(({ hook_id, decision, limit }) => [
      hook_id,
      decision,
      limit,
    ]);
  };
  answers('1');
  const done = { 'pay.refund': 1 };
  expect(answers('2')).toEqual([['one', 'deny', { raised: 0, done }]]);
  ledger.raise('one', 'a', 1);
  expect(answers('2')).toEqual([
    ['one', 'allow', undefined],
    ['two', 'deny', { raised: 0, done }],
  ]);
  expect(ledger.counts.total).toBe(1);
});

test('a guard that fails does not ask, and one that reads how much it was raised needs no list of the calls', () => {
  const broken = { ...handler('session.counts.total >= session.raised.no'), on_limit: 'ask' } as const;
  const guards = [{ id: 'x', handler: broken }];
  const word = { kind: 'call', guards, facts, path: 'a', moment: 0 } as const;
  const [answer] = answerInSession('s', new CallLedger(), { ...word, call: call('1') });
  expect(answer).toMatchObject({ status: 'error', decision: 'deny' });
  expect(answer).not.toHaveProperty('limit');
  expect(readsCalls(handler('session.counts.total >= 1 + session.raised'))).toBe(false);
});
