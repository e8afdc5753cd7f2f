import type { JsonObject } from '../../contracts/json.js';
import type { Person } from '../../contracts/people.js';
import type { PreflightAnswer, TaskRequest } from '../../contracts/task.js';
import type { Stall } from '../watch/find-stall.js';
import type { GivenFiles } from './give-files.js';
import { generateTaskKey } from './keys.js';

/** A request for a new task. */
export interface NewTask {
  ability: string;
  environment: string;
  input: JsonObject;
  /** Files over the input, kept in the store for the task. */
  files?: Omit<GivenFiles, 'signal'>;
  user: Person;
  session?: string | null;
  /** The folder of the project that it is about; left out: not known. */
  scope?: string;
  /** The kind of caller; left out: unknown, so that every hook fires. */
  caller?: TaskRequest['caller'];
  /** The purpose, in the words of the requester. */
  intent?: string;
  /** Id of the run that it is part of, see `beginRun`; left out: none. */
  inRun?: string;
  /** Chosen by the caller; the same key with the same request is the same task. */
  key?: string;
  /** Made by {@link generateTaskKey} in place of a new one: who loses the answer asks again under it, and it is the same task. */
  made?: string;
  /** Run at once; otherwise the task waits for {@link runTask}. */
  run: boolean;
  /** No key, no record: the task is only this call. */
  direct?: boolean;
  /** Reuse the results of an earlier task, as far as they still hold. */
  retry?: TaskRequest['retry'];
  /** Run only the planned version. */
  plan?: TaskRequest['plan'];
  /** The secret of its handle, see `newTaskSecret`; kept in the memo. */
  handle?: string;
  /** Trace context of the request, as W3C `traceparent` has it. */
  trace?: string;
  /** Called where no worker takes up the preflight. */
  onStall?: (stall: Stall) => void;
  /** Ends the creating, with its reason; then nothing is created. */
  signal?: AbortSignal;
  /** Called with the result of preflight, and awaited, before the task is started; may refuse by throwing. */
  review?: (answer: PreflightAnswer) => void | Promise<void>;
}
