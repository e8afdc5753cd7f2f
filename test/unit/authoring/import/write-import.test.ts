import { existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writeTogetherOr } from '../../../../src/authoring/write-together.js';
import { errorOf } from '../../error-of.js';
import { temporaryProject } from '../../temporary-project.js';

test('nothing is written through a link out of the project, and what to do is said of the link', () => {
  const { root } = temporaryProject();
  const outside = temporaryProject();
  rmSync(join(root, 'registry'), { recursive: true, force: true });
  mkdirSync(join(root, 'registry'));
  symlinkSync(outside.root, join(root, 'registry/low-level'));
  const error = errorOf(() =>
    writeTogetherOr('import.write_failed', root, [{ path: 'registry/low-level/a.yaml', content: 'a: 1\n' }]),
  );
  expect(error).toMatchObject({
    code: 'import.write_failed',
    message: expect.stringContaining('registry/low-level/a.yaml would be written outside the project, through a link'),
    suggestion: expect.stringContaining('Replace the link'),
  });
  expect(existsSync(join(outside.root, 'a.yaml'))).toBe(false);
});
