import type { Finding } from '../../../../contracts/findings.js';
import { formatLocation } from '../../../../contracts/problem.js';
import { escapeXml, junitDocument, quoteXml, suiteOf } from './junit.js';

/** One case per finding, or one that passes if there are none; warnings and notes are skipped cases. */
export function renderFindingsJunit(findings: readonly Finding[]): string {
  const errors = findings.filter(({ severity }) => severity === 'error').length;
  const cases =
    findings.length > 0 ? findings.map(renderCase) : ['    <testcase classname="lint" name="definitions"/>'];
  const counts = `tests="${cases.length}" failures="${errors}" errors="0" skipped="${findings.length - errors}"`;
  return junitDocument(suiteOf(`name="ability lint" ${counts}`, cases));
}

function renderCase({ code, severity, message, why, fix, location }: Finding): string {
  const place = formatLocation(location);
  const open = `    <testcase classname=${quoteXml(code)} name=${quoteXml(place)} file=${quoteXml(location.file)} line="${location.line ?? 1}">`;
  const attribute = `message=${quoteXml(message)}`;
  const result =
    severity !== 'error'
      ? `<skipped ${attribute}/>`
      : `<failure ${attribute}>${escapeXml(`${place}\n${message}\nwhy: ${why}\nfix: ${fix}`)}</failure>`;
  return `${open}${result}</testcase>`;
}
