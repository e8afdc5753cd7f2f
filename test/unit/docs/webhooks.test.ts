import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CODES } from '../../../src/contracts/codes.js';
import { checkFormat } from '../../../src/definitions/check-format.js';
import { triggers } from '../../../src/definitions/formats/schedules-and-triggers.js';
import { FORMATS } from '../../../src/definitions/schemas/schema-files.js';
import { isProblem, readYaml } from '../../../src/definitions/yaml-source.js';
import { statusOf } from '../../../src/doors/http/http-problem.js';
import { findingsOf } from '../lint/lint-case.js';

const page = readFileSync(join(import.meta.dirname, '../../../docs/webhooks.md'), 'utf8');
const [, yaml = ''] = /```yaml\n(id: [\s\S]*?)```/.exec(page) ?? [];

describe('docs/webhooks.md', () => {
  test('its definition is valid', () => {
    const file = 'registry/high-level/review.yaml';
    const source = readYaml(file, yaml);
    if (isProblem(source)) throw new Error(source.message);
    expect(checkFormat(FORMATS['high-level'].format, source)).toHaveProperty('value.triggers.0.webhook', 'forge');
    expect(findingsOf({ files: { [file]: yaml } })).toEqual([]);
  });

  test('names each key of a trigger, and no other', () => {
    const [, table = ''] = /\| Key of `triggers` \|[^\n]*\n\|---\|---\|\n([\s\S]*?)\n\n/.exec(page) ?? [];
    const documented = [...table.matchAll(/^\| `(\w+)` \|/gm)].map(([, key]) => key);
    expect(documented.sort()).toEqual(Object.keys(triggers.element.shape).sort());
  });

  test('gives each code the status of its response', () => {
    const rows = [...page.matchAll(/^\| (\d{3}) \| (`[a-z]+\.[^|]*) \|/gm)];
    const documented = rows.flatMap(([, status, codes = '']) =>
      [...codes.matchAll(/`([a-z_]+\.[a-z_]+)`/g)].map(([, code = '']) => [code, Number(status)] as const),
    );
    expect(documented.length).toBeGreaterThan(5);
    for (const [code, status] of documented)
      expect([code, code in CODES, statusOf(code)]).toEqual([code, true, status]);
  });
});
