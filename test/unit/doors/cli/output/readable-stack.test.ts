import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readableStack } from '../../../../../src/doors/cli/output/readable-stack.js';

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'ability-stack-'));
  // Line 1, column 4 of the bundle is line 7, column 3 of the source; what a bundler writes, by hand.
  const map = { version: 3, sources: ['../client/connect.js'], names: [], mappings: 'GAME', file: 'chunk.js' };
  writeFileSync(join(folder, 'chunk.js.map'), JSON.stringify(map));
  writeFileSync(join(folder, 'broken.js.map'), '{');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('a stack names the places of the sources where it named those of the bundle', () => {
  const url = `${pathToFileURL(join(folder, 'chunk.js'))}`;
  const path = join(folder, 'chunk.js');
  expect(readableStack(`Error: it broke\n    at a (${url}:1:4)\n    at ${path}:1:9`)).toBe(
    'Error: it broke\n    at a (client/connect.js:7:3)\n    at client/connect.js:7:3',
  );
});

test('a place without a map, or with one that is broken, stays as it was', () => {
  const stack = `Error: x\n    at b (${join(folder, 'other.js')}:3:5)\n    at c (${join(folder, 'broken.js')}:1:1)\n    at node:internal/x:1:1`;
  expect(readableStack(stack)).toBe(stack);
});
