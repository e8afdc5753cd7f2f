import { statfsSync } from 'node:fs';
import type { RuntimeFile } from '../../../contracts/runtime.js';
import { asDiskError } from '../../../disk/disk-errors.js';
import type { DoorLink } from '../../../operations/over-http/door-link.js';
import type { ProjectPaths } from '../../../server/project-paths.js';
import { attempt } from '../../../text/attempt.js';
import type { Context } from './context.js';

/** A runtime that answers later than this is busy, or its process is suspended. Milliseconds. */
const LOOK_MS = 4000;
/** The own server writes nothing with less room, and answers nothing that it has to write. Bytes. */
const LEAST_ROOM = 256 * 1024;

/** What a command that waits for the project's own runtime learns of it besides its answers. */
export interface RuntimeWatch {
  /** @throws AbilityError `runtime.failed` once the disk has been full for a while. */
  unlessFull<T>(answer: Promise<T>): Promise<T>;
  /** As {@link unlessFull}, for each event. */
  whileRoom<T>(events: AsyncIterable<T>): AsyncGenerator<T, void>;
  stop(): void;
}

/** Says once that the runtime does not answer, and refuses to wait for one whose disk is full. */
export function watchRuntime(
  { terminal }: Context,
  { pid, paths }: RuntimeFile & { paths: ProjectPaths },
  link: DoorLink,
): RuntimeWatch {
  let refuse: (error: unknown) => void = () => {};
  const full = new Promise<never>((_, reject) => {
    refuse = reject;
  });
  full.catch(() => {});
  let [isAsked, isSaid, wasFull] = [false, false, false];
  const look = (): void => {
    const room = attempt(() => statfsSync(paths.system));
    const isFull = room !== undefined && room.bavail * room.bsize < LEAST_ROOM;
    if (isFull && wasFull) refuse(asDiskError({ code: 'ENOSPC' }, paths.system));
    wasFull = isFull;
    if (!isAsked) {
      isAsked = true;
      const end = (): void => {
        isAsked = false;
      };
      link.ask('GET', '/v1/health').then(end, end);
    } else if (!isSaid) {
      isSaid = true;
      terminal.note(
        `The runtime of this project (process ${pid}) does not answer, as if it were suspended; this command waits for it, and tasks go on with it.`,
      );
    }
  };
  const looking = setInterval(look, LOOK_MS).unref();
  const unlessFull = <T>(answer: Promise<T>): Promise<T> => Promise.race([answer, full]);
  return {
    unlessFull,
    async *whileRoom(events) {
      const all = events[Symbol.asyncIterator]();
      for (let next = await unlessFull(all.next()); !next.done; next = await unlessFull(all.next())) yield next.value;
    },
    stop: () => clearInterval(looking),
  };
}
