import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { StepStatus, TaskState } from '../../../../../../src/contracts/states.js';
import type { StepSummary, TaskResult } from '../../../../../../src/contracts/task.js';
import { refuseUnwritable, renderJunit, writeJunit } from '../../../../../../src/doors/cli/output/junit/junit.js';
import { SILENT_TERMINAL } from '../../../../../fixtures/silent-terminal.js';
import { errorOf } from '../../../../error-of.js';
import { temporaryProject } from '../../../../temporary-project.js';

const step = (id: string, status: StepStatus, more: Partial<StepSummary> = {}): StepSummary => ({
  id,
  path: id,
  call: 'op',
  status,
  attempts: 1,
  duration_ms: 1500,
  ...more,
});

function result(status: TaskState, steps: StepSummary[], more: Partial<TaskResult> = {}): TaskResult {
  return {
    status,
    task_key: 't-1',
    ability_id: 'signup_e2e_test',
    version: 1,
    digest: 'd',
    environment: 'staging',
    output: null,
    error: null,
    warnings: [],
    steps,
    approvals: [],
    hooks: [],
    requested_by: { name: 'tester', source: 'claimed' },
    started_at: '2026-01-02T03:04:05.000Z',
    finished_at: '2026-01-02T03:04:07.500Z',
    cleanup_ran: null,
    links: { temporal: null, page: null, record: null },
    ...more,
  };
}
const problem = (code: string, message: string, at?: string) => ({ error: { code, message, ...(at && { step: at }) } });

test('a step is a test case with its duration, and the task is a suite with its counts', () => {
  expect(
    renderJunit(result('succeeded', [step('seed', 'succeeded'), step('extra', 'skipped', { duration_ms: null })])),
  ).toBe(
    [
      '<?xml version="1.0" encoding="UTF-8"?>',
      '<testsuites>',
      '  <testsuite name="signup_e2e_test" tests="2" failures="0" skipped="1" time="2.5" timestamp="2026-01-02T03:04:05.000Z">',
      '    <properties><property name="task_key" value="t-1"/></properties>',
      '    <testcase classname="signup_e2e_test" name="seed" time="1.5"/>',
      '    <testcase classname="signup_e2e_test" name="extra" time="0"><skipped/></testcase>',
      '  </testsuite>',
      '</testsuites>',
      '',
    ].join('\n'),
  );
});

describe('failures', () => {
  const countsOf = (xml: string): string => /tests="\d+" failures="\d+" skipped="\d+"/.exec(xml)?.[0] ?? '';

  test('the failed step carries the error', () => {
    const steps = [step('seed', 'succeeded'), step('signup', 'failed'), step('row', 'pending')];
    const xml = renderJunit(result('failed', steps, problem('http.500', 'It said no.', 'signup')));
    expect(countsOf(xml)).toBe('tests="3" failures="1" skipped="1"');
    expect(xml).toContain(
      'name="signup" time="1.5"><failure message="http.500: It said no.">http.500: It said no.</failure>',
    );
  });

  test('a task that failed outside its steps has its own case, so that the suite is never green', () => {
    const xml = renderJunit(result('denied', [step('seed', 'succeeded')], problem('guard.denied', 'No ticket.')));
    expect(countsOf(xml)).toBe('tests="2" failures="1" skipped="0"');
    expect(xml).toContain('name="task"><failure message="guard.denied: No ticket."');
  });

  test('a task that failed without any step has its own case as well', () => {
    expect(countsOf(renderJunit(result('timed_out', [], problem('timeout.task', 'Too long.'))))).toBe(
      'tests="1" failures="1" skipped="0"',
    );
    expect(countsOf(renderJunit(result('unknown', [])))).toBe('tests="1" failures="1" skipped="0"');
  });

  test.each(['failed', 'denied', 'timed_out', 'unknown', 'cancelled'] as const)(
    'a step that is %s is a failure',
    (status) => {
      expect(countsOf(renderJunit(result('failed', [step('a', status)])))).toBe('tests="1" failures="1" skipped="0"');
    },
  );

  test('a failed group is not counted again if a step inside it failed', () => {
    const steps = [
      step('checks', 'failed', { call: null, error: { code: 'http.500', message: 'No.' } }),
      step('left', 'failed', { path: 'checks/left', error: { code: 'http.500', message: 'No.' } }),
      step('right', 'cancelled', { path: 'checks/right' }),
      step('other', 'succeeded', { path: 'checks/other' }),
    ];
    const xml = renderJunit(result('failed', steps, problem('http.500', 'No.', 'left')));
    expect(countsOf(xml)).toBe('tests="3" failures="1" skipped="1"');
    expect(xml).not.toContain('name="checks"');
    expect(xml.match(/<failure /g)).toHaveLength(1);
  });

  test('two branches that failed are two failures', () => {
    const steps = [
      step('checks', 'failed', { call: null }),
      step('left', 'failed', { path: 'checks/left' }),
      step('right', 'timed_out', { path: 'checks/right' }),
    ];
    expect(countsOf(renderJunit(result('failed', steps)))).toBe('tests="2" failures="2" skipped="0"');
  });

  test('a group that failed by itself, for example because it timed out, is a failure', () => {
    const steps = [
      step('checks', 'timed_out', { error: { code: 'timeout.step', message: 'Too long.' } }),
      step('left', 'succeeded', { path: 'checks/left' }),
    ];
    const xml = renderJunit(result('timed_out', steps));
    expect(countsOf(xml)).toBe('tests="2" failures="1" skipped="0"');
    expect(xml).toContain('name="checks" time="1.5"><failure message="timeout.step: Too long."');
  });

  test('a step that did not fail the task does not turn the suite red', () => {
    const steps = [
      step('fastest', 'succeeded', { call: null }),
      step('slow', 'cancelled', { path: 'fastest/slow' }),
      step('quick', 'succeeded', { path: 'fastest/quick' }),
    ];
    const xml = renderJunit(result('succeeded', steps));
    expect(countsOf(xml)).toBe('tests="2" failures="0" skipped="1"');
    expect(xml).toContain('name="fastest/slow" time="1.5"><skipped message="did not fail the task: cancelled"/>');
    const later = renderJunit(result('failed', [...steps, step('end', 'failed')]));
    expect(countsOf(later)).toBe('tests="3" failures="1" skipped="1"');
  });

  test('the attribute contains only the first line of a message', () => {
    const xml = renderJunit(result('failed', [step('a', 'failed')], problem('script.exit', 'First.\nSecond.', 'a')));
    expect(xml).toContain('message="script.exit: First.">script.exit: First.\nSecond.</failure>');
  });
});

