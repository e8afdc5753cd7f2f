import type { Starter } from '../../contracts/approvals.js';
import type { TaskCaller } from '../../contracts/callers.js';
import type { JsonObject } from '../../contracts/json.js';
import type { Formed, TaskOptions } from '../../contracts/task.js';
import type { DoorKey } from '../../server/keys/door-key.js';
import type { Stall } from '../watch/find-stall.js';
import type { GivenFiles } from './files-as-input.js';
import { generateTaskKey } from './keys.js';

export interface NewTask {
  ability: string;
  environment: string;
  input: JsonObject;
  /** Files as further inputs; the store keeps them for the task. */
  files?: Omit<GivenFiles, 'signal'>;
  caller: TaskCaller;
  /** The door that knows the person, and signs for that; absent: the name is a claim. */
  door?: { admitted: Starter; key: DoorKey } | null;
  /** Id of the run that it is part of, see `beginRun`; absent: none. */
  inRun?: string;
  /** The caller's own key; the same key with the same request is the same task. */
  key?: string;
  /**
   * A key of {@link generateTaskKey}, which allows a caller to repeat the request if the answer is lost, or of a
   * delivery or a retry, which may have a colon.
   */
  made?: string;
  /** Run at once; otherwise the task waits for {@link runTask}. */
  run: boolean;
  /**
   * Return once Temporal has accepted the start, and not only after preflight: for a caller who waits for the end,
   * or who must not wait. Whether it was formed shows in its result.
   */
  soon?: boolean;
  /** Nobody waits for it: it also runs if a worker takes it up only later. */
  leaves?: boolean;
  /** Accept it even if no worker serves its environment now. */
  unserved?: boolean;
  /** Without key and record, for this call only. */
  direct?: boolean;
  /** Reuse the results of an earlier task, as far as they still hold. */
  retry?: TaskOptions['retry'];
  /** Run only the planned version. */
  plan?: TaskOptions['plan'];
  /** Digest of the definitions that the worker must have. */
  registry?: string;
  /** The secret of its handle, see `newTaskSecret`; kept in the memo. */
  handle?: string;
  onStall?: (stall: Stall) => void;
  /** Aborts the creation, with its reason. */
  signal?: AbortSignal;
  /** Called with what passed preflight, and awaited, before anything runs; may refuse by throwing. */
  review?: (formed: Formed) => void | Promise<void>;
}

/** A new task, or an existing one with the same key and request. */
export interface CreatedTask {
  /** Workflow id: the task key, or `direct:<uuid>`. */
  id: string;
  runId: string;
  /** Of its preflight; empty if the caller did not wait for that. */
  warnings: string[];
  /** Where a retry begins, and why; absent: it is none, or the caller did not wait for preflight. */
  begins?: string;
  /** Whether the task already existed. */
  attached: boolean;
}
