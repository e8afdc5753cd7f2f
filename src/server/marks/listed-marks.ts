import { createHash, randomUUID } from 'node:crypto';
import { mkdir, open, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { EffectMarks, MarkedBy, MarkedCall } from '../../activities/call/effect-mark.js';
import { AbilityError } from '../../contracts/problem.js';
import { diskReason } from '../../disk/disk-errors.js';
import { parseJson } from '../../disk/read-json.js';
import { syncFolder } from '../../disk/write-files.js';
import { canonicalJson } from '../../rules/canonical.js';
import type { Store } from '../store/store.js';

/** More simultaneous calls than a process makes; each may have to remove its mark. */
const MAX_MADE = 10_000;
const MAX_READS = 3;

/**
 * Marks of calls in a store without atomic creation: one object per attempt. A call looks for other marks, writes
 * its own, and looks again. The store lists earlier writes, so at least one of two concurrent calls sees the
 * other, removes its own mark and does not begin. If both do, neither begins: the safe mistake.
 */
export class ListedMarks implements EffectMarks {
  /** Marks of this process, by folder: it must remove no others. */
  private readonly made = new Map<string, string>();

  constructor(private readonly store: Pick<Store, 'putNamed' | 'getNamed' | 'listNamed' | 'removeNamed' | 'where'>) {}

  async make(call: MarkedCall, by: MarkedBy): Promise<'made' | MarkedBy> {
    const folder = folderOf(call);
    try {
      const [earlier] = await this.store.listNamed(folder);
      if (earlier) return await this.read(earlier.name);
      const own = folder + randomUUID();
      const text = `${JSON.stringify({ ...by, call: call.call, at: new Date().toISOString() })}\n`;
      await this.store.putNamed(own, Buffer.from(text));
      const other = (await this.store.listNamed(folder)).find(({ name }) => name !== own);
      if (!other) {
        this.remember(folder, own);
        return 'made';
      }
      const found = await this.read(other.name);
      await this.store.removeNamed(own);
      return found;
    } catch (error) {
      throw error instanceof AbilityError ? notBegun(call, error) : error;
    }
  }

  async remove(call: MarkedCall): Promise<void> {
    const own = this.made.get(folderOf(call));
    if (own !== undefined) await this.store.removeNamed(own);
  }

  private remember(folder: string, own: string): void {
    this.made.set(folder, own);
    for (const oldest of this.made.keys()) {
      if (this.made.size <= MAX_MADE) return;
      this.made.delete(oldest);
    }
  }

  /** An unreadable mark belongs to another start: its writer removed it meanwhile, or it is damaged. */
  private async read(name: string): Promise<MarkedBy> {
    const unknown = `of the mark ${name} in ${this.store.where}, which cannot be read`;
    let mark: Partial<MarkedBy> | undefined;
    // What is damaged on its way is whole the next time.
    for (let reads = 0; !mark && reads < MAX_READS; reads += 1) {
      const bytes = await this.store.getNamed(name);
      mark = bytes ? parseJson<Partial<MarkedBy>>(Buffer.from(bytes).toString('utf8')) : {};
    }
    return { run: String(mark?.run ?? unknown), activity: String(mark?.activity ?? unknown) };
  }
}

function folderOf(call: MarkedCall): string {
  const text = canonicalJson({ ...call, groups: [...call.groups] });
  return `effect-marks/${createHash('sha256').update(text).digest('hex')}/`;
}

function notBegun({ call }: MarkedCall, cause: AbilityError): AbilityError {
  const { code, suggestion } = cause;
  const message = `The mark of ${call} could not be stored, so the call was not started: ${cause.message}`;
  return new AbilityError({ code, message, suggestion }, { cause });
}

/** A file system creates a file atomically, even with several writers; not every store does. */
export function openMarks(store: Store): EffectMarks {
  return store.folder === null ? new ListedMarks(store) : new StoredMarks(store.folder, () => store.check(true));
}

/**
 * Marks of calls in the store: a small file each, on disk before the call begins. They do not expire: a task can
 * be started again as long as its arguments and a key of its seal exist.
 */
export class StoredMarks implements EffectMarks {
  private readonly folder: string;

  /** @param check throws if this is not the store used before. */
  constructor(
    store: string,
    private readonly check: () => void = () => {},
  ) {
    this.folder = join(store, 'marks');
  }

  async make(call: MarkedCall, by: MarkedBy): Promise<'made' | MarkedBy> {
    this.check();
    const path = this.pathOf(call);
    await makeFolder(dirname(path)).catch((error: unknown) => {
      throw notKept(call, this.folder, error);
    });
    try {
      await writeNew(path, `${JSON.stringify({ ...by, call: call.call, at: new Date().toISOString() })}\n`);
      return 'made';
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return readMark(path);
      throw notKept(call, this.folder, error);
    }
  }

  async remove(call: MarkedCall): Promise<void> {
    await rm(this.pathOf(call), { force: true });
  }

  private pathOf(call: MarkedCall): string {
    const digest = createHash('sha256')
      .update(canonicalJson({ ...call, groups: [...call.groups] }))
      .digest('hex');
    return join(this.folder, digest.slice(0, 2), digest);
  }
}

/** Only the process that creates the file succeeds. Removes an incomplete mark. */
async function writeNew(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx');
  try {
    await file.writeFile(text);
    await file.sync();
    await syncFolder(dirname(path));
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  } finally {
    await file.close();
  }
}

async function makeFolder(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true });
  if (first === undefined) return;
  for (let at = folder; at.length >= first.length; at = dirname(at)) await syncFolder(dirname(at));
}

/** A mark that cannot be read is that of another start: its writer was killed, or has not finished. */
async function readMark(path: string): Promise<MarkedBy> {
  const mark = await readFile(path, 'utf8')
    .then((text) => JSON.parse(text) as Partial<MarkedBy>)
    .catch(() => undefined);
  const unknown = `of the mark ${path}, which cannot be read`;
  return { run: String(mark?.run ?? unknown), activity: String(mark?.activity ?? unknown) };
}

function notKept({ call }: MarkedCall, folder: string, cause: unknown): AbilityError {
  const message = `The mark of ${call} could not be stored in ${folder}, so the call was not started: ${diskReason(cause)}`;
  const suggestion = 'Make room there, or point ABILITY_STORE elsewhere.';
  return new AbilityError({ code: 'store.full', message, suggestion }, { cause });
}
