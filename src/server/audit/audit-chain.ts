import { createHash } from 'node:crypto';
import type { AuditEvent, AuditHead, AuditLine } from '../../contracts/audit.js';
import { parseJson } from '../../disk/read-json.js';
import { canonicalJson } from '../../rules/canonical.js';

/** Name of an object of a log: one holds the lines that were written together. @param number from 1 on, without gaps. */
export function auditObject(project: string, number: number): string {
  return `audit/${project}/${String(number).padStart(12, '0')}`;
}

/** What the first line of a project continues. */
export function auditStart(project: string): AuditHead {
  return { seq: 0, hash: sha256(`ability audit 1 ${project}`) };
}

/** Chains events to what is there. @returns an object of the log. */
export function chainLines(project: string, { seq, hash }: AuditHead, events: readonly AuditEvent[]): string {
  let prev = hash;
  const lines = events.map((event, index) => {
    const line = { ...event, seq: seq + index + 1, project, prev };
    prev = sha256(canonicalJson(line));
    return `${canonicalJson({ ...line, hash: prev })}\n`;
  });
  return lines.join('');
}

/** The lines of an object, up to the first that does not continue a head. @param head undefined: what is before is not known. */
export function readLines(text: string, project: string, head?: AuditHead): { lines: AuditLine[]; problem?: string } {
  const lines: AuditLine[] = [];
  for (const each of text.split('\n').slice(0, -1)) {
    const line = parseJson<AuditLine | null>(each) ?? ({} as AuditLine);
    const problem = whyNot(line, each, project, lines.at(-1) ?? head);
    if (problem !== undefined) return { lines, problem };
    lines.push(line);
  }
  return text.endsWith('\n') ? { lines } : { lines, problem: 'its last line is cut off' };
}

function whyNot(line: AuditLine, text: string, project: string, before?: AuditHead): string | undefined {
  const { hash, ...rest } = line;
  // The exact text too: JSON that has a field twice, or other spaces, is not what was written.
  const isOwn = canonicalJson(line) === text && sha256(canonicalJson(rest)) === hash;
  if (!isOwn) return `a line after ${before?.seq ?? 'others'} was changed: its hash is of another text`;
  if (line.project !== project) return `line ${line.seq} is of the project ${line.project}`;
  if (!before || (line.seq === before.seq + 1 && line.prev === before.hash)) return undefined;
  return `line ${line.seq} does not continue line ${before.seq}: lines were removed, inserted, repeated, reordered or replaced`;
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
