import type { Finding } from '../../contracts/findings.js';
import type { Loaded, Registry } from '../../definitions/registry.js';
import { findingOf } from '../../planning/finding-of.js';
import type { LintedProject } from '../linted-project.js';

/** Finds abilities that are taken for each other, scopes that hold nowhere, and keys that are shared without agreement. */
export function* checkAbilitiesAlike({ registry }: LintedProject): Generator<Finding> {
  yield* alikeIds(registry);
  yield* emptyScopes(registry);
  yield* sharedKeys(registry);
}

function* alikeIds({ operations, workflows, agents }: Registry): Generator<Finding> {
  const seen = new Map<string, string>();
  const named: [string, Loaded<unknown>, string][] = [
    ...[...operations].map(([id, from]): [string, Loaded<unknown>, string] => [id, from, 'operation_key']),
    ...[...workflows].map(([id, from]): [string, Loaded<unknown>, string] => [id, from, 'id']),
    ...[...agents].map(([id, from]): [string, Loaded<unknown>, string] => [id, from, 'id']),
  ];
  for (const [id, from, key] of named) {
    const plain = id.replace(/[._-]/g, '');
    const other = seen.get(plain);
    if (other === undefined) seen.set(plain, id);
    else yield findingOf('lint.ids_alike', `${id} is easily taken for ${other}`, from.locate([key]));
  }
}

function* emptyScopes({ operations, workflows, agents }: Registry): Generator<Finding> {
  for (const [id, ability] of [...operations, ...workflows, ...agents]) {
    if (ability.value.scope.environments?.length !== 0) continue;
    yield findingOf('lint.scope_empty', `${id} is available nowhere`, ability.locate(['scope', 'environments']));
  }
}

/** Each task goes by its own `limit` and `on_busy`. Source: docs/workflow-language.md. */
function* sharedKeys({ workflows }: Registry): Generator<Finding> {
  const first = new Map<string, { id: string; limit: number; on_busy: string }>();
  for (const [id, workflow] of workflows) {
    const { concurrency } = workflow.value;
    if (!concurrency) continue;
    const { key, limit, on_busy } = concurrency;
    const other = first.get(key);
    if (!other) first.set(key, { id, limit, on_busy });
    else if (other.limit !== limit || other.on_busy !== on_busy) {
      const says = ({ limit, on_busy }: { limit: number; on_busy: string }) => `limit ${limit}, ${on_busy}`;
      const message = `${id} (${says(concurrency)}) and ${other.id} (${says(other)}) share a key`;
      yield findingOf('lint.concurrency_disagrees', message, workflow.locate(['concurrency', 'key']));
    }
  }
}
