import { createHash } from 'node:crypto';
import { mkdir, open, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { EffectMarks, MarkedBy, MarkedCall } from '../../activities/call/effect-mark.js';
import { AbilityError } from '../../contracts/problem.js';
import { diskReason } from '../../disk/disk-errors.js';
import { syncFolder } from '../../disk/write-whole.js';
import { canonicalJson } from '../../rules/canonical.js';

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
