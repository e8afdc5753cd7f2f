import type { Finding } from '../../../../contracts/findings.js';
import { formatLocation } from '../../../../contracts/problem.js';
import { element, escapeXml, junitDocument, suiteOf } from './junit.js';

/** One case per finding, or one that passes if there are none; warnings and notes are skipped cases. */
export function renderFindingsJunit(findings: readonly Finding[]): string {
  const failures = findings.filter(({ severity }) => severity === 'error').length;
  const none = element('testcase', { classname: 'lint', name: 'definitions' });
  const cases = findings.length > 0 ? findings.map(renderCase) : [none];
  const counts = { tests: cases.length, failures, errors: 0, skipped: findings.length - failures };
  return junitDocument(suiteOf({ name: 'ability lint', ...counts }, cases));
}

function renderCase({ code, severity, message, why, fix, location }: Finding): string {
  const place = formatLocation(location);
  const text = escapeXml(`${place}\n${message}\nwhy: ${why}\nfix: ${fix}`);
  const result = severity === 'error' ? element('failure', { message }, text) : element('skipped', { message });
  const { file, line = 1 } = location;
  return element('testcase', { classname: code, name: place, file, line }, result);
}
