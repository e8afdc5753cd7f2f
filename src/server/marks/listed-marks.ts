import { createHash, randomUUID } from 'node:crypto';
import type { EffectMarks, MarkedBy, MarkedCall } from '../../activities/call/effect-mark.js';
import { AbilityError } from '../../contracts/problem.js';
import { canonicalJson } from '../../rules/canonical.js';
import { FolderStore } from '../store/folder-store.js';
import type { Store } from '../store/store.js';
import { StoredMarks } from './effect-marks.js';

/** More simultaneous calls than a process makes; each may have to be taken back. */
const MAX_MADE = 10_000;

/**
 * Marks of calls in a store without atomic creation: one object per try.
 *
 * A starting call looks for the marks of others, leaves its own, and looks again. The store lists earlier writes, so of
 * two concurrent calls at least one sees the other; it then takes its own mark back and does not begin. If both see
 * each other none begins, which is the safe mistake.
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

  /** Removes the mark of this process. */
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

  /** A mark that cannot be read is that of another start: its writer has taken it back meanwhile, or it is damaged. */
  private async read(name: string): Promise<MarkedBy> {
    const unknown = `of the mark ${name} in ${this.store.where}, which cannot be read`;
    let mark: Partial<MarkedBy> = {};
    try {
      mark = JSON.parse(Buffer.from((await this.store.getNamed(name)) ?? '{}').toString('utf8')) as Partial<MarkedBy>;
    } catch (error) {
      if (error instanceof AbilityError) throw error;
    }
    return { run: String(mark.run ?? unknown), activity: String(mark.activity ?? unknown) };
  }
}

function folderOf(call: MarkedCall): string {
  const text = canonicalJson({ ...call, groups: [...call.groups] });
  return `effect-marks/${createHash('sha256').update(text).digest('hex')}/`;
}

function notBegun({ call }: MarkedCall, cause: AbilityError): AbilityError {
  const { code, suggestion } = cause;
  const message = `The mark of ${call} could not be kept, so the call was not begun: ${cause.message}`;
  return new AbilityError({ code, message, suggestion }, { cause });
}

/** The marks of calls in a store. A file system creates a file once, also when several try at the same time; not every store does. */
export function openMarks(store: Store): EffectMarks {
  return store instanceof FolderStore ? new StoredMarks(store.folder, () => store.check(true)) : new ListedMarks(store);
}
