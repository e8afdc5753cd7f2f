import type { JsonObject } from '../../contracts/json.js';
import type { Person } from '../../contracts/people.js';
import type { PreflightAnswer, TaskRequest } from '../../contracts/task.js';
import type { Stall } from '../watch/find-stall.js';
import type { GivenFiles } from './give-files.js';
import { generateTaskKey } from './keys.js';

export interface NewTask {
  ability: string;
  environment: string;
  input: JsonObject;
  /** Files as further inputs; the store keeps them for the task. */
  files?: Omit<GivenFiles, 'signal'>;
  user: Person;
  session?: string | null;
  /** The folder of the project that it concerns; absent: unknown. */
  scope?: string;
  /** Absent: unknown, so that every hook fires. */
  caller?: TaskRequest['caller'];
  /** The purpose, in the words of the requester. */
  intent?: string;
  /** Id of the run that it is part of, see `beginRun`; absent: none. */
  inRun?: string;
  /** The caller's own key; the same key with the same request is the same task. */
  key?: string;
  /** A key of {@link generateTaskKey}, which allows a caller to repeat the request if the answer is lost. */
  made?: string;
  /** Run at once; otherwise the task waits for {@link runTask}. */
  run: boolean;
  /** Without key and record, for this call only. */
  direct?: boolean;
  /** Reuse the results of an earlier task, as far as they still hold. */
  retry?: TaskRequest['retry'];
  /** Run only the planned version. */
  plan?: TaskRequest['plan'];
  /** The secret of its handle, see `newTaskSecret`; kept in the memo. */
  handle?: string;
  /** W3C `traceparent` of the request. */
  trace?: string;
  onStall?: (stall: Stall) => void;
  /** Aborts the creation, with its reason. */
  signal?: AbortSignal;
  /** Called with the result of preflight, and awaited, before the task is started; may refuse by throwing. */
  review?: (answer: PreflightAnswer) => void | Promise<void>;
}
