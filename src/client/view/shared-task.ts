import { RECORD_FILES, type TaskRecord } from '../../contracts/record.js';
import { readSharedLog, sharedLogs, sharedRecord, type TaskPlace } from '../../rules/tasks/task-ids.js';
import { payloadKeysOf } from '../../server/payloads/payload-keys.js';
import type { ProjectPaths } from '../../server/project-paths.js';
import { openStore } from '../../server/store/open-store.js';
import { readSharedRecord } from '../../server/store/read-shared-record.js';
import type { Store } from '../../server/store/store.js';

/** A record in the shared store. */
export interface SharedRecord {
  record: TaskRecord;
  /** `tool_call.md`. */
  text: string;
}

/** The shared log of one attempt of a call. */
export interface SharedLogFile {
  /** Unique name in the store. */
  name: string;
  step: string;
  /** The records folder that also has these lines. */
  origin: string;
  /** JSON lines. */
  text: string;
}

const AT_ONCE = 16;

/** The shared store in `ABILITY_STORE`; undefined: none. @throws AbilityError `config.invalid`. */
export function sharedStore(env: NodeJS.ProcessEnv, paths: ProjectPaths): Store | undefined {
  const store = env.ABILITY_STORE ? openStore(env.ABILITY_STORE, payloadKeysOf(env), paths) : undefined;
  return store?.isShared ? store : undefined;
}

/** @returns undefined if the store has no such record. @throws AbilityError `store.not_shared`. */
export async function fetchSharedRecord(store: Store, place: TaskPlace): Promise<SharedRecord | undefined> {
  const record = await readSharedRecord(store, place);
  const text = record && (await store.getNamed(sharedRecord(place, RECORD_FILES.text)));
  return record && text && { record, text: Buffer.from(text).toString('utf8') };
}

/** Reads the shared logs of a task; rereads only those that have grown. */
export class SharedLogs {
  private readonly known = new Map<string, SharedLogFile & { bytes: number }>();

  constructor(
    private readonly store: Store,
    private readonly place: TaskPlace,
  ) {}

  /** @param isWanted which of them. @throws AbilityError `store.not_shared`. */
  async read(isWanted: (log: { step: string; origin: string }) => boolean): Promise<SharedLogFile[]> {
    const listed = (await this.store.listNamed(sharedLogs(this.place))).flatMap(({ name, bytes }) => {
      const log = readSharedLog(name, this.place);
      return log && isWanted(log) ? [{ name, bytes, ...log }] : [];
    });
    const grown = listed.filter(({ name, bytes }) => this.known.get(name)?.bytes !== bytes);
    while (grown.length > 0) await Promise.all(grown.splice(0, AT_ONCE).map((log) => this.fetch(log)));
    return listed.flatMap(({ name }) => this.known.get(name) ?? []);
  }

  private async fetch(log: { name: string; bytes: number; step: string; origin: string }): Promise<void> {
    const bytes = await this.store.getNamed(log.name);
    if (bytes) this.known.set(log.name, { ...log, bytes: bytes.length, text: Buffer.from(bytes).toString('utf8') });
  }
}
