import { AUDIT_FIELDS, type AuditFinding, type AuditLine } from '../../../contracts/audit.js';
import { EXIT, type ExitCode } from '../../../contracts/states.js';
import { csvLine } from '../../../text/csv.js';
import { defined } from '../../../text/defined.js';
import { readSince } from '../input/flag-values.js';
import type { AuditFlags } from '../program/audit.js';
import { type Context, printAnswer } from '../program/context.js';
import { withProject } from '../program/project-client.js';

/** `ability audit export`: the lines that a filter leaves, and on stderr what is wrong with the log. */
export async function exportLog(context: Context, _: [], flags: AuditFlags['export']): Promise<ExitCode> {
  const { terminal } = context;
  const now = Date.now();
  const timeOf = (text: string | undefined): string | undefined =>
    text === undefined ? undefined : readSince(text, now).toISOString();
  const { task, kind, format } = flags;
  const filter = defined({ since: timeOf(flags.since), until: timeOf(flags.until), task, kind });
  const [found, all]: [AuditFinding[], AuditLine[]] = [[], []];
  const isJson = context.flags.json === true;
  if (format === 'csv' && !isJson) terminal.print(AUDIT_FIELDS.join(','));
  await withProject(context, async (project) => {
    for (let from: number | null = 1; from !== null; ) {
      const part: Awaited<ReturnType<typeof project.call<'readAuditLog'>>> = await project.call('readAuditLog', {
        ...filter,
        from,
      });
      const lines = part.lines as AuditLine[];
      if (isJson) all.push(...lines);
      else for (const line of lines) terminal.print(format === 'csv' ? csvOf(line) : JSON.stringify(line));
      found.push(...part.findings);
      if (from === 1 && !part.on) terminal.note(OFF);
      from = part.next;
    }
  });
  if (isJson) terminal.printJson(all);
  return endFor(context, found);
}

/** `ability audit verify`. */
export async function verify(context: Context, _: [], { head }: AuditFlags['verify']): Promise<ExitCode> {
  const checked = await withProject(context, (project) => project.call('verifyAudit', defined({ head })));
  const { lines, head: last, on, findings } = checked;
  if (!on) context.terminal.note(OFF);
  printAnswer(context, checked, () =>
    last ? `${lines} lines; the last one is ${last.seq}, ${last.hash}` : 'The audit log has no lines.',
  );
  return endFor(context, findings);
}

const OFF = 'No audit log is kept: set `audit: true` in ability.yaml.';

function csvOf(line: AuditLine): string {
  return csvLine(AUDIT_FIELDS.map((name) => line[name] ?? ''));
}

function endFor({ terminal }: Context, findings: readonly AuditFinding[]): ExitCode {
  for (const { where, problem } of findings) terminal.note(`${where}: ${problem}`);
  return findings.length === 0 ? EXIT.ok : EXIT.failed;
}
