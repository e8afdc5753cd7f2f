import type { AuditFinding, AuditHead, AuditLine } from '../../contracts/audit.js';
import { AbilityError } from '../../contracts/problem.js';
import { auditObject, auditStart, readLines } from './audit-chain.js';
import type { AuditStore } from './audit-log.js';

type ReadObject = { object: number; lines: AuditLine[]; finding?: AuditFinding };

/** Objects of a store that are read ahead at the same time. */
const AHEAD = 16;

/**
 * The objects of a log in order, with what is wrong with each. After one that is missing or damaged the next counts as
 * continuing it. @param from number of the first object; the one before it is read, too.
 */
export async function* readAudit(store: AuditStore, project: string, from = 1): AsyncGenerator<ReadObject> {
  let head: AuditHead | undefined = from > 1 ? undefined : auditStart(project);
  for await (const [object, text] of textsFrom(store, project, Math.max(1, from - 1))) {
    const missing = { lines: [], problem: 'it is missing: its lines were removed' };
    const { lines, problem } = text === undefined ? missing : readLines(text, project, head);
    const finding = problem !== undefined && { where: auditObject(project, object), problem };
    if (object >= from) yield { object, lines, ...(finding && { finding }) };
    head = finding ? undefined : lines.at(-1);
  }
}

type Text = [object: number, text: string | undefined];

/** Ends at the last object; the listing shows whether one that is missing is followed by others. */
async function* textsFrom(store: AuditStore, project: string, from: number): AsyncGenerator<Text> {
  let last = Number.POSITIVE_INFINITY;
  const ahead: Promise<Text>[] = [];
  for (let object = from; object <= last; object += 1) {
    while (ahead.length < Math.min(AHEAD, object - from + 1)) {
      const reading = readText(store, project, object + ahead.length);
      // It may not be awaited.
      reading.catch(() => {});
      ahead.push(reading);
    }
    const found = await (ahead.shift() as Promise<Text>);
    if (found[1] === undefined && !Number.isFinite(last)) {
      const listed = (await store.listNamed(`audit/${project}/`)).map(({ name }) => Number(name.split('/').at(-1)));
      last = listed.findLast(Number.isSafeInteger) ?? 0;
    }
    // It may have been written since.
    if (object <= last) yield found[1] === undefined ? await readText(store, project, object) : found;
  }
}

async function readText(store: AuditStore, project: string, object: number): Promise<Text> {
  try {
    const bytes = await store.getNamed(auditObject(project, object));
    return [object, bytes && Buffer.from(bytes).toString('utf8')];
  } catch (error) {
    // Encrypted objects are bound to their names; a missing key is not the fault of the log.
    if (error instanceof AbilityError && error.code === 'payload.damaged') return [object, 'not what was encrypted\n'];
    throw error;
  }
}
