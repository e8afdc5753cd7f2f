import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkFormat } from '../../../src/definitions/check-format.js';
import { FORMATS } from '../../../src/definitions/schemas/schema-files.js';
import { isProblem, readYaml } from '../../../src/definitions/yaml-source.js';

const page = readFileSync(join(import.meta.dirname, '../../../docs/approvals.md'), 'utf8');
const examples = [...page.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, yaml]) => yaml as string);

test.each(examples)('the example is valid: %s', (yaml) => {
  const whole = `format: 1\nproject: acme\n${yaml.includes('environments:\n') ? '' : 'environments: { prod: {} }\n'}${yaml}`;
  const source = readYaml('ability.yaml', whole);
  if (isProblem(source)) throw new Error(source.message);
  expect(checkFormat(FORMATS.project.format, source)).toHaveProperty('value');
});
