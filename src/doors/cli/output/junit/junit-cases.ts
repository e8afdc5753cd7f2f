import { formatLocation, type Problem } from '../../../../contracts/problem.js';
import type { CaseReport, TestReport } from '../../../../testing/index.js';
import { describeFailures } from '../findings/render-cases.js';
import { escapeXml, junitDocument, quoteXml, suiteOf } from './junit.js';

/** JUnit XML with one suite per ability, and one for broken files. */
export function renderCasesJunit({ cases, problems }: TestReport): string {
  const abilities = [...new Set(cases.map(({ ability }) => ability))];
  const suites = abilities.flatMap((ability) => {
    const own = cases.filter((one) => one.ability === ability);
    return renderSuite(ability, own);
  });
  return junitDocument([...suites, ...(problems.length > 0 ? renderBroken(problems) : [])]);
}

function renderSuite(ability: string, cases: readonly CaseReport[]): string[] {
  const failures = cases.filter(({ status }) => status === 'failed').length;
  const seconds = cases.reduce((sum, { duration_ms }) => sum + duration_ms, 0) / 1000;
  const counts = `tests="${cases.length}" failures="${failures}" errors="0" time="${seconds}"`;
  return suiteOf(`name=${quoteXml(ability)} ${counts}`, cases.map(renderCase));
}

function renderCase(report: CaseReport): string {
  const { ability, name, location, status, duration_ms } = report;
  const place = `file=${quoteXml(location.file)} line="${location.line ?? 1}"`;
  const open = `    <testcase classname=${quoteXml(ability)} name=${quoteXml(name)} ${place} time="${duration_ms / 1000}"`;
  if (status === 'passed') return `${open}/>`;
  const lines = describeFailures(report, (_, text) => text);
  return `${open}><failure message=${quoteXml(messageOf(report))}>${escapeXml(lines.join('\n'))}</failure></testcase>`;
}

function messageOf({ failures }: CaseReport): string {
  const [first] = failures;
  if (first?.kind === 'problem') return `${first.problem.code}: ${first.problem.message.split('\n', 1)[0]}`;
  return first?.kind === 'value' ? `${first.at} is not as expected` : 'the calls are not as expected';
}

function renderBroken(problems: readonly Problem[]): string[] {
  const cases = problems.map(({ code, message, location }) => {
    const place = location ? formatLocation(location) : 'cases';
    const text = `${code}: ${message}`;
    return `    <testcase classname="cases" name=${quoteXml(place)}><error message=${quoteXml(text)}/></testcase>`;
  });
  return suiteOf(`name="cases" tests="${problems.length}" failures="0" errors="${problems.length}"`, cases);
}
