import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { findScripts } from '../../../../src/authoring/harvest/find-scripts.js';
import { RegistryLoader } from '../../../../src/definitions/load-registry.js';
import { makeProject, projectFile } from '../../../fixtures/project-folder.js';

const PLACE = 'modules/users/workdocs/outcomes/scripts';
const PYTHON = '#!/usr/bin/env python3\n"""Counts users without a mail address."""\nprint(1)\n';
const project = makeProject({
  'ability.yaml': projectFile(),
  [`${PLACE}/count-users.py`]: PYTHON,
  [`${PLACE}/count-users-copy.py`]: PYTHON.replaceAll('\n', '\r\n'),
  [`${PLACE}/seed.sh`]: '#!/bin/sh\n# Author: me\n# Seeds ten users for a test.\nset -eu\n',
  [`${PLACE}/silent.mjs`]: 'console.log(1);\n',
  [`${PLACE}/notes.md`]: 'no script\n',
  [`${PLACE}/nested/deep.sh`]: '# not directly in scripts\n',
  'modules/users/modular_mannual.md':
    '# Users\n\n| Script | What for |\n|---|---|\n| `seed.sh` | seeding |\n| xcount-users.py | other |\n',
  'workdocs/scripts/top.sh': '# Does something at the top.\n',
  'modules/users/workdocs/scripts.sh': '# in no folder of scripts\n',
  'node_modules/other/workdocs/scripts/theirs.sh': '# theirs\n',
  'registry/low-level/user.seed.yaml': [
    'operation_key: user.seed',
    'version: 1',
    'summary: Seed users.',
    'effects: write_additive',
    'implementation:',
    '  kind: script',
    `  script: { path: ${PLACE}/seed.sh }`,
  ].join('\n'),
});
afterAll(() => project.remove());
const at = (name: string): string => join(project.root, PLACE, name);
writeFileSync(at('binary'), Buffer.from([0x7f, 0x45, 0, 1, 2]), { mode: 0o755 });
for (const name of ['.DS_Store', 'data.csv', 'old.sh~']) writeFileSync(at(name), 'no script');
writeFileSync(at('binary.dat'), Buffer.from([0x7f, 0x45, 0, 1, 2]));
writeFileSync(at('huge.sh'), `# Is too large.\n${'x'.repeat(1024 * 1024)}`);
symlinkSync('/etc/passwd', at('linked.sh'));

test('finds the scripts of modules with their summaries, where they are documented, and which abilities use them (R-000-90, R-000-92)', () => {
  const { scripts: found, unread } = findScripts(new RegistryLoader(project.root, {}).load());
  expect(unread).toEqual([]);
  expect(found).toEqual([
    { path: `${PLACE}/binary`, is_text: false, summary: null, documented: null, abilities: [], same_as: [], uses: [] },
    {
      path: `${PLACE}/count-users-copy.py`,
      is_text: true,
      summary: 'Counts users without a mail address.',
      documented: null,
      abilities: [],
      uses: [],
      same_as: [`${PLACE}/count-users.py`],
    },
    {
      path: `${PLACE}/count-users.py`,
      is_text: true,
      summary: 'Counts users without a mail address.',
      documented: null,
      abilities: [],
      uses: [],
      same_as: [`${PLACE}/count-users-copy.py`],
    },
    { path: `${PLACE}/huge.sh`, is_text: false, summary: null, documented: null, abilities: [], same_as: [], uses: [] },
    {
      path: `${PLACE}/seed.sh`,
      is_text: true,
      summary: 'Seeds ten users for a test.',
      documented: { path: 'modules/users/modular_mannual.md', line: 5 },
      abilities: ['user.seed'],
      same_as: [],
      uses: [],
    },
    {
      path: `${PLACE}/silent.mjs`,
      is_text: true,
      summary: null,
      documented: null,
      abilities: [],
      same_as: [],
      uses: [],
    },
    {
      path: 'workdocs/scripts/top.sh',
      is_text: true,
      summary: 'Does something at the top.',
      documented: null,
      abilities: [],
      uses: [],
      same_as: [],
    },
  ]);
});
