import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { EXIT } from '../../../src/contracts/states.js';
import { checkFormat } from '../../../src/definitions/check-format.js';
import { FORMATS } from '../../../src/definitions/schemas/schema-files.js';
import { isProblem, readYaml } from '../../../src/definitions/yaml-source.js';
import { buildProgram } from '../../../src/doors/cli/program/program.js';

const page = readFileSync(join(import.meta.dirname, '../../../docs/schedules.md'), 'utf8');

describe('docs/schedules.md', () => {
  test('its definition is valid', () => {
    const [, yaml = ''] = /```yaml\n(id: [\s\S]*?)```/.exec(page) ?? [];
    const source = readYaml('registry/high-level/backup.yaml', yaml);
    if (isProblem(source)) throw new Error(source.message);
    expect(checkFormat(FORMATS['high-level'].format, source)).toHaveProperty('value.schedules.0.catch_up', '6h');
  });

  test('names each option that only `create` has', () => {
    const program = buildProgram({ env: {}, terminal: { print: () => {}, width: () => 80 } } as never, {
      exit: EXIT.ok,
    });
    const create = program.commands
      .find((command) => command.name() === 'schedule')
      ?.commands.find((command) => command.name() === 'create');
    const shared = new Set(program.options.map(({ long }) => long));
    const own = create?.options.map(({ long }) => long).filter((long) => !shared.has(long)) ?? [];
    expect(own.length).toBeGreaterThan(5);
    expect(own.filter((long) => !page.includes(`\`${long}\``))).toEqual([]);
  });
});
