import { expect, test } from 'vitest';
import { interpreterFiles } from '../../../../src/planning/scripts/resolve-script.js';
import { ProjectFiles } from '../../../../src/planning/scripts/script-files.js';
import { makeProject } from '../../../fixtures/project-folder.js';

test.each([
  [['node'], ['node'], []],
  [['./tools/run', 'node'], ['{pinned}/tools/run', 'node'], ['tools/run']],
  [['node', '--import', './tools/a.mjs'], ['node', '--import', '{pinned}/tools/a.mjs'], ['tools/a.mjs']],
  [['node', '--import=tools/a.mjs'], ['node', '--import={pinned}/tools/a.mjs'], ['tools/a.mjs']],
  [['sh', 'tools/run'], ['sh', 'tools/run'], []],
  [['npx', 'run', './gone.mjs', '/etc/gone.sh'], ['npx', 'run', './gone.mjs', '/etc/gone.sh'], []],
])('in %j, code of the project is run as it was pinned', (words, pinned, files) => {
  const project = makeProject({ node: '', run: '', 'tools/run': '#!/bin/sh\n', 'tools/a.mjs': '' });
  try {
    const found = interpreterFiles(new ProjectFiles(project.root), words);
    expect([found.words, found.files.map(({ path }) => path)]).toEqual([pinned, files]);
  } finally {
    project.remove();
  }
});
