import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { meaningOf } from '../../../../src/contracts/codes.js';
import type { RecruitmentResult } from '../../../../src/contracts/routing.js';
import { EXIT } from '../../../../src/contracts/states.js';
import { generateId } from '../../../../src/server/generate-id.js';
import { beginRun, type NewRun, removeOldRuns } from '../../../../src/server/logs/run-log.js';
import { pathsOf } from '../../../../src/server/project-paths.js';
import { errorOf } from '../../error-of.js';
import { temporaryProject } from '../../temporary-project.js';
import { compileForChildren } from '../compiled.js';

const disk = vi.hoisted(() => ({ isFull: false }));
vi.mock('node:fs', async (load) => {
  const real = await load<typeof import('node:fs')>();
  const full = (): never => {
    throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC', syscall: 'write' });
  };
  const writeFile: typeof real.writeFileSync = (...args) => (disk.isFull ? full() : real.writeFileSync(...args));
  return { ...real, writeFileSync: writeFile };
});
afterEach(() => {
  disk.isFull = false;
});

const RECRUITED: RecruitmentResult = {
  specialist_id: 'engineering',
  required_capabilities: ['code_execution'],
  routing_method: 'capability_routing',
};
const run = (id: string, more: Partial<NewRun> = {}): NewRun => ({
  id,
  request: 'a'.repeat(64),
  recruitment: RECRUITED,
  ...more,
});
const project = () => pathsOf(temporaryProject({}).root);

test('R-004-16, R-004-17, R-004-18: line 1 is the recruitment, with these keys and no others', () => {
  const paths = project();
  const before = Date.now() / 1000;
  const { log, isNew } = beginRun(paths, run('r-1'));
  expect(isNew).toBe(true);
  expect(log.file).toBe(join(paths.root, '.system/runs/r-1/runlog.jsonl'));
  const text = readFileSync(log.file, 'utf8');
  const { ts, ...line } = JSON.parse(text);
  expect(text).toBe(`${JSON.stringify({ ts, ...line })}\n`);
  expect(Object.keys(JSON.parse(text))).toEqual(['ts', 'kind', 'step', 'payload']);
  expect(ts).toBeGreaterThanOrEqual(before);
  expect(ts).toBeLessThan(before + 60);
  expect(line).toEqual({ kind: 'recruitment', step: null, payload: RECRUITED });
});

test('R-004-17: further lines are appended, with the same keys', () => {
  const { log } = beginRun(project(), run('r-1'));
  log.append('decision', null, { decision: 'workflow' });
  log.append('task', 'one', { task_key: 't-1' });
  const number = expect.any(Number);
  expect(log.read().slice(1)).toEqual([
    { ts: number, kind: 'decision', step: null, payload: { decision: 'workflow' } },
    { ts: number, kind: 'task', step: 'one', payload: { task_key: 't-1' } },
  ]);
});

describe('an id', () => {
  test('is generated so that ids sort by time, and is one that a caller could choose', () => {
    const ids = [generateId('r'), generateId('r'), generateId('r')];
    expect(ids).toEqual([...ids].sort());
    expect(ids[0]).toMatch(/^r-[0-9a-z]{26}$/);
    expect(beginRun(project(), run(ids[0] as string)).isNew).toBe(true);
  });

  test.each(['../x', '..', '.hidden', 'a/b', 'a\\b', '', 'a'.repeat(65), 'a\n', 'ü'])(
    '%j is not valid, and nothing is written',
    (id) => {
      const paths = project();
      expect(errorOf(() => beginRun(paths, run(id))).code).toBe('usage.invalid');
      expect(existsSync(paths.system)).toBe(false);
    },
  );

  test('that is used again refers to the same run, and its first line stays', () => {
    const paths = project();
    const first = beginRun(paths, run('key-1'));
    first.log.append('answer', null, {});
    const again = beginRun(paths, run('key-1', { recruitment: { ...RECRUITED, specialist_id: 'research' } }));
    expect(again.isNew).toBe(false);
    expect(again.log.read()).toEqual(first.log.read());
    expect(first.log.read()).toMatchObject([{ payload: RECRUITED }, { kind: 'answer' }]);
    expect(readdirSync(paths.runs)).toEqual(['key-1']);
  });

  test('with another request is refused', () => {
    const paths = project();
    beginRun(paths, run('key-1'));
    const error = errorOf(() => beginRun(paths, run('key-1', { request: 'b'.repeat(64) })));
    expect([error.code, meaningOf(error.code)?.exit]).toEqual(['runlog.key_conflict', EXIT.usage]);
  });
});

