import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { CallLog } from '../../../../src/activities/call/call-log.js';
import { readCallLogs } from '../../../../src/client/index.js';
import { temporaryProject } from '../../temporary-project.js';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A log in an existing folder, and the content of its file. */
function logIn(step = 'call') {
  const { root } = temporaryProject({ 'logs/.keep': '' });
  const file = join(root, 'logs', `${step}.jsonl`);
  const texts = (): string[] =>
    existsSync(file)
      ? readFileSync(file, 'utf8')
          .split('\n')
          .filter(Boolean)
          .map((line) => JSON.parse(line).text)
      : [];
  return { root, log: new CallLog(join(root, 'logs'), step, 1), texts };
}

test('output is written while the call runs, each line once and in order', () => {
  const { log, texts } = logIn('group/call');
  log.write('stdout', 'one\ntw');
  expect(texts()).toEqual([]);
  vi.advanceTimersByTime(1000);
  expect(texts()).toEqual(['one']);
  log.write('stdout', 'o\nthree\n');
  vi.advanceTimersByTime(1000);
  expect(texts()).toEqual(['one', 'two', 'three']);
  log.write('stdout', 'four');
  expect(log.save()).toBeUndefined();
  expect(texts()).toEqual(['one', 'two', 'three', 'four']);
  log.add('runtime', 'five');
  log.save();
  log.save();
  expect(texts()).toEqual(['one', 'two', 'three', 'four', 'five']);
  expect(vi.getTimerCount()).toBe(0);
});

test('a short call writes nothing before its end', () => {
  const { log, texts } = logIn();
  log.write('stdout', 'one\n');
  vi.advanceTimersByTime(400);
  expect(texts()).toEqual([]);
  log.save();
  expect(texts()).toEqual(['one']);
  expect(vi.getTimerCount()).toBe(0);
});

test('successful calls that wrote only their requests share one file, each line with its step', () => {
  const { root, log, texts } = logIn('all/one');
  const other = new CallLog(join(root, 'logs'), 'all/two', 2);
  log.hide('s3cret-value');
  log.add('request', 'GET /?key=s3cret-value -> 200');
  other.add('tool', 'srv:tool -> ok');
  expect([log.save(true), other.save(true)]).toEqual([undefined, undefined]);
  expect(texts()).toEqual([]);
  const [file, ...more] = readdirSync(join(root, 'logs')).filter((name) => name !== '.keep');
  expect(file).toMatch(/^requests\.[0-9a-f]{8}\.jsonl$/);
  expect(more).toEqual([]);
  expect(readCallLogs(join(root, 'logs'))).toMatchObject([
    { name: 'all/one', lines: [{ step: 'all/one', attempt: 1, text: 'GET /?key=*** -> 200' }] },
    { name: 'all/two', lines: [{ step: 'all/two', attempt: 2, text: 'srv:tool -> ok' }] },
  ]);
});

test.each([
  ['failed', false, () => {}],
  ['printed something', true, (log: CallLog) => log.write('stdout', 'hello\n')],
  ['was written in part while it ran', true, () => vi.advanceTimersByTime(1000)],
])('a call that %s has its own log', (_, hasSucceeded, meanwhile) => {
  const { root, log, texts } = logIn();
  log.add('request', 'GET / -> 200');
  meanwhile(log);
  log.save(hasSucceeded);
  expect(texts()[0]).toBe('GET / -> 200');
  expect(readCallLogs(join(root, 'logs')).map(({ name }) => name)).toEqual(['call']);
});

test('a secret in pieces, or of several lines, is masked in what is written early', () => {
  const { log, texts } = logIn();
  log.hide('first-half-second-half');
  log.hide('-----BEGIN\nline-of-a-key\n-----END');
  log.write('stderr', 'a first-ha');
  vi.advanceTimersByTime(1000);
  log.write('stderr', 'lf-second-half b\n-----BEGIN\nline-of');
  vi.advanceTimersByTime(1000);
  log.write('stderr', '-a-key\n');
  vi.advanceTimersByTime(1000);
  // The rest of the secret may follow.
  expect(texts()).toEqual(['a *** b']);
  log.write('stderr', 'something else\n');
  vi.advanceTimersByTime(1000);
  expect(texts()).toEqual(['a *** b', '***', '***', 'something else']);
});

