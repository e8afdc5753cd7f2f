import { AUDIT_FIELDS, type AuditFinding, type AuditHead, type AuditLine } from '../../../contracts/audit.js';
import { EXIT, type ExitCode } from '../../../contracts/states.js';
import { readJson } from '../../../disk/read-json.js';
import { defined } from '../../../text/defined.js';
import { readSince } from '../input/flag-values.js';
import type { AuditFlags } from '../program/approvals.js';
import { type Context, printAnswer } from '../program/context.js';
import { withProject } from '../program/project-client.js';

/** `ability audit export`: the lines that a filter leaves, and on stderr what is wrong with the log. */
export async function exportLog(context: Context, _: [], flags: AuditFlags['exportLog']): Promise<ExitCode> {
  const { terminal, flags: global } = context;
  const [now, all]: [number, AuditLine[]] = [Date.now(), []];
  const [since, until] = [flags.since, flags.until].map((text) => text && readSince(text, now).toISOString());
  const filter = defined({ since, until, task: flags.task, kind: flags.kind });
  const isCsv = flags.format === 'csv';
  if (isCsv && !global.json) terminal.print(AUDIT_FIELDS.join(','));
  const { findings } = await readAll(context, filter, (line) => {
    if (global.json) all.push(line);
    else terminal.print(isCsv ? csvOf(line) : JSON.stringify(line));
  });
  if (global.json) terminal.printJson(all);
  return endFor(context, findings);
}

/** By RFC 4180: all cells are quoted; none is a formula to a spreadsheet, which skips spaces before it. */
function csvOf(line: AuditLine): string {
  const texts = AUDIT_FIELDS.map((name) => String(line[name] ?? ''));
  return texts.map((text) => `"${text.replace(/^(?=\s*[=+\-@\t\r\n])/, "'").replaceAll('"', '""')}"`).join(',');
}

/** `ability audit verify`. */
export async function verify(context: Context, _: [], { head: given }: AuditFlags['verify']): Promise<ExitCode> {
  const hashes = new Set<string>();
  let head: AuditHead | null = null;
  const { findings, written } = await readAll(context, {}, ({ seq, hash }) => {
    hashes.add(hash);
    head = { seq, hash };
  });
  for (const hash of [given, written]) {
    const where = hash === given ? '--head' : 'the last line that this machine has written';
    const problem = `no line has the hash ${hash}: lines were removed at the end, or written anew`;
    if (hash !== undefined && !hashes.has(hash)) findings.push({ where, problem });
  }
  const text = `${hashes.size} lines; the last one: ${JSON.stringify(head)}`;
  printAnswer(context, { lines: hashes.size, head, findings }, () => text);
  return endFor(context, findings);
}

function readAll(context: Context, filter: object, take: (line: AuditLine) => void) {
  return withProject(context, async (project) => {
    // Before the log is read, which goes on meanwhile. A door has its machine, and not ours.
    const written = project.paths ? readJson<AuditHead>(project.paths.auditHead)?.hash : undefined;
    const findings: AuditFinding[] = [];
    const read = (from: number) => project.call('readAuditLog', { ...filter, from });
    for (let from: number | null = 1; from !== null; ) {
      const part: Awaited<ReturnType<typeof read>> = await read(from);
      if (from === 1 && !part.on) context.terminal.note('No audit log is kept: set `audit: true` in ability.yaml.');
      for (const line of part.lines) take(line as AuditLine);
      findings.push(...part.findings);
      from = part.next;
    }
    return { findings, written };
  });
}

function endFor({ terminal }: Context, findings: readonly AuditFinding[]): ExitCode {
  for (const { where, problem } of findings) terminal.note(`${where}: ${problem}`);
  return findings.length === 0 ? EXIT.ok : EXIT.failed;
}
