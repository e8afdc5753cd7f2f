import { describe, expect, test } from 'vitest';
import {
  renderCase,
  renderCasesJunit,
  renderSummary,
} from '../../../../../../src/doors/cli/output/findings/render-cases.js';
import type { CaseReport, TestReport } from '../../../../../../src/testing/index.js';

const plain = (_: unknown, text: string): string => text;
const LOCATION = { file: 'registry/high-level/x.test.yaml', line: 4, column: 5 };

const report = (name: string, failures: CaseReport['failures'] = [], notes: string[] = []): CaseReport => ({
  ability: 'flow',
  name,
  location: LOCATION,
  status: failures.length === 0 ? 'passed' : 'failed',
  duration_ms: 120,
  task_status: 'succeeded',
  failures,
  notes,
});
const run = (cases: CaseReport[], problems: TestReport['problems'] = []): TestReport => {
  const failed = cases.filter(({ status }) => status === 'failed').length;
  const status = problems.length > 0 ? 'broken' : failed > 0 ? 'failed' : 'passed';
  return { status, passed: cases.length - failed, failed, duration_ms: 2400, cases, problems };
};

describe('a case', () => {
  test('that passed is one line with its time', () => {
    expect(renderCase(report('works'), plain)).toBe('✓ flow  works  120ms');
  });

  test('that failed shows its location, and the expected and actual values', () => {
    const failed = report(
      'breaks',
      [
        { kind: 'value', at: 'output.n', expected: 2, actual: 1 },
        { kind: 'value', at: 'steps.ask', expected: 'denied' },
        {
          kind: 'calls',
          lines: [
            { mark: ' ', text: 'a' },
            { mark: '-', text: 'b' },
            { mark: '+', text: 'c' },
          ],
        },
        { kind: 'problem', problem: { code: 'test.no_mock', message: 'No mock', suggestion: 'Write one.', step: 's' } },
      ],
      ['a hook failed'],
    );
    expect(renderCase(failed, plain)).toBe(
      [
        '✗ flow  breaks  120ms',
        '    at registry/high-level/x.test.yaml:4:5',
        '    output.n',
        '      - 2',
        '      + 1',
        '    steps.ask',
        '      - "denied"',
        '      + (nothing)',
        '    calls',
        '        a',
        '      - b',
        '      + c',
        '    error test.no_mock No mock',
        '      Write one.',
        '      in step s',
        '    note: a hook failed',
      ].join('\n'),
    );
  });

  test('that failed in many places or with a long value stays readable', () => {
    const many = Array.from({ length: 25 }, (_, index) => ({
      kind: 'value' as const,
      at: `output[${index}]`,
      expected: 1,
    }));
    expect(renderCase(report('many', many), plain)).toMatch(/output\[19\][\s\S]*and 5 more$/);
    const long = renderCase(report('long', [{ kind: 'value', at: 'output', expected: 'x'.repeat(5000) }]), plain);
    expect(long.length).toBeLessThan(600);
  });
});

test.each([
  [run([report('a'), report('b')]), '2 passed  2.4s'],
  [run([report('a'), report('b', [{ kind: 'value', at: 'x' }])]), '1 failed, 1 passed  2.4s\n(- expected, + what was)'],
  [run([report('a')], [{ code: 'definition.invalid', message: 'm' }]), '1 mistake in files of cases, 1 passed  2.4s'],
])('a run is summarized in one line', (whole, line) => {
  expect(renderSummary(whole, plain)).toBe(line);
});

test('in JUnit each ability is a suite, a failure contains its differences, and a broken file is an error', () => {
  const cases = [report('works'), report('a < b', [{ kind: 'value', at: 'output', expected: '"', actual: 1 }])];
  const problems = [{ code: 'definition.invalid', message: 'Unknown key `x`', location: LOCATION }];
  expect(renderCasesJunit(run(cases, problems))).toBe(
    [
      '<?xml version="1.0" encoding="UTF-8"?>',
      '<testsuites>',
      '  <testsuite name="flow" tests="2" failures="1" errors="0" time="0.24">',
      '    <testcase classname="flow" name="works" file="registry/high-level/x.test.yaml" line="4" time="0.12"/>',
      '    <testcase classname="flow" name="a &lt; b" file="registry/high-level/x.test.yaml" line="4" time="0.12"><failure message="output is not as expected">    output',
      '      - "\\""',
      '      + 1</failure></testcase>',
      '  </testsuite>',
      '  <testsuite name="cases" tests="1" failures="0" errors="1">',
      '    <testcase classname="cases" name="registry/high-level/x.test.yaml:4:5"><error message="definition.invalid: Unknown key `x`"/></testcase>',
      '  </testsuite>',
      '</testsuites>',
      '',
    ].join('\n'),
  );
});
