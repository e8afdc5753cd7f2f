import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { afterAll, beforeAll, expect, test } from 'vitest';

const ACTIVATOR = 'return globalThis.__TEMPORAL_ACTIVATOR__';
const ERROR = 'return globalThis.Error';
const limit = Error.stackTraceLimit;
const world = globalThis as { __TEMPORAL_ACTIVATOR__?: unknown };
/** The way in which the SDK's hooks get the compiler of the world of a promise. */
const ask = (text: string): unknown =>
  (Promise.resolve().constructor.constructor as (text: string) => () => unknown)(text)();

beforeAll(async () => {
  await import('../../../src/workflows/no-stack-traces.js');
});
afterAll(() => {
  Reflect.deleteProperty(Promise, 'constructor');
  Reflect.deleteProperty(world, '__TEMPORAL_ACTIVATOR__');
  Error.stackTraceLimit = limit;
});

test('the hooks of promises find the current workflow without compiling', () => {
  expect(ask(ACTIVATOR)).toBeUndefined();
  world.__TEMPORAL_ACTIVATOR__ = { of: 'this run' };
  expect(ask(ACTIVATOR)).toEqual({ of: 'this run' });
});

test('the hooks of promises find no stack to look up', () => {
  const Found = ask(ERROR) as new () => { stack?: string };
  expect(new Found().stack).toBeUndefined();
});

test('any other code is compiled as before', () => {
  expect(ask('return 1 + 1')).toBe(2);
});

test('the SDK uses exactly these texts', () => {
  const { resolve } = createRequire(import.meta.url);
  const hooks = readFileSync(resolve('@temporalio/worker').replace(/index\.js$/, 'workflow/vm-shared.js'), 'utf8');
  for (const words of [ACTIVATOR, ERROR]) expect(hooks).toContain(`('${words}')()`);
});
