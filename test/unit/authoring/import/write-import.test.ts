import { existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writeImport } from '../../../../src/authoring/import/write-import.js';
import { errorOf } from '../../error-of.js';
import { temporaryProject } from '../../temporary-project.js';

test('nothing is written through a link out of the project, and what to do is said of the link', () => {
  const { root } = temporaryProject();
  const outside = temporaryProject();
  rmSync(join(root, 'registry'), { recursive: true, force: true });
  mkdirSync(join(root, 'registry'));
  symlinkSync(outside.root, join(root, 'registry/low-level'));
  const path = join(root, 'registry/low-level/a.yaml');
  const error = errorOf(() => writeImport({ root, writes: [{ path, text: 'a: 1\n', before: null }] }));
  expect(error).toMatchObject({
    code: 'import.write_failed',
    message: expect.stringContaining('registry/low-level is a link that leads out of the project'),
    suggestion: expect.stringContaining('Replace the link'),
  });
  expect(existsSync(join(outside.root, 'a.yaml'))).toBe(false);
});