describe('text written by scripts and people', () => {
  const failing = (message: string): string =>
    renderJunit(result('failed', [step('a', 'failed')], problem('x', message, 'a')));

  test('is escaped', () => {
    const xml = failing('<b> & "quotes" \'single\' ]]>');
    expect(xml).toContain('message="x: &lt;b&gt; &amp; &quot;quotes&quot; \'single\' ]]&gt;"');
    expect(xml).not.toMatch(/<b>|]]>/);
  });

  test('has no characters that XML does not allow', () => {
    const xml = failing('a\u0000b\u0007c\u001b[31md\uffffe\tf');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there
    expect(xml).not.toMatch(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\uffff]/);
    expect(xml).toContain('e\tf');
  });

  test('cannot break out of an attribute', () => {
    const xml = renderJunit(result('succeeded', [step('a', 'succeeded', { path: 'x" y="1' })]));
    expect(xml).toContain('name="x&quot; y=&quot;1"');
  });
});

describe('the file', () => {
  test('is written relative to the working directory', () => {
    const { root } = temporaryProject({ 'out/.keep': '' });
    writeJunit({ cwd: root, terminal: SILENT_TERMINAL }, 'out/junit.xml', result('succeeded', []));
    expect(readFileSync(join(root, 'out/junit.xml'), 'utf8')).toMatch(/^<\?xml/);
  });

  test('that cannot be written after a run is a warning that names it', () => {
    const { root } = temporaryProject();
    const notes: string[] = [];
    const terminal = { ...SILENT_TERMINAL, note: (text: string) => void notes.push(text) };
    writeJunit({ cwd: root, terminal }, 'gone/junit.xml', result('succeeded', []));
    expect(notes).toEqual([expect.stringMatching(/^warning --junit gone\/junit\.xml was not written: .*ENOENT/)]);
  });

  test.each([
    ['gone/junit.xml', /ENOENT/],
    ['ability.yaml/junit.xml', /ENOTDIR/],
    ['.', /it is a directory/],
  ])('%s is refused before a run', (file, reason) => {
    const { root } = temporaryProject();
    const error = errorOf(() => refuseUnwritable(file, root));
    expect(error.code).toBe('usage.invalid');
    expect(error.message).toContain(`--junit ${file} cannot be written: `);
    expect(error.message).toMatch(reason);
  });

  test('is accepted before a run if it is new or can be replaced', () => {
    const { root } = temporaryProject();
    writeFileSync(join(root, 'old.xml'), '');
    refuseUnwritable('new.xml', root);
    refuseUnwritable('old.xml', root);
  });
});

