import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { refuseMissing, startOf, wordsToRun } from '../../../../src/planning/scripts/interpreter.js';
import { EnvironmentVariables } from '../../../../src/planning/secrets/secret-source.js';
import { errorOf } from '../../error-of.js';
import { temporaryProject } from '../../temporary-project.js';

const wordsOf = (text: string | Buffer, real = 's.sh') => wordsToRun({ real, start: startOf(Buffer.from(text)) }, real);
const long = (length: number) => `#!/bin/bash -${'x'.repeat(length - 13)}`;

describe('the first line of a script', () => {
  test.each([
    ['#!/bin/bash\n[[ a ]]\n', ['/bin/bash']],
    ['#!/bin/bash -e\n', ['/bin/bash', '-e']],
    ['#!/bin/sh', ['/bin/sh']],
    ['#! \t/bin/sh \t-e  -u \t\n', ['/bin/sh', '-e  -u']],
    ['#!/usr/bin/env bun\n', ['/usr/bin/env', 'bun']],
    ['#!/usr/bin/env -S deno run -A\n', ['/usr/bin/env', '-S deno run -A']],
    ['#!/usr/bin/env -iS A=1 -u B python3 -u\n', ['/usr/bin/env', '-iS A=1 -u B python3 -u']],
    ['#!/usr/bin/env -S A="1 2" python3\n', ['/usr/bin/env', '-S A="1 2" python3']],
    ['#!tools/run é\n', ['tools/run', 'é']],
    ['\x7fELF\x02', []],
    [long(255), ['/bin/bash', `-${'x'.repeat(242)}`]],
    ['#!/bin/bash\n\r\n', ['/bin/bash']],
  ])('%j wins over the extension, with its options as one argument, as on Linux', (text, words) => {
    expect(wordsOf(text, 's.mjs')).toEqual(words);
  });

  test.each([
    ['#!/bin/bash\r\n', /Windows line ending/],
    ['#!/usr/bin/env python3\r\n', /Windows line ending/],
    ['#!/bin/b\0sh\n', /zero byte/],
    ['\ufeff#!/bin/bash\n', /byte order mark/],
    [Buffer.from('\ufeff#!/bin/bash\n', 'utf16le'), /byte order mark/],
    ['#!\n', /names no program/],
    ['#! \t\n', /names no program/],
    ['#!bash\n', /names bash without a folder; write `\/usr\/bin\/env bash`/],
    [`${long(256)}\n`, /longer than 255 bytes/],
    [long(256), /longer than 255 bytes/],
    ['#!/usr/bin/env\n', /no other program/],
    ['#!/usr/bin/env python3 -u\n', /need `env -S`/],
    ['#!/usr/bin/env A=1 python3\n', /need `env -S`/],
    ['#!/usr/bin/env A=1\n', /no other program/],
    ['#!/usr/bin/env -i\n', /no other program/],
    ['#!/usr/bin/env -S\n', /no other program/],
    ['#!/usr/bin/env -S A=1 -u B\n', /no other program/],
  ])('%j is refused: another program would run it, or none', (text, message) => {
    expect(errorOf(() => wordsOf(text))).toMatchObject({
      code: 'script.not_executable',
      message: expect.stringMatching(message),
    });
  });

  test.each(['', '\n#!/bin/bash\n', ' #!/bin/bash\n', '# !/bin/bash\n'])(
    '%j is none, and the extension decides',
    (text) => {
      expect(wordsOf(text)).toEqual(['sh']);
      expect(errorOf(() => wordsOf(text, 's.rb')).code).toBe('script.not_executable');
    },
  );
});

describe('a program that is not on this machine is refused', () => {
  const project = () => {
    const made = temporaryProject({ 'bin/own': '#!/bin/sh\n', 'bin/other': 'x', 'folder/x': 'x' });
    chmodSync(join(made.root, 'bin/other'), 0o644);
    return made.root;
  };
  const env = { pass: ['PATH'], set: {}, secrets: {} };
  const location = { file: 'f', line: 1, column: 1 };
  const ask = (words: string[], script: Parameters<typeof refuseMissing>[1] = { env }) => {
    const root = project();
    return () => refuseMissing(words, script, { root, path: 's', location }, new EnvironmentVariables(root, 'dev'));
  };

  test.each([
    [['/no/such/bash'], '/no/such/bash'],
    [['no-such-program', '-u'], 'no-such-program'],
    [['/usr/bin/env', 'no-such-program'], 'no-such-program'],
    [['/usr/bin/env', '-S A=1 -u B no-such-program sh'], 'no-such-program'],
    [['/usr/bin/env', '-S', 'no-such-program', 'run'], 'no-such-program'],
    [['bin/other'], 'bin/other'],
    [['./folder'], './folder'],
  ])('%j', (words, program) => {
    expect(errorOf(ask(words))).toMatchObject({
      code: 'config.missing_program',
      location,
      message: `${program}, which s needs to run, is not a program of this machine`,
    });
  });

  test.each([[['sh']], [['/bin/sh', '-e']], [['/usr/bin/env', 'sh']], [['bin/own']], [['{pinned}/bin/other']], [[]]])(
    'not %j',
    (words) => expect(ask(words)).not.toThrow(),
  );

  test('is looked for on the PATH that the script gets, if that is known', () => {
    const set = (more: object) => ({ env: { ...env, ...more } });
    expect(ask(['own'])).toThrow();
    expect(ask(['own'], set({ set: { PATH: 'bin' } }))).not.toThrow();
    expect(ask(['sh'], set({ set: { PATH: '/nowhere' } }))).toThrow();
    expect(ask(['sh'], set({ pass: [] }))).not.toThrow();
    expect(ask(['any'], set({ secrets: { PATH: 'env:P' } }))).not.toThrow();
    expect(ask(['any'], { env, variables: { PATH: '{pinned}/bin' } })).not.toThrow();
    expect(ask(['/usr/bin/env', '-S PATH=/x any'])).not.toThrow();
  });
});
