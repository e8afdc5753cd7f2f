import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LINT_CODES } from '../../../src/contracts/lint-codes.js';
import type { HighLevel } from '../../../src/definitions/formats/high-level.js';
import type { Loaded } from '../../../src/definitions/registry.js';
import { diagnosticsOf } from '../../../src/lint/checks/workflow-contents.js';
import { findSites } from '../../../src/lint/types/expression-sites.js';
import { definitionOf } from '../../property/definition-of.js';
import { Ambiguous, interpret } from '../../property/reference.js';
import type { Account } from '../../property/script.js';
import { type Tree, trees } from '../../property/trees.js';
import { lowLevel, registryOf, SCRIPT, SCRIPT_FILE } from '../temporary-project.js';

/** `npm run test:property` runs more. */
const RUNS = Number(process.env['PROPERTY_RUNS'] ?? 300);

/** Undefined if the definitions do not determine what comes first. */
function expected({ plan, input, script }: Tree): Account | undefined {
  try {
    return interpret(plan, input, script);
  } catch (error) {
    if (error instanceof Ambiguous) return undefined;
    throw error;
  }
}

/** Steps that ran, succeeded every time, and have no `on_error`. */
function soundSteps(value: HighLevel, { steps }: Account): Set<string> {
  const { nodes } = findSites(value);
  const sound = nodes.filter(({ id, definition }) => {
    const statuses = Object.entries(steps).flatMap(([path, status]) => (path.split('/').at(-1) === id ? [status] : []));
    return statuses.length > 0 && statuses.every((status) => status === 'succeeded') && !definition.on_error;
  });
  return new Set(sound.map(({ id }) => id));
}

/** Whether a task may succeed without its `output`. */
function endsOtherwise(value: HighLevel): boolean {
  return value.on_error !== undefined || findSites(value).nodes.some(({ definition }) => 'end' in definition);
}

test('lint reports no error in a step of a random tree that succeeds', { timeout: 120_000 }, () => {
  const registry = registryOf({ ...SCRIPT_FILE, ...lowLevel('op.read', SCRIPT), ...lowLevel('op.add', SCRIPT) });
  let looked = 0;
  let found = 0;
  fc.assert(
    fc.property(trees, (tree) => {
      const account = expected(tree);
      if (!account) return;
      const value = definitionOf(tree);
      const workflow: Loaded<HighLevel> = { value, file: 'tree.yaml', locate: () => ({ file: 'tree.yaml' }) };
      const sound = soundSteps(value, account);
      const errors = diagnosticsOf(registry, workflow).filter(({ code }) => LINT_CODES[code].severity === 'error');
      const { nodes } = findSites(value);
      looked += 1;
      found += errors.length;
      for (const { path, code, message } of errors) {
        const own = nodes.filter((node) => node.path.every((key, index) => path[index] === key)).at(-1);
        // A failure of an `undo` is a warning, and a later case may never be evaluated.
        const [part, number] = path.slice(own?.path.length);
        const isOwn = part !== 'undo' && !(part === 'switch' && number !== 0);
        const isTaskOutput = path[0] === 'output' && account.status === 'succeeded' && !endsOtherwise(value);
        expect(isOwn && own !== undefined && sound.has(own.id), `${code}: ${message} at ${path.join('.')}`).toBe(false);
        expect(isTaskOutput, `${code}: ${message}, in the output`).toBe(false);
      }
    }),
    { numRuns: RUNS, seed: 20261122, endOnFailure: true },
  );
  expect(looked).toBeGreaterThan(RUNS * 0.9);
  expect(found).toBeGreaterThan(RUNS / 20);
});