test('a secret at the point where an endless line is split is masked', () => {
  const { log, texts } = logIn();
  log.hide('first-half-second-half');
  const most = 1024 * 256;
  log.write('stdout', `${'x'.repeat(most - 9)}first-half`);
  log.write('stdout', '-second-half end');
  log.save();
  expect(texts().join('')).toBe(`${'x'.repeat(most - 9)}****** end`);
});

test('a log that is too long keeps its head and its tail, however often it was written meanwhile', () => {
  const { log, texts } = logIn();
  for (let line = 0; line < 20_000; line += 1) {
    log.write('stdout', `line ${line}\n`);
    if (line % 1000 === 0) vi.advanceTimersByTime(500);
  }
  log.save();
  const all = texts();
  const gap = all.findIndex((text) => /lines left out/.test(text));
  const [, left] = /(\d+) lines left out/.exec(all[gap] ?? '') ?? [];
  expect(all.slice(0, gap)).toEqual(Array.from({ length: gap }, (_, line) => `line ${line}`));
  expect(all[gap + 1]).toBe(`line ${gap + Number(left)}`);
  expect(all.at(-1)).toBe('line 19999');
});

test('a log that cannot be written is reported at the end, and a deleted record is not created again', () => {
  const { root, log } = logIn();
  log.write('stdout', 'one\n');
  rmSync(join(root, 'logs'), { recursive: true });
  vi.advanceTimersByTime(1000);
  expect(existsSync(join(root, 'logs'))).toBe(false);
  const blocked = new CallLog(join(root, 'ability.yaml'), 'call', 1);
  blocked.write('stdout', 'one\n');
  vi.advanceTimersByTime(1000);
  expect(blocked.save()).toMatch(/^The log of call could not be written: /);
});

/** The current line that a call shows. */
function currentIn(root: string): string | undefined {
  const file = join(root, 'logs', 'call.now');
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).text : undefined;
}

test('an unfinished line is shown next to the log, as a terminal would show it, until the log is saved', () => {
  const { log, root, texts } = logIn();
  log.write('stderr', 'begun\n\r 10%|#         |');
  vi.advanceTimersByTime(1000);
  log.write('stderr', '\r 20%|##        |\r');
  vi.advanceTimersByTime(1000);
  expect(currentIn(root)).toBe(' 20%|##        |');
  expect(texts()).toEqual(['begun']);
  log.write('stderr', '\r100%|##########|\n');
  log.save();
  expect(currentIn(root)).toBeUndefined();
  expect(texts().at(-1)).toBe('\r 10%|#         |\r 20%|##        |\r\r100%|##########|');
});

test('the line that is shown never contains a secret, nor the start of one', () => {
  const { log, root } = logIn();
  log.hide('sesame-open-wide');
  log.write('stdout', 'key: sesame-op');
  vi.advanceTimersByTime(1000);
  expect(currentIn(root) ?? '').not.toContain('sesame');
  log.write('stdout', 'en-wide, then');
  vi.advanceTimersByTime(1000);
  expect(currentIn(root)).toMatch(/^key: .*, then$/);
  expect(currentIn(root)).not.toContain('sesame');
});

test('after the head of a long log the last line is still shown', () => {
  const { log, root } = logIn();
  for (let line = 0; line < 6000; line += 1) log.write('stdout', `line ${line}\n`);
  vi.advanceTimersByTime(1000);
  expect(currentIn(root)).toBe('line 5999');
});

test('a line may end with a separate chunk', () => {
  const { log, texts } = logIn();
  for (const chunk of ['one', '\n', 'two', '\n']) log.write('stdout', chunk);
  log.save();
  expect(texts()).toEqual(['one', 'two']);
});

