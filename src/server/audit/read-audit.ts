import type { AuditFinding, AuditHead, AuditLine } from '../../contracts/audit.js';
import { AbilityError } from '../../contracts/problem.js';
import { auditFolder, auditObject, auditStart, headOf, readLines } from './audit-chain.js';
import type { AuditStore } from './audit-log.js';

/** One object of a log, checked against the one before it. */
export interface ReadObject {
  object: number;
  lines: AuditLine[];
  findings: AuditFinding[];
}

/** Objects of a store that are read ahead at the same time. */
const AHEAD = 16;

/**
 * The objects of a log in order, with what is wrong with each. After one that is missing or damaged the next counts as
 * continuing it. @param from number of the first object; the one before it is read, too.
 */
export async function* readAudit(store: AuditStore, project: string, from = 1): AsyncGenerator<ReadObject> {
  let head: AuditHead | undefined = from <= 1 ? auditStart(project) : await headBefore(store, project, from);
  for await (const { object, text, unread } of textsFrom(store, project, Math.max(1, from))) {
    const where = auditObject(project, object);
    const { lines, problem } = text === undefined ? noLines(unread) : readLines(text, project, head);
    yield { object, lines, findings: problem === undefined ? [] : [{ where, problem }] };
    const last = lines.at(-1);
    head = last && problem === undefined ? headOf(last) : undefined;
  }
}

function noLines(problem = 'it is missing: its lines were removed'): { lines: AuditLine[]; problem: string } {
  return { lines: [], problem };
}

async function headBefore(store: AuditStore, project: string, from: number): Promise<AuditHead | undefined> {
  for await (const { lines, findings } of readAudit(store, project, from - 1)) {
    const last = lines.at(-1);
    return last && findings.length === 0 ? headOf(last) : undefined;
  }
  return undefined;
}

interface Text {
  object: number;
  /** Undefined: it is missing or cannot be read. */
  text?: string | undefined;
  unread?: string;
}

/** Ends at the last object; the listing shows whether one that is missing is followed by others. */
async function* textsFrom(store: AuditStore, project: string, from: number): AsyncGenerator<Text> {
  let last: number | undefined;
  const ahead: Promise<Text>[] = [];
  for (let object = from; last === undefined || object <= last; object += 1) {
    while (ahead.length < AHEAD) {
      const reading = readText(store, project, object + ahead.length);
      // It may not be awaited.
      reading.catch(() => {});
      ahead.push(reading);
    }
    const found = await (ahead.shift() as Promise<Text>);
    const isThere = found.text !== undefined || found.unread !== undefined;
    if (!isThere) last ??= await lastObject(store, project);
    // It may have been written since.
    if (last === undefined || object <= last) yield isThere ? found : readText(store, project, object);
  }
}

async function readText(store: AuditStore, project: string, object: number): Promise<Text> {
  try {
    const bytes = await store.getNamed(auditObject(project, object));
    return { object, text: bytes && Buffer.from(bytes).toString('utf8') };
  } catch (error) {
    // Encrypted objects are bound to their names; a missing key is not the fault of the log.
    if (!(error instanceof AbilityError) || error.code !== 'payload.damaged') throw error;
    return { object, unread: 'it was changed, or is of another place: it cannot be decrypted' };
  }
}

async function lastObject(store: AuditStore, project: string): Promise<number> {
  const folder = auditFolder(project);
  const names = (await store.listNamed(folder)).map(({ name }) => Number(name.slice(folder.length)));
  return Math.max(0, ...names.filter(Number.isSafeInteger));
}

/** Most findings of one answer. */
const MAX_FINDINGS = 100;

export interface CheckedAudit {
  lines: number;
  /** The last line; null: there is none. */
  head: AuditHead | null;
  findings: AuditFinding[];
}

/** Reads all of a log. @param anchors lines that it must have, kept elsewhere. */
export async function checkAudit(
  store: AuditStore,
  project: string,
  anchors: readonly { hash: string; kept: string }[],
  signal?: AbortSignal,
): Promise<CheckedAudit> {
  const missing = new Map(anchors.map((anchor) => [anchor.hash, anchor]));
  const checked: CheckedAudit = { lines: 0, head: null, findings: [] };
  for await (const { lines, findings } of readAudit(store, project)) {
    signal?.throwIfAborted();
    checked.lines += lines.length;
    checked.findings.push(...findings.slice(0, MAX_FINDINGS - checked.findings.length));
    for (const { hash } of lines) missing.delete(hash);
    const last = lines.at(-1);
    if (last) checked.head = headOf(last);
  }
  for (const { hash, kept } of missing.values()) {
    const problem = `no line has the hash ${hash}, which ${kept}: lines were removed or rewritten`;
    checked.findings.push({ where: 'head', problem });
  }
  return checked;
}
