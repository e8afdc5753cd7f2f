import type { GuardCheck } from '../../../../activities/hooks/claude-code/check-guards.js';
import type { Finding, Severity } from '../../../../contracts/findings.js';
import type { LintReport } from '../../../../lint/lint-project.js';
import { oneLine } from '../../../../rules/shown-text.js';
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
