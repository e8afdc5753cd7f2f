import type { Json } from '../../../../contracts/json.js';
import { formatLocation, type Problem } from '../../../../contracts/problem.js';
import { formatDuration } from '../../../../rules/duration.js';
import { oneLine } from '../../../../rules/shown-text.js';
import type { CaseFailure, CaseReport, TestReport } from '../../../../testing/index.js';
import { describeProblem } from '../describe-problem.js';
import { element, escapeXml, junitDocument, suiteOf } from '../junit/junit.js';
import { counted, cut } from '../plain-text.js';
import type { Style } from '../terminal/terminal.js';

const MAX_CHARACTERS = 300;
const MAX_FAILURES = 20;

export function renderCase(report: CaseReport, style: Style): string {
  const { ability, name, status, duration_ms, location } = report;
  const mark = status === 'passed' ? style('green', '✓') : style('red', '✗');
  const line = `${mark} ${ability}  ${oneLine(name)}  ${style('dim', formatDuration(duration_ms))}`;
  if (status === 'passed') return line;
  return [line, `    at ${formatLocation(location)}`, ...describeFailures(report, style)].join('\n');
}

function describeFailures({ failures, notes }: Pick<CaseReport, 'failures' | 'notes'>, style: Style): string[] {
  const shown = failures.slice(0, MAX_FAILURES);
  const rest = failures.length - shown.length;
  return [
    ...shown.flatMap((failure) => describeFailure(failure, style)),
    ...(rest > 0 ? [`    and ${rest} more`] : []),
    ...notes.map((note) => style('dim', `    note: ${oneLine(note)}`)),
  ];
}

function describeFailure(failure: CaseFailure, style: Style): string[] {
  const lineOf = ({ mark, text }: { mark: ' ' | '-' | '+'; text: string }): string => {
    const line = `      ${mark} ${oneLine(text)}`;
    return mark === ' ' ? line : style(mark === '-' ? 'green' : 'red', line);
  };
  switch (failure.kind) {
    case 'value':
      return [
        `    ${oneLine(failure.at)}`,
        style('green', `      - ${textOf(failure.expected)}`),
        style('red', `      + ${textOf(failure.actual)}`),
      ];
    case 'calls':
      return ['    calls', ...failure.lines.map(lineOf)];
    case 'problem': {
      const { step } = failure.problem;
      const where = step === undefined ? '' : `\n  in step ${step}`;
      return `${describeProblem(failure.problem, style)}${where}`.split('\n').map((line) => `    ${line}`);
    }
  }
}

function textOf(value: Json | undefined): string {
  return value === undefined ? '(nothing)' : cut(JSON.stringify(value), MAX_CHARACTERS);
}

export function renderSummary({ passed, failed, problems, duration_ms }: TestReport, style: Style): string {
  const parts = [
    ...(problems.length > 0 ? [style('red', `${counted(problems.length, 'mistake')} in files of cases`)] : []),
    ...(failed > 0 ? [style('red', `${failed} failed`)] : []),
    style(passed > 0 && failed + problems.length === 0 ? 'green' : 'dim', `${passed} passed`),
  ];
  const legend = failed > 0 ? `\n${style('dim', '(- expected, + what was)')}` : '';
  return `${parts.join(', ')}  ${style('dim', formatDuration(duration_ms))}${legend}`;
}

/** JUnit XML with one suite per ability, and one for broken files. */
export function renderCasesJunit({ cases, problems }: TestReport): string {
  const abilities = [...new Set(cases.map(({ ability }) => ability))];
  const suites = abilities.flatMap((ability) => {
    const own = cases.filter((one) => one.ability === ability);
    const failures = own.filter(({ status }) => status === 'failed').length;
    const time = own.reduce((sum, { duration_ms }) => sum + duration_ms, 0) / 1000;
    return suiteOf({ name: ability, tests: own.length, failures, errors: 0, time }, own.map(junitCase));
  });
  return junitDocument([...suites, ...(problems.length > 0 ? renderBroken(problems) : [])]);
}

function junitCase(report: CaseReport): string {
  const { ability, name, location, status, duration_ms } = report;
  const { file, line = 1 } = location;
  const about = { classname: ability, name, file, line, time: duration_ms / 1000 };
  if (status === 'passed') return element('testcase', about);
  const lines = describeFailures(report, (_, text) => text);
  return element('testcase', about, element('failure', { message: messageOf(report) }, escapeXml(lines.join('\n'))));
}

function messageOf({ failures }: CaseReport): string {
  const [first] = failures;
  if (first?.kind === 'problem') return `${first.problem.code}: ${first.problem.message.split('\n', 1)[0]}`;
  return first?.kind === 'value' ? `${first.at} is not as expected` : 'the calls are not as expected';
}

function renderBroken(problems: readonly Problem[]): string[] {
  const cases = problems.map(({ code, message, location }) => {
    const about = { classname: 'cases', name: location ? formatLocation(location) : 'cases' };
    return element('testcase', about, element('error', { message: `${code}: ${message}` }));
  });
  return suiteOf({ name: 'cases', tests: cases.length, failures: 0, errors: cases.length }, cases);
}