describe('a log that cannot be written', () => {
  test('does not begin the run on a full disk, and leaves nothing behind', () => {
    const paths = project();
    disk.isFull = true;
    const error = errorOf(() => beginRun(paths, run('r-1')));
    expect(error).toMatchObject({ code: 'runlog.write_failed', message: expect.stringContaining('the disk is full') });
    expect(meaningOf('runlog.write_failed')?.exit).toBe(EXIT.outOfOrder);
    expect(existsSync(paths.runs) ? readdirSync(paths.runs) : []).toEqual([]);
    disk.isFull = false;
    expect(beginRun(paths, run('r-1')).isNew).toBe(true);
  });

  test('is reported if its folder is not a folder, or contains something else', () => {
    const paths = project();
    mkdirSync(paths.system);
    writeFileSync(paths.runs, 'a file');
    expect(errorOf(() => beginRun(paths, run('r-1'))).code).toBe('runlog.write_failed');
    rmSync(paths.runs);
    mkdirSync(join(paths.runs, 'r-2'), { recursive: true });
    writeFileSync(join(paths.runs, 'r-2', 'other'), '');
    expect(errorOf(() => beginRun(paths, run('r-2'))).code).toBe('runlog.write_failed');
    writeFileSync(join(paths.runs, 'r-3'), '');
    expect(errorOf(() => beginRun(paths, run('r-3'))).code).toBe('runlog.write_failed');
  });

  test('is not begun again without its first line once it has been removed', () => {
    const { log } = beginRun(project(), run('r-1'));
    rmSync(log.folder, { recursive: true });
    expect(errorOf(() => log.append('plan', null, {})).code).toBe('runlog.write_failed');
    expect(existsSync(log.folder)).toBe(false);
  });

  test.skipIf(!existsSync('/dev/full'))('accepts no more lines on a full disk', () => {
    const { log } = beginRun(project(), run('r-1'));
    rmSync(log.file);
    symlinkSync('/dev/full', log.file);
    const error = errorOf(() => log.append('plan', null, {}));
    expect(error).toMatchObject({ code: 'runlog.write_failed', message: expect.stringContaining('the disk is full') });
  });

  test('does not lose the line after a torn one', () => {
    const { log } = beginRun(project(), run('r-1'));
    appendFileSync(log.file, '{"ts":1,"kind":"pl');
    log.append('plan', null, { calls: 1 });
    expect(log.read()).toMatchObject([{ kind: 'recruitment' }, { kind: 'plan', payload: { calls: 1 } }]);
  });
});

test('C-35: lines that two processes append at once are all complete', async () => {
  const { log } = beginRun(project(), run('r-1'));
  const compiled = compileForChildren('server/logs/run-log.ts');
  const appender = fileURLToPath(new URL('run-appender.mjs', import.meta.url));
  try {
    await Promise.all(
      ['a', 'b'].map((name) => execa(process.execPath, [appender, compiled.path, log.folder, name, '200'])),
    );
  } finally {
    rmSync(compiled.folder, { recursive: true });
  }
  const lines = readFileSync(log.file, 'utf8').split('\n').slice(0, -1);
  expect(lines).toHaveLength(401);
  const steps = lines.map((line) => JSON.parse(line).step);
  for (const name of ['a', 'b']) {
    const own = steps.filter((step) => step?.startsWith(name));
    expect(own).toEqual(Array.from({ length: 200 }, (_, at) => `${name}-${at}`));
  }
}, 30_000);

test('logs of runs without new lines for the specified time are removed, and no others', () => {
  const paths = project();
  expect(removeOldRuns(paths.runs, Date.now(), 1000)).toBe(0);
  const now = Date.now();
  const aged = (path: string, ms: number): void => utimesSync(path, (now - ms) / 1000, (now - ms) / 1000);
  for (const id of ['old', 'new', 'used']) aged(beginRun(paths, run(id)).log.file, id === 'new' ? 0 : 5000);
  beginRun(paths, run('used')).log.append('answer', null, {});
  mkdirSync(join(paths.runs, '.never-begun'));
  aged(join(paths.runs, '.never-begun'), 5000);
  writeFileSync(join(paths.runs, 'notes'), '');
  aged(join(paths.runs, 'notes'), 5000);
  symlinkSync(dirname(paths.runs), join(paths.runs, 'link'));
  expect(removeOldRuns(paths.runs, now, 3000)).toBe(2);
  expect(readdirSync(paths.runs).sort()).toEqual(['link', 'new', 'notes', 'used']);
});
