import { expect, test } from 'vitest';
import type { Plan, PlanHooks, PlanStep } from '../../../../src/contracts/plan.js';
import { whoIsAsked } from '../../../../src/rules/plans/who-is-asked.js';
import { examplePlan } from '../example-plan.js';

const BOSSES = { listed: ['bosses'], people: ['alice', 'bob'], groups: [] };
const call = (id: string, more: object = {}): PlanStep => ({ id, verb: 'call', call: 'db.write', with: {}, ...more });
const ask = (id: string, more: object = {}): PlanStep => ({
  id,
  verb: 'approval',
  approval: { title: 'Go?', expires: '1d', comment: 'optional', ...more },
});

function planOf(steps: PlanStep[], more: Partial<Plan['environment']> = {}): Plan {
  const plan = examplePlan(steps);
  return { ...plan, environment: { ...plan.environment, approvers: BOSSES, quorum: 2, ...more } };
}

const seen = (plan: Plan) =>
  whoIsAsked(plan).map(({ ability, path, what, hook, approvers, quorum }) => [
    ability,
    path,
    what,
    hook,
    approvers.listed.join(),
    quorum,
  ]);

test('an approval step asks those that it names, or else those of the environment', () => {
  const steps = [
    ask('usual'),
    ask('own', { approvers: { listed: ['carol'], people: ['carol'], groups: [] }, quorum: 1 }),
  ];
  expect(seen(planOf([{ id: 'all', verb: 'steps', steps }]))).toEqual([
    ['signup', 'all/usual', 'Go?', null, 'bosses', 2],
    ['signup', 'all/own', 'Go?', null, 'carol', 1],
  ]);
});

test('a call asks if its effects need it in this environment, and an undo if it says so', () => {
  expect(seen(planOf([call('a')]))).toEqual([]);
  const undo = { undo: { call: 'db.write', with: {}, approval: 'required' } };
  expect(seen(planOf([call('a', undo)]))).toEqual([['signup', 'a.undo', 'db.write', null, 'bosses', 2]]);
  const covered = call('a', { undo: { call: 'db.write', with: {} } });
  expect(seen(planOf([covered], { approve: ['write_idempotent'] }))).toEqual([
    ['signup', 'a', 'db.write', null, 'bosses', 2],
  ]);
});

test('a hook that may ask is named, that of the workflow and that of a call', () => {
  const asking = (id: string): PlanHooks => {
    const handler = { kind: 'expression' as const, confirm_if: 'input.x', reason: 'x' };
    return { pre_create: [], pre_call: [{ id, handler }], post_call: [] };
  };
  const plan = planOf([call('a')]);
  const operations = { 'db.write': { ...(plan.operations['db.write'] as never as object), hooks: asking('one') } };
  const hooked = { ...plan, ability: { ...plan.ability, hooks: asking('whole') }, operations } as unknown as Plan;
  expect(seen(hooked)).toEqual([
    ['signup', '', 'signup', 'whole', 'bosses', 2],
    ['signup', 'a', 'db.write', 'one', 'bosses', 2],
  ]);
});

test('what it calls asks as well, and a low-level ability itself', () => {
  const { ability, limits } = examplePlan();
  const inner = { ability: { ...ability, id: 'inner' }, steps: [ask('deep')], finally: [ask('last')], limits };
  expect(seen({ ...planOf([]), workflows: { inner } })).toEqual([
    ['inner', 'deep', 'Go?', null, 'bosses', 2],
    ['inner', 'last', 'Go?', null, 'bosses', 2],
  ]);
  const low = planOf([], { approve: ['write_idempotent'] });
  expect(seen({ ...low, ability: { ...low.ability, id: 'db.write', kind: 'operation' } })).toEqual([
    ['db.write', '', 'db.write', null, 'bosses', 2],
  ]);
});
