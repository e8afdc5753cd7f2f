import type { GuardCheck } from '../../../../activities/hooks/claude-code/check-guards.js';
import type { Finding, Severity } from '../../../../contracts/findings.js';
import { formatLocation } from '../../../../contracts/problem.js';
import type { LintReport } from '../../../../lint/lint-project.js';
import { oneLine } from '../../../../rules/shown-text.js';
import { element, escapeXml, junitDocument, suiteOf } from '../junit/junit.js';
import { counted, plainText } from '../plain-text.js';
import type { Style } from '../terminal/terminal.js';

const COLORS = { error: 'red', warning: 'yellow', note: 'dim' } as const;

export function renderFindings(report: LintReport, style: Style): string {
  const { findings, abilities, imported_left_out: left = 0 } = report;
  return [
    ...findings.flatMap((finding) => [...renderFinding(finding, style), '']),
    summaryOf(findings, abilities),
    ...(left > 0
      ? [`Left out: ${counted(left, 'finding')} in the imported documents themselves; --imported shows them.`]
      : []),
  ].join('\n');
}

function renderFinding({ code, severity, message, why, fix, location }: Finding, style: Style): string[] {
  const { file, line, column } = location;
  const place = [file, line, column].filter((part) => part !== undefined).join(':');
  return [
    `${style('bold', place)}  ${style(COLORS[severity], severity)} ${style('dim', code)}`,
    `  ${plainText(message, '  ')}`,
    `  ${style('dim', 'why')}  ${plainText(why, '       ')}`,
    `  ${style('dim', 'fix')}  ${plainText(fix, '       ')}`,
  ];
}

function summaryOf(findings: readonly Finding[], abilities: number): string {
  const looked = counted(abilities, 'ability', 'abilities');
  if (findings.length === 0) return `No findings in ${looked}.`;
  const files = new Set(findings.map(({ location }) => location.file)).size;
  const count = (of: Severity): number => findings.filter(({ severity }) => severity === of).length;
  const notes = count('note');
  const parts = [counted(count('error'), 'error'), counted(count('warning'), 'warning')];
  if (notes > 0) parts.push(counted(notes, 'note'));
  return `${parts.join(', ')} in ${counted(files, 'file')}; looked at ${looked}.`;
}

export function renderGuardCheck({ findings, guards, calls, unresolved }: GuardCheck): string {
  const fired =
    calls === 0
      ? `${unresolved.length === 0 ? 'No guard has `must_deny`, so none' : 'No guard'} was fired`
      : `Fired ${counted(guards, 'guard')}: ${calls - findings.length} of ${counted(calls, 'call')} denied`;
  if (unresolved.length === 0) return fired;
  return `${fired}; cannot be fired before they are corrected: ${unresolved.map(oneLine).join(', ')}`;
}

const SCHEMA = 'https://json.schemastore.org/sarif-2.1.0.json';

/** SARIF 2.1.0, which code hosts show at the affected lines. */
export function renderSarif(findings: readonly Finding[]): string {
  const codes = [...new Map(findings.map((finding) => [finding.code, finding])).values()];
  const rules = codes.map(({ code, why }) => ({
    id: code,
    shortDescription: { text: why },
    help: { text: `${why} More: docs/lint.md.` },
  }));
  const run = {
    tool: {
      driver: { name: 'ability lint', rules },
    },
    originalUriBaseIds: { PROJECT: { description: { text: 'The folder with ability.yaml.' } } },
    columnKind: 'utf16CodeUnits',
    results: findings.map(resultOf),
  };
  return JSON.stringify({ $schema: SCHEMA, version: '2.1.0', runs: [run] }, null, 2);
}

function resultOf({ code, severity, message, fix, location }: Finding): object {
  const { file, line, column } = location;
  const region =
    line === undefined ? {} : { region: { startLine: line, ...(column !== undefined && { startColumn: column }) } };
  return {
    ruleId: code,
    level: severity,
    message: { text: `${message}. ${fix}` },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: file.split('/').map(encodeURIComponent).join('/'), uriBaseId: 'PROJECT' },
          ...region,
        },
      },
    ],
  };
}

/** One case per finding, or one that passes if there are none; warnings and notes are skipped cases. */
export function renderFindingsJunit(findings: readonly Finding[]): string {
  const failures = findings.filter(({ severity }) => severity === 'error').length;
  const none = element('testcase', { classname: 'lint', name: 'definitions' });
  const cases = findings.length > 0 ? findings.map(junitCase) : [none];
  const counts = { tests: cases.length, failures, errors: 0, skipped: findings.length - failures };
  return junitDocument(suiteOf({ name: 'ability lint', ...counts }, cases));
}

function junitCase({ code, severity, message, why, fix, location }: Finding): string {
  const place = formatLocation(location);
  const text = escapeXml(`${place}\n${message}\nwhy: ${why}\nfix: ${fix}`);
  const result = severity === 'error' ? element('failure', { message }, text) : element('skipped', { message });
  const { file, line = 1 } = location;
  return element('testcase', { classname: code, name: place, file, line }, result);
}
