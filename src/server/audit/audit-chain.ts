import { createHash } from 'node:crypto';
import { AUDIT_START, type AuditEvent, type AuditHead, type AuditLine } from '../../contracts/audit.js';
import { parseJson } from '../../disk/read-json.js';
import { canonicalJson } from '../../rules/canonical.js';

const DIGITS = 12;

/** Name of an object of a log: one holds the lines that were written together. @param number from 1 on, without gaps. */
export function auditObject(project: string, number: number): string {
  return `${auditFolder(project)}${String(number).padStart(DIGITS, '0')}`;
}

export function auditFolder(project: string): string {
  return `audit/${project}/`;
}

/** What the first line of a project continues. */
export function auditStart(project: string): AuditHead {
  return { seq: 0, hash: sha256(AUDIT_START + project) };
}

/** Chains events to what is there. */
export function chainLines(project: string, head: AuditHead, events: readonly AuditEvent[]): AuditLine[] {
  let { seq, hash: prev } = head;
  return events.map((event) => {
    seq += 1;
    const line = { ...event, seq, project, prev };
    prev = hashOf(line);
    return { ...line, hash: prev };
  });
}

export function textOfLines(lines: readonly AuditLine[]): string {
  return lines.map((line) => `${canonicalJson(line)}\n`).join('');
}

export function headOf({ seq, hash }: AuditHead): AuditHead {
  return { seq, hash };
}

/**
 * Reads an object, and checks that its lines continue a head. @param before undefined if what is before could not be read:
 * then the first line counts as continuing it. @returns the lines up to the first problem.
 */
export function readLines(
  text: string,
  project: string,
  before: AuditHead | undefined,
): { lines: AuditLine[]; problem?: string } {
  const lines: AuditLine[] = [];
  let head = before;
  for (const each of text.split('\n').slice(0, -1)) {
    const line = parseJson<AuditLine>(each);
    const problem = line ? whyNot(line, each, project, head) : 'a line is no JSON';
    if (!line || problem !== undefined) return { lines, problem: problem ?? '' };
    lines.push(line);
    head = headOf(line);
  }
  if (!text.endsWith('\n') || lines.length === 0) return { lines, problem: 'its last line is cut off' };
  return { lines };
}

function whyNot(line: AuditLine, text: string, project: string, head: AuditHead | undefined): string | undefined {
  const at = `line ${line.seq}`;
  const { hash, ...rest } = line;
  if (line.project !== project) return `${at} is of the project ${String(line.project)}`;
  // The exact text too: JSON that says a field twice, or has other spaces, is not what was written.
  if (canonicalJson(line) !== text || hashOf(rest) !== hash) return `${at} was changed: its hash is of another line`;
  if (!head) return undefined;
  if (line.seq !== head.seq + 1) return `${at} follows line ${head.seq}: lines are missing, repeated or reordered`;
  if (line.prev !== head.hash)
    return `${at} does not continue line ${head.seq}, which was replaced, or it was inserted`;
  return undefined;
}

function hashOf(line: Omit<AuditLine, 'hash'>): string {
  return sha256(canonicalJson(line));
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
