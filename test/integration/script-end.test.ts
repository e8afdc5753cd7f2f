import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cancelTask } from '../../src/client/index.js';
import type { JsonObject } from '../../src/contracts/json.js';
import { EXIT_OF_STATE } from '../../src/contracts/states.js';
import { markOf } from '../../src/server/processes/processes.js';
import { type RunningProject, runProject } from '../fixtures/running-project.js';
import { scriptAbility } from '../fixtures/servers/definitions.js';

let project: RunningProject;
let counter = 0;

beforeAll(async () => {
  project = await runProject({});
});
afterAll(() => project.stop());

/** Defines an ability with a Node script, which notes process ids in files and has one second. */
function define(body: string, more: JsonObject = {}, script: JsonObject = {}): string {
  counter += 1;
  const [key, path] = [`x.case_${counter}`, `scripts/case-${counter}.mjs`];
  const content = [
    "import { spawn } from 'node:child_process';",
    "import { writeFileSync } from 'node:fs';",
    'const note = (name, pid = process.pid) => writeFileSync(name, String(pid));',
    'const forever = () => setInterval(() => {}, 1000);',
    'void spawn, forever;',
    body,
  ].join('\n');
  const limits = { args: [], timeout_sec: 1, ...script };
  project.write(scriptAbility(key, path, content, { script: limits, more: { effects: 'write_additive', ...more } }));
  return key;
}

/** A program that never ends, and keeps open the pipes it inherits. */
const SLEEPER = 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000);';
const pidIn = (name: string) => Number(readFileSync(join(project.root, name), 'utf8'));
const exists = (name: string) => existsSync(join(project.root, name));
const isRunning = (name: string) => markOf(pidIn(name)) !== undefined;

describe('a script that takes too long', () => {
  test('is stopped, and is unknown if it had started and may not be repeated', async () => {
    const result = await project.run(define('console.error("at work"); note("slow.pid"); forever();'));
    expect(result).toMatchObject({
      status: 'unknown',
      error: { code: 'outcome.unknown', details: { seen: { code: 'timeout.call' } } },
      steps: [{ status: 'unknown', attempts: 1 }],
    });
    expect(result.error?.message).toMatch(/1000 ms[\s\S]*at work/);
    expect(result.error?.suggestion).toMatch(/Check by hand/);
    expect(EXIT_OF_STATE[result.status]).toBe(8);
    expect(isRunning('slow.pid')).toBe(false);
  });

  test('is timeout.call if it may be repeated, and is repeated', async () => {
    const key = define('forever();', { effects: 'write_idempotent' }, { timeout_sec: 0.5 });
    const result = await project.run(key);
    expect(result).toMatchObject({ status: 'failed', error: { code: 'timeout.call' }, steps: [{ attempts: 3 }] });
  });

  test('is killed with its whole process group, even if all of it ignores SIGTERM', async () => {
    const body = [
      'process.on("SIGTERM", () => {});',
      `const child = spawn(process.execPath, ['-e', ${JSON.stringify(SLEEPER)}], { stdio: 'inherit' });`,
      'note("stubborn.pid"); note("stubborn-child.pid", child.pid); forever();',
    ].join('\n');
    const started = performance.now();
    expect(await project.run(define(body))).toMatchObject({ status: 'unknown' });
    expect(performance.now() - started).toBeLessThan(8000);
    await expect.poll(() => isRunning('stubborn.pid') || isRunning('stubborn-child.pid')).toBe(false);
  });

  test('may end by itself on SIGTERM, but does not count as a success', async () => {
    const body = 'process.on("SIGTERM", () => { console.log("1"); note("terminated"); process.exit(0); }); forever();';
    expect(await project.run(define(body))).toMatchObject({ status: 'unknown' });
    expect(exists('terminated')).toBe(true);
  });
});

describe('a child in the background', () => {
  test('that keeps stdout open does not hold up the call, and is killed with it', async () => {
    const body = [
      `const child = spawn(process.execPath, ['-e', ${JSON.stringify(SLEEPER)}], { stdio: 'inherit' });`,
      'note("left-behind.pid", child.pid); child.unref(); console.log(1);',
    ].join('\n');
    const result = await project.run(define(body, {}, { timeout_sec: 20 }));
    expect(result).toMatchObject({ status: 'succeeded', output: 1 });
    await expect.poll(() => isRunning('left-behind.pid')).toBe(false);
  });

  test('that left the process group and keeps stdout open does not hold up the call either', async () => {
    const body = [
      `const child = spawn(process.execPath, ['-e', ${JSON.stringify(SLEEPER)}], { stdio: 'inherit', detached: true });`,
      'note("daemon.pid", child.pid); child.unref(); console.log(1);',
    ].join('\n');
    const { id } = await project.create(define(body, {}, { timeout_sec: 2 }));
    const end = await project.wait(id, { timeoutMs: 20_000 });
    // Where processes cannot be inspected, it keeps running: docs/operations.md.
    if (isRunning('daemon.pid')) process.kill(pidIn('daemon.pid'), 'SIGKILL');
    expect(end).toMatchObject({ kind: 'ended', result: { status: 'succeeded', output: 1 } });
  });
});

describe('a cancellation', () => {
  test('reaches a running script within five seconds', async () => {
    const key = define('note("cancelled.pid"); forever();', { effects: 'read' }, { timeout_sec: 60 });
    const { id } = await project.create(key);
    await expect.poll(() => exists('cancelled.pid'), { timeout: 20_000 }).toBe(true);
    const started = performance.now();
    await cancelTask(project.connection, id);
    await expect.poll(() => isRunning('cancelled.pid'), { timeout: 10_000 }).toBe(false);
    expect(performance.now() - started).toBeLessThan(5000);
    expect(await project.wait(id)).toMatchObject({ result: { status: 'cancelled', steps: [{ status: 'cancelled' }] } });
  });

  test('of a script that may not be repeated is reported as an unknown outcome', async () => {
    const { id } = await project.create(define('note("halfway.pid"); forever();', {}, { timeout_sec: 60 }));
    await expect.poll(() => exists('halfway.pid'), { timeout: 20_000 }).toBe(true);
    await cancelTask(project.connection, id);
    expect(await project.wait(id)).toMatchObject({
      result: { status: 'unknown', error: { code: 'outcome.unknown' }, steps: [{ status: 'unknown' }] },
    });
  });
});
