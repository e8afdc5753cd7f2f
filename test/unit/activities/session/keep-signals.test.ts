import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { keepSignals, keepUnknown } from '../../../../src/activities/session/keep-signals.js';
import type { HookAnswer } from '../../../../src/contracts/hooks.js';
import { makeProject, type ProjectFolder } from '../../../fixtures/project-folder.js';

const SIGNAL = { at: '2026-01-02T03:04:05.000Z', hook: 'hints', name: 'mood', value: 'calm' };
let project: ProjectFolder;
let other: ProjectFolder;

beforeEach(() => {
  project = makeProject();
  other = makeProject();
});
afterEach(() => {
  project.remove();
  other.remove();
});

test('R-002-47: a signal is written once, however often an activity is retried', () => {
  for (let attempt = 0; attempt < 2; attempt += 1) keepSignals(project.root, 'modules/users', 's-1', [SIGNAL]);
  const text = readFileSync(join(project.root, 'modules/users/workdocs/hook-signals.md'), 'utf8');
  expect(text.split('\n')).toEqual([expect.stringMatching(/^- 2026-01-02T03:04:05.000Z s-1 hints .*calm/), '']);
});

test('a scope that leads out of the project creates nothing there', () => {
  const scope = `../${basename(other.root)}/made`;
  expect(() => keepSignals(project.root, scope, 's-1', [SIGNAL])).toThrow(/leads out of the project/);
  expect(existsSync(join(other.root, 'made'))).toBe(false);
});

test('a folder or a file that is a link out of the project is not written through', () => {
  symlinkSync(other.root, join(project.root, 'linked'));
  expect(() => keepSignals(project.root, 'linked', 's-1', [SIGNAL])).toThrow(/leads out of the project/);
  mkdirSync(join(project.root, 'ops/workdocs'), { recursive: true });
  symlinkSync(join(other.root, 'ability.yaml'), join(project.root, 'ops/workdocs/hook-signals.md'));
  expect(() => keepSignals(project.root, 'ops', 's-1', [SIGNAL])).toThrow(/is no plain file/);
  expect(readFileSync(join(other.root, 'ability.yaml'), 'utf8')).not.toContain('calm');
});

test('without signals no file is created', () => {
  keepSignals(project.root, 'ops', 's-1', []);
  expect(existsSync(join(project.root, 'ops'))).toBe(false);
});

test('a new signal is added to the existing ones', () => {
  keepSignals(project.root, 'ops', 's-1', [SIGNAL]);
  keepSignals(project.root, 'ops', 's-1', [SIGNAL, { ...SIGNAL, value: 'wild' }]);
  const lines = readFileSync(join(project.root, 'ops/workdocs/hook-signals.md'), 'utf8').trim().split('\n');
  expect(lines).toEqual([expect.stringContaining('calm'), expect.stringContaining('wild')]);
});

// The signal is `{"mood":"..."}`, which is eleven characters longer than its text.
test.each([
  [1989, ''],
  [1990, '...'],
])('a signal with a text of %i characters ends with %j', (length, end) => {
  keepSignals(project.root, 'ops', 's-1', [{ ...SIGNAL, value: 'x'.repeat(length) }]);
  const text = readFileSync(join(project.root, 'ops/workdocs/hook-signals.md'), 'utf8').trimEnd();
  expect(/\.*$/.exec(text)?.[0]).toBe(end);
});

describe('the signals of the guards of a task', () => {
  const ANSWER: HookAnswer = {
    ...{ hook_id: 'g', phase: 'PreAbilityCreate', path: '', status: 'ok', decision: 'allow' },
    hook_signals: { mood: 'calm' },
  };
  const PLAIN: HookAnswer = { ...ANSWER, hook_id: 'plain', hook_signals: {} };
  const file = () => join(project.root, 'ops/workdocs/hook-signals.md');
  const keep = (of: { scope?: string; session?: string }, answers = [ANSWER, PLAIN]) =>
    keepUnknown(project.root, { task: 't-1', session: null, ...of }, answers, Date.UTC(2030, 0, 1));

  test('are written to its scope, under its session or its own key', () => {
    expect(keep({ scope: 'ops' })).toEqual([ANSWER, PLAIN]);
    keep({ scope: 'ops', session: 's-1' });
    expect(readFileSync(file(), 'utf8')).toMatch(
      /2030-01-01T00:00:00.000Z t-1 g .*\n.*2030-01-01T00:00:00.000Z s-1 g /,
    );
  });

  test('are not written if its scope is unknown', () => {
    expect(keep({})).toEqual([ANSWER, PLAIN]);
    expect(existsSync(join(project.root, 'ops'))).toBe(false);
  });

  test('that are all known create no file', () => {
    expect(keep({ scope: 'ops' }, [PLAIN])).toEqual([PLAIN]);
    expect(existsSync(join(project.root, 'ops'))).toBe(false);
  });

  test('are a warning of the first answer if they cannot be written, in addition to its own', () => {
    writeFileSync(join(project.root, 'ops'), '');
    const [first, second] = keep({ scope: 'ops' }, [{ ...ANSWER, warnings: ['w'] }, PLAIN]);
    expect(first?.warnings).toEqual(['w', expect.stringMatching(/^Unknown signals were not written/)]);
    expect(second).toEqual(PLAIN);
    expect(keep({ scope: 'ops' })[0]?.warnings).toHaveLength(1);
  });
});
