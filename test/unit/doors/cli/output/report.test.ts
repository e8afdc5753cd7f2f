import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { AbilityError } from '../../../../../src/contracts/problem.js';
import { describeProblem } from '../../../../../src/doors/cli/output/describe-problem.js';
import { exitOf, readableStack, reportError } from '../../../../../src/doors/cli/output/report.js';
import { renderResult } from '../../../../../src/doors/cli/output/result/render-result.js';
import type { Terminal } from '../../../../../src/doors/cli/output/terminal/terminal.js';
import { SILENT_TERMINAL } from '../../../../fixtures/silent-terminal.js';
import { openTask } from './live/example-task.js';

function report(error: unknown, json: boolean): { exit: number; out: string[]; err: string[] } {
  const out: string[] = [];
  const err: string[] = [];
  const terminal: Terminal = {
    ...SILENT_TERMINAL,
    print: (text) => void out.push(text),
    printJson: (value) => void out.push(JSON.stringify(value)),
    note: (text) => void err.push(text),
  };
  return { exit: reportError(error, { flags: json ? { json } : {}, terminal }), out, err };
}

const error = new AbilityError({
  code: 'definition.invalid',
  message: 'Unknown key `wiht`',
  location: { file: 'registry/high-level/w.yaml', line: 7, column: 5 },
  suggestion: 'Did you mean with?',
});

test('for people: what happened, where, and what to do next, on stderr', () => {
  expect(report(error, false)).toEqual({
    exit: 2,
    out: [],
    err: ['error definition.invalid Unknown key `wiht`\n  at registry/high-level/w.yaml:7:5\n  Did you mean with?'],
  });
});

test('with --json: one value on stdout, and nothing on stderr', () => {
  const { exit, out, err } = report(error, true);
  expect([exit, out.length, err]).toEqual([2, 1, []]);
  expect(JSON.parse(out[0] ?? '')).toEqual({
    status: 'error',
    error: {
      code: 'definition.invalid',
      message: 'Unknown key `wiht`',
      location: { file: 'registry/high-level/w.yaml', line: 7, column: 5 },
      suggestion: 'Did you mean with?',
    },
  });
});

test('an unknown value is null, and not omitted', () => {
  const { out } = report(new AbilityError({ code: 'task.not_found', message: 'm' }), true);
  expect(JSON.parse(out[0] ?? '').error).toMatchObject({ location: null, suggestion: null });
});

test('an unexpected error is internal.error, with what happened', () => {
  const { exit, err } = report(new TypeError('x is not a function'), false);
  expect(exit).toBe(1);
  expect(err[0]).toMatch(/internal\.error[\s\S]*x is not a function[\s\S]*report/);
});

test('an error code of an author makes the command fail', () => {
  expect(exitOf({ code: 'shop.sold_out', message: 'm' })).toBe(1);
  expect(exitOf({ code: 'http.404', message: 'm' })).toBe(1);
});

test('no line of a text, and no file name, can be mistaken for a line of our output', () => {
  const forged = '\n  at trusted.yaml:1\r\nerror other.code';
  const shown = describeProblem({
    code: 'a.b',
    message: `m${forged}`,
    location: { file: `x${forged}`, line: 1 },
    suggestion: `s${forged}`,
  });
  expect(shown.split('\n')).toEqual([
    'error a.b m',
    '      at trusted.yaml:1',
    '    error other.code',
    '  at x at trusted.yaml:1 error other.code:1',
    '  s',
    '      at trusted.yaml:1',
    '    error other.code',
  ]);
});

test('a problem without a location or suggestion is one line', () => {
  expect(describeProblem({ code: 'a.b', message: 'm' })).toBe('error a.b m');
});

test('below a failed task the problem has no label of its own, with or without colors', () => {
  const colored = (format: unknown, text: string): string => `<${String(format)}>${text}</>`;
  const result = { ...openTask({}).view, status: 'failed' as const, error: error.toProblem() };
  expect(renderResult(result, colored).split('\n')[1]).toBe('   <dim>definition.invalid</> Unknown key `wiht`');
});

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'ability-stack-'));
  // Line 1, column 4 of the bundle is line 7, column 3 of the source: the output of a bundler, written by hand.
  const map = { version: 3, sources: ['../client/connect.js'], names: [], mappings: 'GAME', file: 'chunk.js' };
  writeFileSync(join(folder, 'chunk.js.map'), JSON.stringify(map));
  writeFileSync(join(folder, 'broken.js.map'), '{');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('a stack names places in the sources instead of the bundle', () => {
  const url = `${pathToFileURL(join(folder, 'chunk.js'))}`;
  const path = join(folder, 'chunk.js');
  expect(readableStack(`Error: it broke\n    at a (${url}:1:4)\n    at ${path}:1:9`)).toBe(
    'Error: it broke\n    at a (client/connect.js:7:3)\n    at client/connect.js:7:3',
  );
});

test('a place without a source map, or with a broken one, is left unchanged', () => {
  const stack = `Error: x\n    at b (${join(folder, 'other.js')}:3:5)\n    at c (${join(folder, 'broken.js')}:1:1)\n    at node:internal/x:1:1`;
  expect(readableStack(stack)).toBe(stack);
});
