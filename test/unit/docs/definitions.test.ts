import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkFormat } from '../../../src/definitions/check-format.js';
import { FORMATS, type FormatName, schemaOf } from '../../../src/definitions/schemas/schema-files.js';
import { isProblem, readYaml } from '../../../src/definitions/yaml-source.js';

const ROOT = join(import.meta.dirname, '../../..');
const page = readFileSync(join(ROOT, 'docs/definitions.md'), 'utf8');

interface Renderer {
  renderDefinitions(page: string, formats: { file: string; schema: object }[]): string;
}

test('R-002-14: docs/definitions.md describes the three layers, and names the schemas of the configuration', () => {
  expect(page).toMatch(/\| Registry \| .*\n\| Config \| .*\n\| Implement \| /);
  for (const file of ['config.schema.yaml', 'ability_impl.schema.yaml', 'hook_impl.schema.yaml']) {
    expect(page).toContain(file);
  }
});

test('its tables match the current formats; `npm run schemas` writes them', async () => {
  const { renderDefinitions } = (await import(join(ROOT, 'scripts/render-definitions.mjs'))) as Renderer;
  const formats = Object.values(FORMATS).map((format) => ({ file: format.file, schema: schemaOf(format) }));
  expect(renderDefinitions(page, formats)).toBe(page);
});

describe('its example', () => {
  /** The first example after the table of each format. */
  const examples = [...page.matchAll(/<!-- fields:([a-z-]+)[^>]*-->[\s\S]*?```yaml\n([\s\S]*?)```/g)];
  const formatOf = (name: string): FormatName =>
    (Object.keys(FORMATS) as FormatName[]).find((key) => FORMATS[key].file === `${name}.schema.yaml`) as FormatName;

  test('exists for each format', () => {
    expect(examples.map(([, name]) => formatOf(name as string)).sort()).toEqual(Object.keys(FORMATS).sort());
  });

  test.each(examples.map(([, name, yaml]) => [name as string, yaml as string]))('for %s is valid', (name, yaml) => {
    const source = readYaml('x.yaml', yaml);
    if (isProblem(source)) throw new Error(source.message);
    expect(checkFormat(FORMATS[formatOf(name)].format, source)).toHaveProperty('value');
  });
});
