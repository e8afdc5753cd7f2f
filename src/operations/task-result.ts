import { z } from 'zod';
import type { AgentUsage } from '../contracts/agent.js';
import type { Approval } from '../contracts/approvals.js';
import { CALLERS, type Caller, type Person } from '../contracts/callers.js';
import type { Turn } from '../contracts/concurrency.js';
import type { TaskFile } from '../contracts/files.js';
import type { HookAnswer } from '../contracts/hooks.js';
import type { Json } from '../contracts/json.js';
import type { Problem } from '../contracts/problem.js';
import { END_STATES, OPEN_STATES, type TaskState } from '../contracts/states.js';
import type { InputChange } from '../contracts/task-input.js';
import type { Rollback, StepSummary } from '../contracts/task-parts.js';
import type { TaskLinks } from '../rules/tasks/task-link.js';
import { json, problem } from './fields.js';

/** The outcome of a task, the same for every door. */
export interface TaskResult extends Rollback {
  status: TaskState;
  task_key: string | null;
  ability_id: string;
  version: number | string;
  digest: string;
  environment: string;
  output: Json;
  error: Problem | null;
  warnings: string[];
  steps: StepSummary[];
  approvals: Approval[];
  hooks: HookAnswer[];
  requested_by: Person;
  /** Who started it: a person, CI, an agent, a session or another task; omitted if unknown. */
  caller?: Caller;
  started_at: string | null;
  finished_at: string | null;
  /** Whether the `finally` steps ran; null if there are none. */
  cleanup_ran: boolean | null;
  links: TaskLinks & { record: string | null };
  /** Purpose of the task, in the requester's words; omitted if they gave none. */
  intent?: string;
  changes?: InputChange[];
  /** Number of changes not in {@link changes}, between the first and the latest; omitted if zero. */
  changes_left?: number;
  /** For a called task: its working time, which counts as the caller's. */
  worked_ms?: number;
  /** Usage of an agent with the agents that it called; for a workflow, of the agents that it called. */
  agent?: AgentUsage;
  /** For a called task: whether the author declared that an answer means its failure, see {@link Handling}. */
  answer?: true;
  concurrency?: Turn;
  /** The files of the task, in the order in which it got them; omitted if none. */
  files?: TaskFile[];
  /** Name of its project, if not the reader's. */
  project?: string;
  /** Set while the state is not final: what the task waits for and how to continue. */
  waiting?: { approvals: string[]; resume: string; link: string | null };
}

/** Fields of a result that only the runtime itself reads. */
type Internal = 'worked_ms' | 'answer';

const shape = {
  status: z.enum([...OPEN_STATES, ...END_STATES]),
  task_key: z.string().nullable(),
  ability_id: z.string(),
  version: z.union([z.string(), z.number()]),
  digest: z.string(),
  environment: z.string(),
  output: json,
  error: problem.nullable(),
  warnings: z.array(z.string()),
  steps: z.array(z.looseObject({ id: z.string(), path: z.string(), status: z.string() })),
  approvals: z.array(z.looseObject({ id: z.string(), title: z.string(), status: z.string() })),
  hooks: z.array(z.looseObject({})),
  requested_by: z.looseObject({ name: z.string() }),
  caller: z.enum(CALLERS).optional().describe('Left out if unknown.'),
  intent: z.string().optional().describe('What it is for, in the words of its requester.'),
  started_at: z.string().nullable(),
  finished_at: z.string().nullable(),
  cleanup_ran: z.boolean().nullable(),
  rolled_back: z.enum(['complete', 'partial', 'none']).optional().describe('Left out if nothing was to be undone.'),
  not_undone: z
    .array(z.looseObject({ path: z.string(), call: z.string(), status: z.string() }))
    .optional()
    .describe('The calls that were to be undone and were not, or perhaps not.'),
  files: z.array(z.looseObject({ step: z.string(), name: z.string() })).optional(),
  links: z.strictObject({
    temporal: z.string().nullable(),
    page: z.string().nullable().describe('On the page for people, if its address is known.'),
    record: z.string().nullable(),
  }),
  concurrency: z.looseObject({}).optional().describe('The turn that it waits for, or has.'),
  changes: z.array(z.looseObject({})).optional().describe('The changes of its input.'),
  changes_left: z.int().optional(),
  agent: z.looseObject({}).optional().describe('Usage of an agent.'),
  waiting: z.looseObject({ approvals: z.array(z.string()) }).optional(),
  project: z.string().optional().describe("Its project, if not the reader's."),
} satisfies Record<Exclude<keyof TaskResult, Internal>, z.ZodType>;

/** The result of a task, the same at every door. A field that is added here is shown by each of them. */
export const taskResult = z.looseObject(shape);

const NAMES = Object.keys(shape) as (keyof typeof shape)[];

/** What every door shows of a result; only `task show` has the details of a running task. */
export function shownResult(result: TaskResult): TaskResult {
  const shown = NAMES.filter((name) => result[name] !== undefined).map((name) => [name, result[name]]);
  return Object.fromEntries(shown) as TaskResult;
}
