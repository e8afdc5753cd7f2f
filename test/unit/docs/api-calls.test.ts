import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { API_ANSWERS, API_BODY_TYPES, API_PLACES, API_STYLES } from '../../../src/contracts/api.js';
import { lowLevel, registryOf } from '../temporary-project.js';

const page = readFileSync(join(import.meta.dirname, '../../../docs/api-calls.md'), 'utf8');
const examples = [...page.matchAll(/^```yaml\n([\s\S]*?)^```/gm)].map(([, yaml]) => yaml as string);

describe('docs/api-calls.md', () => {
  test.each(examples)('shows examples that load: %s', (yaml) => {
    const lines = yaml.split('\n').map((line) => `  ${line}`);
    expect(registryOf(lowLevel('op', 'implementation:', '  kind: api', ...lines)).problems).toEqual([]);
  });

  test.each([...API_PLACES, ...API_STYLES, ...API_BODY_TYPES, ...API_ANSWERS])('mentions `%s`', (word) => {
    expect(page).toContain(`\`${word}\``);
  });
});
