import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { VERBS } from '../../../src/definitions/formats/steps.js';
import { resolvePlan } from '../../../src/planning/resolve/resolve-plan.js';
import type { ProjectFiles } from '../../fixtures/project-folder.js';
import { lowLevel, registryOf, SCRIPT, SCRIPT_FILE } from '../temporary-project.js';

const page = readFileSync(join(import.meta.dirname, '../../../docs/workflow-language.md'), 'utf8');
const examples = [...page.matchAll(/^```yaml\n([\s\S]*?)^```/gm)].map(([, yaml]) => yaml as string);

/** The operations that a text names after `call:`. */
function operationsIn(yaml: string): ProjectFiles {
  const called = [...yaml.matchAll(/\bcall: ([a-z][a-z0-9_.]*)/g)].map(([, id]) => lowLevel(id as string, SCRIPT));
  return Object.assign({}, ...called);
}

describe('the examples of docs/workflow-language.md', () => {
  test.each(examples.map((yaml) => [(parse(yaml) as { id: string }).id, yaml]))(
    '%s loads and is planned',
    (id, yaml) => {
      const registry = registryOf({ ...SCRIPT_FILE, ...operationsIn(yaml), 'registry/high-level/x.yaml': yaml });
      expect(registry.problems).toEqual([]);
      expect(resolvePlan(registry, id, 'dev').plan.ability.id).toBe(id);
    },
  );

  test.each([...VERBS])('show the verb `%s`', (verb) => {
    expect(examples.some((yaml) => new RegExp(`\\b${verb}:`).test(yaml))).toBe(true);
  });

  test.each(['undo', 'retry', 'on_error', 'continue_on_error', 'finally', 'timeout', 'if', 'max_parallel', 'rethrow'])(
    'show the modifier `%s`',
    (modifier) => {
      expect(examples.some((yaml) => new RegExp(`\\b${modifier}:`).test(yaml))).toBe(true);
    },
  );
});
