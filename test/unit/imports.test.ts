import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { forbiddenImports, importCircles, runtimeImports } from './check-imports.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const files = readdirSync(`${ROOT}/src`, { recursive: true, encoding: 'utf8' })
  .map((name) => `src/${name.replaceAll('\\', '/')}`)
  .filter((name) => /\.tsx?$/.test(name))
  .sort();
const textOf = (file: string): string => readFileSync(`${ROOT}/${file}`, 'utf8');

describe('the source tree', () => {
  test('has files to check', () => {
    expect(files.length).toBeGreaterThan(100);
  });

  test('has no import that docs/architecture.md does not show', () => {
    expect(files.flatMap((file) => forbiddenImports(file, textOf(file)))).toEqual([]);
  });

  test('has only known rooms', () => {
    const rooms = new Set(files.map((file) => file.split('/')[1]));
    const known =
      'activities authoring choosing client contracts definitions disk doors kinds lint models operations page planning rules server shown testing text tracing worker workflows';
    expect([...rooms].filter((room) => !known.split(' ').includes(room ?? ''))).toEqual([]);
  });

  test("imports internals of Temporal's packages in three places, and those packages are pinned exactly", () => {
    const deep = files.flatMap((file) =>
      runtimeImports(textOf(file))
        .filter(({ specifier }) => /^@temporalio\/\w+\//.test(specifier))
        .map(({ specifier }) => `${file}: ${specifier}`),
    );
    // Each is there because there is no public form; check them when the SDK is updated.
    expect(deep).toEqual([
      'src/client/list/list-tasks.ts: @temporalio/client/lib/helpers.js',
      'src/testing/open-bench.ts: @temporalio/client/lib/connection.js',
      'src/worker/replay/read-history-file.ts: @temporalio/common/lib/proto-utils.js',
    ]);
    const { dependencies } = JSON.parse(textOf('package.json')) as { dependencies: Record<string, string> };
    const loose = Object.entries(dependencies).filter(
      ([name, range]) => /^@temporalio\//.test(name) && !/^\d/.test(range),
    );
    expect(loose).toEqual([]);
  });

  test('has no cycle of files, including type imports', () => {
    expect(importCircles(new Map(files.map((file) => [file, textOf(file)])))).toEqual([]);
  });

  test('has no file of logic over 400 lines', () => {
    expect(files.filter((file) => textOf(file).trimEnd().split('\n').length > 400)).toEqual([]);
  });

  test('joins signals without AbortSignal.any, which would retain their listeners', () => {
    const joined = files.filter((file) => /AbortSignal\.any\(/.test(textOf(file)));
    expect(joined).toEqual([]);
  });

  test('has kebab-case files named after the one thing they hold', () => {
    const names = files.flatMap((file) => file.split('/').slice(1));
    expect(names.filter((name) => !/^[a-z0-9]+(-[a-z0-9]+)*(\.tsx?)?$/.test(name))).toEqual([]);
    const vague = /^(utils?|helpers?|commons?|managers?|misc)$/;
    expect(names.filter((name) => name.split(/[-.]/).some((word) => vague.test(word)))).toEqual([]);
  });
});

describe('the check', () => {
  test.each([
    ['src/contracts/x.ts', "import { z } from 'zod';"],
    ['src/contracts/x.ts', "import { glob } from '../text/glob.js';"],
    ['src/workflows/x.ts', "import { writeWhole } from '../disk/write-whole.js';"],
    ['src/disk/x.ts', "import { takeLock } from '../server/lock.js';"],
    ['src/rules/x.ts', "import { readFileSync } from 'node:fs';"],
    ['src/kinds/api/x.ts', "import { readFileSync } from 'node:fs';"],
    ['src/kinds/api/x.ts', "import { isHostAllowed } from '../../rules/calls/allowed-hosts.js';"],
    ['src/kinds/api/kind.ts', "import { resolveApiSection } from './resolve.js';"],
    ['src/kinds/api/resolve.ts', "import { callApi } from './call/call-api.js';"],
    ['src/kinds/api/lint.ts', "import { planKind } from '../../authoring/scaffold/plan-kind.js';"],
    ['src/rules/x.ts', "import { callApi } from '../kinds/api/call/call-api.js';"],
    ['src/client/x.ts', "import { callApi } from '../kinds/api/call/call-api.js';"],
    ['src/rules/x.ts', "import { load } from '../definitions/load-registry.js';"],
    ['src/workflows/x.ts', "import { createHash } from 'node:crypto';"],
    ['src/workflows/x.ts', "import Ajv from 'ajv';"],
    ['src/workflows/x.ts', "import { Context } from '@temporalio/activity';"],
    ['src/workflows/steps/x.ts', "import { seal } from '../../planning/hooks/resolve-hooks.js';"],
    ['src/definitions/x.ts', "import { seal } from '../planning/hooks/resolve-hooks.js';"],
    ['src/planning/x.ts', "import { call } from '../activities/call.js';"],
    ['src/activities/x.ts', "import { takeLock } from '../server/lock.js';"],
    ['src/server/x.ts', "import { connect } from '../client/connect.js';"],
    ['src/client/x.ts', "import { load } from '../definitions/load-registry.js';"],
    ['src/worker/x.ts', "import { connect } from '../client/connect.js';"],
    ['src/worker/x.ts', "import { main } from '../doors/cli/main.js';"],
    ['src/testing/x.ts', "import { task } from '../workflows/task.js';"],
    ['src/testing/x.ts', "import { main } from '../doors/cli/main.js';"],
    ['src/worker/x.ts', "import { runCase } from '../testing/run-case.js';"],
    ['src/doors/cli/x.ts', "import { call } from '../../activities/call.js';"],
    ['src/doors/cli/x.ts', "export { task } from '../../workflows/task.js';"],
    ['src/doors/cli/x.ts', "const { call } = await import('../../activities/call.js');"],
    ['src/doors/mcp/x.ts', "import { main } from '../cli/main.js';"],
    ['src/doors/library/x.ts', "import { openHttpDoor } from '../http/open-http-door.js';"],
    ['src/operations/x.ts', "import { main } from '../doors/cli/main.js';"],
    ['src/client/x.ts', "import '../definitions/load-registry.js';"],
    ['src/client/x.ts', "export * from '../definitions/load-registry.js';"],
    ['src/client/x.ts', "import {\n  type A,\n  b,\n} from '../definitions/load-registry.js';"],
    ['src/client/x.ts', "import { type A } from '../definitions/load-registry.js';"],
    ['src/client/x.ts', "import * as all from '../definitions/load-registry.js';"],
  ])('catches in %s: %s', (file, source) => {
    expect(forbiddenImports(file, source)).toHaveLength(1);
  });

  test.each([
    ['src/client/x.ts', "import type { Registry } from '../definitions/registry.js';"],
    ['src/client/x.ts', "import type {\n  A,\n  B,\n} from '../definitions/registry.js';"],
    ['src/client/x.ts', "export type { Registry } from '../definitions/registry.js';"],
    ['src/contracts/x.ts', "import { EXIT } from './exit-codes.js';"],
    ['src/rules/x.ts', "import { kindOf } from '../kinds/kinds.js';"],
    ['src/kinds/api/call/x.ts', "import { readFileSync } from 'node:fs';"],
    ['src/kinds/api/scaffold.ts', "import { resolveForm } from './resolve-form.js';"],
    ['src/choosing/x.ts', "import { writeWhole } from '../disk/write-whole.js';"],
    ['src/rules/expressions/x.ts', "import { AbilityError } from '../../contracts/problem.js';"],
    ['src/workflows/x.ts', "import { sleep } from '@temporalio/workflow';\nimport { glob } from '../text/glob.js';"],
    ['src/doors/cli/x.ts', "const { connect } = await import('../../client/index.js');"],
    ['src/doors/cli/x.ts', 'load(() => import(`./commands/${verdict}.js`));'],
    ['src/worker/x.ts', "import { readFileSync } from 'node:fs';"],
  ])('accepts in %s: %s', (file, source) => {
    expect(forbiddenImports(file, source)).toEqual([]);
  });

  test('finds cycles, including those of types alone and over several files', () => {
    const sources = new Map([
      ['src/rules/a.ts', "import type { B } from './b.js';"],
      ['src/rules/b.ts', "import { c } from './deep/c.js';"],
      ['src/rules/deep/c.ts', "export { a } from '../a.js';"],
      ['src/rules/d.ts', "import { a } from './a.js';"],
    ]);
    expect(importCircles(sources)).toEqual([
      'src/rules/a.ts -> src/rules/b.ts -> src/rules/deep/c.ts -> src/rules/a.ts',
    ]);
  });

  test('reports the location', () => {
    const source = "import { sleep } from '@temporalio/workflow';\n\nimport { createHash } from 'node:crypto';\n";
    expect(forbiddenImports('src/workflows/x.ts', source)).toEqual(['src/workflows/x.ts:3 imports node:crypto']);
  });

  test('refuses an import that it cannot read instead of ignoring it', () => {
    expect(() => runtimeImports('import { x } from "double-quoted";')).toThrow(/line 1 cannot be read/);
  });
});