test('an endless line is split once it is longer than a quarter of the log', () => {
  const { log, texts } = logIn();
  const most = 1024 * 256;
  log.write('stdout', 'x'.repeat(most));
  log.write('stdout', 'y');
  log.write('stdout', 'z');
  log.save();
  expect(texts().map((text) => text.length)).toEqual([most + 1, 1]);
});

test('a log without a folder is not written, and a call that wrote nothing has no log', () => {
  const unkept = new CallLog(undefined, 'call', 1);
  unkept.write('stdout', 'one\n');
  expect(unkept.save()).toBeUndefined();
  const { root, log } = logIn();
  expect(log.save()).toBeUndefined();
  expect(readdirSync(join(root, 'logs'))).toEqual(['.keep']);
});

test('the requests of a call are in its own log, unless it is saved as successful', () => {
  const { log, texts } = logIn();
  log.add('request', 'GET / -> 500');
  log.save();
  expect(texts()).toEqual(['GET / -> 500']);
});

test('the shared log gets the lines, and is ended with the call', () => {
  const { root } = logIn();
  const shared = { append: vi.fn(), end: vi.fn() };
  const log = new CallLog(join(root, 'logs'), 'call', 1, shared);
  log.hide('s3cret-value');
  log.write('stdout', 'a s3cret-value\n');
  vi.advanceTimersByTime(1000);
  expect(shared.append.mock.calls).toEqual([[expect.stringMatching(/"a \*{3}"/)]]);
  expect(shared.end).not.toHaveBeenCalled();
  log.save();
  expect(shared.append).toHaveBeenCalledOnce();
  expect(shared.end).toHaveBeenCalledOnce();
});

test('a long log that is saved twice has its tail and the number of omitted lines once', () => {
  const { log, texts } = logIn();
  for (let line = 0; line < 10_000; line += 1) log.write('stdout', `line ${line}\n`);
  log.save();
  const once = texts();
  log.save();
  expect(texts()).toEqual(once);
  log.add('runtime', 'the end');
  log.save();
  expect(texts()).toEqual([...once, 'the end']);
});

describe('the part of a stream that is quoted in an error', () => {
  const quoted = (lines: number, rest = '') => {
    const { log } = logIn();
    for (let line = 1; line <= lines; line += 1) log.write('stderr', `line ${line}\n`);
    log.write('stdout', 'elsewhere\n');
    log.write('stderr', rest);
    return log.tailOf('stderr').split('\n');
  };

  test.each([
    [2, '', ['line 1', 'line 2']],
    [1, 'no end', ['line 1', 'no end']],
    [0, 'no end', ['no end']],
    [0, '', ['']],
  ])('has %i lines and the unfinished one: %j', (lines, rest, expected) => {
    expect(quoted(lines, rest)).toEqual(expected);
  });

  test('has 24 lines, or the first twelve and the last twelve', () => {
    expect(quoted(24)).toHaveLength(24);
    const cut = quoted(25);
    expect(cut).toHaveLength(25);
    expect([cut[0], cut[11], cut[12], cut[13], cut.at(-1)]).toEqual(['line 1', 'line 12', '...', 'line 14', 'line 25']);
  });

  test('has the first and the last characters of long lines', () => {
    const [text = '', dots, end = ''] = quoted(0, `${'a'.repeat(3000)}${'z'.repeat(3000)}`);
    expect([text, dots, end]).toEqual(['a'.repeat(1500), '...', 'z'.repeat(1500)]);
    expect(quoted(0, 'a'.repeat(3000))).toEqual(['a'.repeat(3000)]);
  });

  test('has no secret, even if that has several lines', () => {
    const { log } = logIn();
    log.hide('first\nsecond');
    log.write('stderr', 'a first\nsecond b\n');
    expect(log.tailOf('stderr')).toBe('a ***\n*** b');
  });
});
