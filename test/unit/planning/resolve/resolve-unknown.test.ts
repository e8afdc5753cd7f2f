import { describe, expect, test } from 'vitest';
import { guardedParts } from '../../../../src/planning/hooks/hook-parts.js';
import { previewPlan } from '../../../../src/planning/preview/preview-plan.js';
import { inferPlacement } from '../../../../src/planning/steps/placement.js';
import { toolsUsed } from '../../../../src/rules/calls/tools-used.js';
import { planDigest } from '../../../../src/rules/plans/plan-digest.js';
import type { ProjectFiles } from '../../../fixtures/project-folder.js';
import { errorOf } from '../../error-of.js';
import { lowLevel, registryOf, resolved, SCRIPT, SCRIPT_FILE } from '../../temporary-project.js';

const UNKNOWN = `unknown: { call: pay.find, with: { key: "\${{ call.idempotency_key }}" }, happened: "output.ok", not_happened: "!output.ok" }`;
const FIND = lowLevel('pay.find', SCRIPT);
const paying = (...lines: string[]): ProjectFiles => ({
  ...SCRIPT_FILE,
  ...FIND,
  ...lowLevel(
    'pay.make',
    ...(lines.some((line) => line.startsWith('effects')) ? [] : ['effects: destructive']),
    ...lines,
    SCRIPT,
  ),
});
const FLOW: ProjectFiles = {
  'registry/high-level/flow.yaml':
    'id: flow\ntype: workflow\nversion: 1\nsummary: Pays.\noperations: [pay.make]\nsteps: [{ id: pay, call: pay.make }]\n',
};

describe('an ability that is asked about lost calls', () => {
  test.each(['pay.make', 'flow'])('is planned with %s, and its definition is part of the digest', (id) => {
    const { plan } = resolved({ ...paying(UNKNOWN), ...FLOW }, id);
    expect(plan.operations['pay.make']?.unknown).toEqual({
      call: 'pay.find',
      with: { key: '${{ call.idempotency_key }}' },
      happened: 'output.ok',
      not_happened: '!output.ok',
      output: '${{ output }}',
      wait_ms: 10_000,
      attempts: 5,
    });
    expect(plan.operations['pay.find']).toMatchObject({ effects: 'read' });
    expect(plan.ability.effects).toBe('destructive');
    const other = resolved({ ...paying(UNKNOWN), ...FLOW, ...lowLevel('pay.find', 'version: 2', SCRIPT) }, id).plan;
    expect(planDigest(other)).not.toBe(planDigest(plan));
  });

  test('has its hooks before creation asked for itself, not for the input of the call', () => {
    const { plan } = resolved(paying(UNKNOWN), 'pay.make');
    const parts = guardedParts(plan, { order: 1 }).map(({ path, input }) => ({ path, input }));
    expect(parts).toEqual([
      { path: '', input: { order: 1 } },
      { path: 'pay.find', input: {} },
    ]);
  });

  test('may be called by whoever may make the call', () => {
    const { plan } = resolved({ ...paying(UNKNOWN), ...FLOW }, 'flow');
    const steps = ['pay.make', 'pay.find'].map((call) => ({
      id: call,
      path: call,
      call,
      status: 'succeeded' as const,
      attempts: 1,
      duration_ms: 1,
    }));
    expect(toolsUsed(plan, { steps, approvals: [] }).outside_whitelist).toEqual([]);
    const blind = resolved({ ...paying(), ...FLOW }, 'flow').plan;
    expect(toolsUsed(blind, { steps, approvals: [] }).outside_whitelist).toEqual(['pay.find']);
  });

  test('decides with it where a task runs', () => {
    const cloud = (key: string, ...lines: string[]) =>
      lowLevel(key, ...lines, 'implementation: { kind: api, api: { path: /x } }');
    const ask = (find: ProjectFiles) =>
      inferPlacement(
        registryOf({ ...SCRIPT_FILE, ...find, ...cloud('pay.make', 'effects: destructive', UNKNOWN) }),
        'pay.make',
      );
    expect(ask(cloud('pay.find')).placement).toBe('cloud');
    expect(ask(FIND).placement).toBe('local');
  });

  test('is named by the preview', () => {
    const user = { name: 'ada', source: 'claimed' as const };
    const preview = previewPlan(registryOf(paying(UNKNOWN)), {
      ability: 'pay.make',
      environment: 'dev',
      input: {},
      user,
    } as never);
    expect(preview.steps[0]?.call?.unknown).toEqual({ call: 'pay.find', attempts: 5, wait_ms: 10_000 });
    expect(preview.operations.map(({ key }) => key)).toEqual(['pay.make', 'pay.find']);
  });
});

describe('`unknown` is refused', () => {
  const of = (files: ProjectFiles) => errorOf(() => resolved(files, 'pay.make'));
  const asking = (change: (text: string) => string) => of(paying(change(UNKNOWN)));

  test('at an ability whose lost calls are made again anyway', () => {
    expect(of(paying(UNKNOWN, 'effects: write_idempotent'))).toMatchObject({
      code: 'definition.invalid',
      message: expect.stringContaining('never asked'),
    });
  });

  test.each(['write_idempotent', 'destructive'])('if the ability that is asked is %s', (effects) => {
    const files = { ...paying(UNKNOWN), ...lowLevel('pay.find', `effects: ${effects}`, SCRIPT) };
    expect(of(files)).toMatchObject({ code: 'definition.invalid', message: expect.stringContaining(effects) });
  });

  test('for an ability that is not there, or is a workflow', () => {
    expect(asking((text) => text.replace('pay.find', 'pay.fnd'))).toMatchObject({
      code: 'definition.unknown_reference',
      suggestion: expect.stringContaining('pay.find'),
    });
    const files = { ...paying(UNKNOWN.replace('pay.find', 'flow')), ...FLOW };
    expect(of(files)).toMatchObject({ code: 'definition.unknown_reference' });
  });

  test.each([
    ['happened: "output.ok"', 'happened: "input.ok"'],
    ['call.idempotency_key', 'output.key'],
    ['not_happened: "!output.ok"', 'not_happened: "now() > output.at"'],
  ])('for names that it does not have: %s as %s', (from, to) => {
    expect(asking((text) => text.replace(from, to))).toMatchObject({ code: 'expression.syntax' });
  });
});