describe('a foreach', () => {
  const loop = (items: Partial<StepSummary['items']>, more: Partial<StepSummary> = {}): StepSummary =>
    step('hosts', 'failed', { call: null, items: { verb: 'foreach', total: 3, succeeded: 3, ...items }, ...more });
  const inner = (more: Partial<StepSummary> = {}) =>
    step('check', 'failed', { path: 'hosts/*/check', turns: 3, ...more });
  const failure = (item: number) => ({
    item,
    status: 'failed' as const,
    path: `hosts/${item}/check`,
    attempts: 1,
    error: { code: 'mine', message: 'no' },
  });

  test('with 5,000 green items has 1,000 cases, and one that counts the others', () => {
    const xml = renderJunit(
      result('succeeded', [{ ...loop({ total: 5000, succeeded: 5000 }), status: 'succeeded' }, inner()]),
    );
    expect(xml).toContain('tests="1001" failures="0" skipped="0"');
    expect(xml).toContain('4000 more items succeeded');
    const one = { ...loop({ total: 1001, succeeded: 1001 }), status: 'succeeded' as const };
    expect(renderJunit(result('succeeded', [one, inner()]))).toContain('>1 more item succeeded<');
  });

  test('whose item 4,999 failed has a case for it', () => {
    const items = { total: 5000, succeeded: 4999, failed: 1, done: [[0, 4998]] as [number, number][] };
    const xml = renderJunit(result('failed', [loop(items, { failures: [failure(4999)] }), inner()]));
    expect(xml).toContain('tests="1002" failures="1" skipped="0"');
    expect(xml).toContain('name="hosts/4999"><failure message="item 4999: mine: no"');
  });

  test('whose failed items are not all known marks none of them green', () => {
    const items = { total: 3, succeeded: 1, failed: 2 };
    const xml = renderJunit(result('failed', [loop(items, { failures: [failure(0)], failures_left_out: 1 }), inner()]));
    expect(xml).toContain('tests="2" failures="2" skipped="0"');
    expect(xml).toContain('2 more items not listed; of all: 1 of 3 succeeded, 2 failed');
  });

  test('reports each line of a failure once, and a long first line in full', () => {
    const textOf = (message: string): string => {
      const failed = { ...failure(0), error: { code: 'mine', message } };
      const row = loop({ succeeded: 2, failed: 1, done: [[1, 2]] }, { failures: [failed] });
      return /<failure [^>]*>([^<]*)</.exec(renderJunit(result('failed', [row, inner()])))?.[1] ?? '';
    };
    expect(textOf('no\nthe reason')).toBe('item 0: mine: no\nthe reason\nlog: hosts/0/check');
    expect(textOf('no')).toBe('item 0: mine: no\nlog: hosts/0/check');
    expect(textOf('x'.repeat(1000)).split('\n')[1]).toHaveLength(1000);
  });

  test('that failed by itself is reported as the loop', () => {
    const xml = renderJunit(
      result('failed', [loop({ total: 3, succeeded: 3 }, problem('repeat.exhausted', 'x')), inner()], {
        error: { code: 'mine', message: 'of the loop', step: 'hosts' },
      }),
    );
    expect(xml).toContain('tests="4" failures="1"');
    expect(xml).toContain('mine: of the loop');
  });

  test('whose failure was handled fails no case', () => {
    const row = loop({ succeeded: 2, failed: 1, done: [[0, 1]] }, { failures: [failure(2)] });
    const xml = renderJunit(result('succeeded', [row, inner()]));
    expect(xml).toContain('tests="3" failures="0" skipped="1"');
    expect(xml).toContain('did not fail the task: item 2: mine: no');
  });
});

test('an empty loop is one case, without cases for the steps that it would have run', () => {
  const items = { verb: 'foreach', total: 0, succeeded: 0 } as const;
  const inner = step('check', 'skipped', { path: 'hosts/*/check', duration_ms: null });
  const xml = renderJunit(result('succeeded', [step('hosts', 'succeeded', { items }), inner]));
  expect([...xml.matchAll(/testcase .*? name="([^"]*)"/g)].map(([, name]) => name)).toEqual(['hosts']);
  expect(xml).toContain('tests="1" failures="0" skipped="0"');
});

test('what was not undone is a property of the suite', () => {
  const not_undone = [{ path: 'seed', call: 'db.drop', status: 'denied' as const, error: { code: 'x', message: 'm' } }];
  expect(renderJunit(result('failed', [], { rolled_back: 'none', not_undone }))).toContain(
    '<property name="rolled_back" value="none; not undone: seed (denied)"/>',
  );
});
