import { expect, test } from 'vitest';
import type { HookDraft } from '../../../../../../src/authoring/import/hooks/draft-hooks.js';
import type { Shown } from '../../../../../../src/authoring/import/hooks/map-abilities.js';
import type { WrittenDraft } from '../../../../../../src/authoring/import/hooks/plan-hook-files.js';
import type { JsonObject } from '../../../../../../src/contracts/json.js';
import { callToShow } from '../../../../../../src/doors/cli/commands/import/hooks.js';
import { renderHookImport } from '../../../../../../src/doors/cli/output/render-hook-import.js';

const ability = (key: string, required: string[]): Shown => ({
  key,
  effects: 'write_idempotent',
  input_schema: { type: 'object', required, properties: { command: { type: 'string' } } },
});
const BOTH = [ability('ops.run_in', ['command', 'cwd']), ability('ops.run', ['command'])];
const RM = { command: 'rm -rf /' };
const guard = (id: string, ...must_deny: JsonObject[]): WrittenDraft => {
  const draft = { id, phase: 'PreAbilityCall', at: `${id}.json`, notes: [], mapped: [] } as unknown as HookDraft;
  return { draft, definition: must_deny.length === 0 ? { abstain: 'deny' } : { must_deny } };
};
const outputOf = (hooks: WrittenDraft[]): string => {
  const denied = callToShow(hooks, BOTH);
  const done = {
    source: '.claude/settings.json',
    isDryRun: false,
    isRun: true,
    hooks,
    notTaken: [],
    lost: { removed: [], changed: [] },
    files: [],
  };
  return renderHookImport({ ...done, ...(denied && { denied }) }, (_, text) => text);
};

test('answer 41: the run that shows a denial is one that the ability accepts', () => {
  const hooks = [guard('none'), guard('one', { ability: 'ops.run_in', input: RM }, { ability: 'ops.run', input: RM })];
  expect(callToShow(hooks, BOTH)).toEqual({ ability: 'ops.run', input: RM });
  expect(outputOf(hooks)).toMatch(/ {2}ability run ops\.run --input .*rm -rf .* {3}# is denied\n/);
});

test('no run is suggested if an ability would refuse it before any guard is consulted', () => {
  const hooks = [guard('one', { ability: 'ops.run_in', input: RM }, { ability: 'ops.gone', input: RM })];
  expect(callToShow(hooks, BOTH)).toBeUndefined();
  expect(outputOf(hooks)).not.toMatch(/ability run/);
  expect(outputOf(hooks)).toMatch(/Next\n.*lint --check-hooks/);
});

test('no run is suggested if a schema cannot be read', () => {
  const broken = { ...ability('ops.run', []), input_schema: { $ref: '#/$defs/none' } };
  expect(callToShow([guard('one', { ability: 'ops.run', input: RM })], [broken])).toBeUndefined();
});
