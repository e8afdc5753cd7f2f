import { formatLocation, type Problem } from '../../../../contracts/problem.js';
import type { CaseReport, TestReport } from '../../../../testing/index.js';
import { describeFailures } from '../findings/render-cases.js';
import { element, escapeXml, junitDocument, suiteOf } from './junit.js';

/** JUnit XML with one suite per ability, and one for broken files. */
export function renderCasesJunit({ cases, problems }: TestReport): string {
  const abilities = [...new Set(cases.map(({ ability }) => ability))];
  const suites = abilities.flatMap((ability) => {
    const own = cases.filter((one) => one.ability === ability);
    const failures = own.filter(({ status }) => status === 'failed').length;
    const time = own.reduce((sum, { duration_ms }) => sum + duration_ms, 0) / 1000;
    return suiteOf({ name: ability, tests: own.length, failures, errors: 0, time }, own.map(renderCase));
  });
  return junitDocument([...suites, ...(problems.length > 0 ? renderBroken(problems) : [])]);
}

function renderCase(report: CaseReport): string {
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
