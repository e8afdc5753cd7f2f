import { expect, test } from 'vitest';
import type { Finding } from '../../../../../../src/contracts/findings.js';
import {
  renderFindings,
  renderFindingsJunit,
  renderSarif,
} from '../../../../../../src/doors/cli/output/findings/render-findings.js';

const plain = (_format: unknown, text: string): string => text;

const ERROR: Finding = {
  code: 'definition.invalid',
  severity: 'error',
  message: 'Unknown key `<uses>` & more',
  why: 'It would be ignored.',
  fix: 'Write `call`.',
  location: { file: 'registry/high level/a.yaml', line: 4, column: 7 },
};

const WARNING: Finding = {
  ...ERROR,
  code: 'lint.yaml_number',
  severity: 'warning',
  location: { ...ERROR.location, line: 9 },
};

test('for people each finding has its location, message, reason and fix, and the last line counts them', () => {
  expect(renderFindings({ findings: [ERROR, WARNING], abilities: 3 }, plain)).toBe(
    [
      'registry/high level/a.yaml:4:7  error definition.invalid',
      '  Unknown key `<uses>` & more',
      '  why  It would be ignored.',
      '  fix  Write `call`.',
      '',
      'registry/high level/a.yaml:9:7  warning lint.yaml_number',
      '  Unknown key `<uses>` & more',
      '  why  It would be ignored.',
      '  fix  Write `call`.',
      '',
      '1 error, 1 warning in 1 file; looked at 3 abilities.',
    ].join('\n'),
  );
});

test('the absence of findings is reported', () => {
  expect(renderFindings({ findings: [], abilities: 1 }, plain)).toBe('No findings in 1 ability.');
});

test('SARIF has a rule for each code, and a result with its region for each finding', () => {
  const { version, runs } = JSON.parse(renderSarif([ERROR, WARNING, ERROR])) as {
    version: string;
    runs: [{ tool: { driver: { rules: { id: string }[] } }; results: object[] }];
  };
  expect(version).toBe('2.1.0');
  expect(runs[0].tool.driver.rules.map(({ id }) => id)).toEqual(['definition.invalid', 'lint.yaml_number']);
  expect(runs[0].results).toHaveLength(3);
  expect(runs[0].results[0]).toMatchObject({
    ruleId: 'definition.invalid',
    level: 'error',
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: 'registry/high%20level/a.yaml' },
          region: { startLine: 4, startColumn: 7 },
        },
      },
    ],
  });
});

test('JUnit has a failure for each error, and a skipped case for each warning', () => {
  const xml = renderFindingsJunit([ERROR, WARNING]);
  expect(xml).toContain('tests="2" failures="1" errors="0" skipped="1"');
  expect(xml).toContain('<failure message="Unknown key `&lt;uses&gt;` &amp; more">');
  expect(xml).toContain('<skipped message=');
  expect(renderFindingsJunit([])).toContain('tests="1" failures="0"');
});
