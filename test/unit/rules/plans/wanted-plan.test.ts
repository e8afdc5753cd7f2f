import { describe, expect, test } from 'vitest';
import type { Plan } from '../../../../src/contracts/plan.js';
import { AbilityError } from '../../../../src/contracts/problem.js';
import type { WantedPlan } from '../../../../src/contracts/task.js';
import { digestOf } from '../../../../src/rules/canonical.js';
import {
  hasTools,
  isWantedPlan,
  partsOf,
  planDigest,
  refuseOtherInput,
  refuseOtherPlan,
  withoutPins,
} from '../../../../src/rules/plans/plan-digest.js';
import { lowLevel, resolved, SCRIPT, SCRIPT_FILE } from '../../temporary-project.js';

const script = () => resolved({ ...SCRIPT_FILE, ...lowLevel('a.op', SCRIPT) }, 'a.op').plan;
const tool = () =>
  resolved(
    {
      ...lowLevel('m.op', 'implementation: { kind: mcp, mcp: { server: logs, tool: query } }'),
      'registry/config/m.yaml': 'mcp_servers: { logs: { command: node } }\n',
    },
    'm.op',
  ).plan;

function pin(plan: Plan, pinned: string): Plan {
  const copy = structuredClone(plan);
  for (const { implementation } of Object.values(copy.operations)) {
    if (implementation.kind === 'mcp') implementation.mcp.pinned = pinned;
  }
  return copy;
}

function refusal(action: () => void): AbilityError | undefined {
  try {
    action();
    return undefined;
  } catch (error) {
    if (error instanceof AbilityError) return error;
    throw error;
  }
}

const INPUT = digestOf({});

describe('the digest of a plan before it is pinned', () => {
  test('is the sealed digest if there is nothing to pin', () => {
    const plan = script();
    expect(planDigest(plan)).toBe(digestOf(plan));
    expect([hasTools(plan), withoutPins(plan)]).toEqual([false, plan]);
  });

  test('stays the same whatever its tools are pinned to', () => {
    const plan = tool();
    expect(planDigest(pin(plan, 'one'))).toBe(planDigest(plan));
    expect(planDigest(pin(plan, 'two'))).toBe(digestOf(plan));
    expect(digestOf(pin(plan, 'one'))).not.toBe(digestOf(plan));
  });
});

test('a single tool or a single pin among other operations is detected', () => {
  const [other, plan] = [script(), tool()];
  const mixed = (operations: Plan['operations']): Plan => ({ ...plan, operations });
  const without = mixed({ ...other.operations, ...plan.operations });
  const pinned = mixed({ ...other.operations, ...pin(plan, 'one').operations });
  expect(hasTools(without)).toBe(true);
  expect(withoutPins(pinned)).toEqual(without);
});

test('a plan of up to 60 parts has a digest for each part, and a larger plan for none', () => {
  const plan = script();
  const { 'a.op': operation } = plan.operations;
  const count = Object.keys(partsOf(plan) ?? {}).length;
  const partsWith = (more: number) => {
    const added = Array.from({ length: more }, (_, n) => [`x${n}`, operation] as const);
    return partsOf({ ...plan, operations: { ...plan.operations, ...Object.fromEntries(added) } } as Plan);
  };
  expect(Object.keys(partsWith(60 - count) ?? {})).toHaveLength(60);
  expect(partsWith(61 - count)).toBeUndefined();
});

describe('a wanted plan', () => {
  const refused = (wanted: WantedPlan | undefined, plan: Plan, isPinned: boolean) =>
    refusal(() => refuseOtherPlan(wanted, { plan, input: INPUT }, isPinned))?.code;

  test('is accepted under its digest, and any other plan is refused', () => {
    const plan = script();
    expect(refused({ plan: digestOf(plan) }, plan, false)).toBeUndefined();
    expect(refused({ plan: '0'.repeat(64) }, plan, false)).toBe('plan.changed');
    expect(refused(undefined, plan, true)).toBeUndefined();
  });

  test('is compared with the pins of the seal once the pins are known', () => {
    const plan = tool();
    const [pinned, again] = [pin(plan, 'one'), pin(plan, 'two')];
    const sealed = { plan: digestOf(pinned) };
    expect(refused(sealed, plan, false)).toBeUndefined();
    expect(refused(sealed, pinned, true)).toBeUndefined();
    expect(refused(sealed, again, true)).toBe('plan.changed');
    expect(refused({ plan: planDigest(pinned) }, again, true)).toBeUndefined();
  });

  test('is reported by its parts when it is refused, so that a caller with the other plan can name what differs', () => {
    const plan = script();
    const wanted = { plan: '0'.repeat(64) };
    const { details } = refusal(() => refuseOtherPlan(wanted, { plan, input: INPUT }, true)) as AbilityError;
    expect(details).toEqual({
      ability: 'a.op',
      wanted,
      found: { plan: digestOf(plan), input: INPUT },
      parts: partsOf(plan),
    });
    const other = { ...plan, limits: { ...plan.limits, task_ms: 1 } };
    const [own, its] = [partsOf(plan) ?? {}, partsOf(other) ?? {}];
    expect(Object.keys(own).filter((name) => own[name] !== its[name])).toEqual(['limits']);
  });

  test('is refused with a different input if the input was planned too', () => {
    const found = { plan: script(), input: INPUT };
    const at = (input?: string) =>
      refusal(() => refuseOtherInput({ plan: '', ...(input !== undefined && { input }) }, found))?.code;
    expect([at(), at(INPUT), at('0'.repeat(64))]).toEqual([undefined, undefined, 'plan.changed']);
  });

  test('matches a task that has it under either digest', () => {
    const held = { plan: 'sealed', unpinned: 'before' };
    const answers = ['sealed', 'before', 'other'].map((plan) => isWantedPlan({ plan }, held));
    expect([...answers, isWantedPlan(undefined, held)]).toEqual([true, true, false, true]);
  });
});
