import { z } from 'zod';
import {
  type Connection,
  type CreatedTask,
  createTask as create,
  isGeneratedKey,
  type NewTask,
} from '../client/index.js';
import type { JsonObject } from '../contracts/json.js';
import { findAbility } from '../definitions/find-ability.js';
import { refuseWithoutSteps } from '../planning/resolve/check-ability.js';
import { wantedPlan } from '../rules/plans/plan-digest.js';
import { defined } from '../text/defined.js';
import { start } from './concerns.js';
import * as fields from './fields.js';
import { noteUnknown } from './gaps.js';
import { answer, environmentOf, type OpenProject, type OperationCaller, operation } from './operation.js';

export const KEY = {
  name: 'Idempotency-Key',
  means: 'Your own task key, or run id with `prompt`: the same request with the same key is the same task.',
};

/** A task to create. */
export const newTask = z.strictObject({
  ability: fields.id.describe('Its id.'),
  input: fields.input.optional(),
  environment: fields.environment.optional(),
  session: fields.session.optional().describe('The session that the task belongs to.'),
  scope: fields.scope.optional().describe('The folder that the task is about (default: that of the door).'),
  intent: z.string().trim().min(1).max(1000).optional().describe('What it is for; kept and shown with the task.'),
  plan: z
    .string()
    .regex(/^[0-9a-f]{64}(?:\.[0-9a-f]{64})?$/)
    .optional()
    .describe('Refuse anything but the plan with this digest; after a dot that of its input.'),
  key: z.string().max(500).optional().describe('Its task key; the same request with the same key is the same task.'),
});

export const meta = z.strictObject({ session_id: z.string() }).optional().describe('The session of an agent.');

export const created = z.strictObject({
  status: z.literal('available'),
  task_key: z.string(),
  run_id: z.string().describe('The run of the workflow.'),
  attached: z.boolean().describe('Whether the key belonged to this very task already.'),
  warnings: z.array(z.string()),
  _meta: meta,
});

export interface MadeTask extends CreatedTask {
  /** The session that the door keeps for an agent. */
  session: string | null;
}

export const createTask = operation({
  summary: 'Check that a task can be formed and return its key; nothing runs.',
  right: 'run',
  concerns: start,
  at: 'POST /v1/tasks',
  input: newTask,
  headers: { key: KEY },
  starts: true,
  answers: answer('A task with this key exists.', created, 201),
  // A caller that leaves gives up nothing.
  run: async (project, caller, wanted) => createdAnswer(await makeTask(project, caller, wanted, {})),
});

/** What only a caller in the same process can give. */
export type Further = {
  [Name in 'files' | 'direct' | 'registry' | 'review' | 'onStall' | 'signal' | 'soon' | 'leaves']?:
    | NewTask[Name]
    | undefined;
} & {
  run?: boolean;
};

/** What is wrong with the request itself is found before anything is connected to. @throws AbilityError as `createTask`. */
export async function makeTask(
  project: OpenProject,
  caller: OperationCaller,
  wanted: z.output<typeof newTask>,
  { run = false, ...further }: Further,
): Promise<MadeTask> {
  const { ability, key, plan, intent } = wanted;
  const registry = project.registry();
  const scope = wanted.scope ?? caller.scope;
  const named = wanted.environment ?? project.environment ?? registry.project.default_environment ?? '';
  const place = { ability, environment: named, scope };
  await findAbility(registry, ability).catch(noteUnknown(registry, project.env, place));
  refuseWithoutSteps(registry, ability);
  const environment = environmentOf(project, registry, wanted.environment);
  const { person, kind, trace } = caller;
  const make = (connection: Connection, session: string | null): Promise<CreatedTask> =>
    create(connection, {
      ability,
      environment,
      input: (wanted.input ?? {}) as JsonObject,
      caller: { person, kind, session, scope, trace, intent: intent?.replaceAll(/\s+/g, ' ') ?? null },
      door: caller.proof?.door ?? null,
      ...(plan !== undefined && { plan: wantedPlan(plan) }),
      // A generated key only lets the caller repeat the request.
      ...(key !== undefined && (isGeneratedKey(key) ? { made: key } : { key })),
      run,
      ...defined(further),
    });
  const session = wanted.session ?? caller.session;
  return project.ask(async (connection) => {
    if (session !== null) return { ...(await make(connection, session)), session: null };
    return project.inSession(connection, caller, environment, async (id) => {
      return { ...(await make(connection, id)), session: id };
    });
  });
}

/** The same as `ability task create --json` prints. */
export function createdAnswer({ id, runId, attached, warnings, session }: MadeTask) {
  return {
    status: 'available' as const,
    task_key: id,
    run_id: runId,
    attached,
    warnings,
    ...(session !== null && metaOf(session)),
  };
}

export function metaOf(session: string): { _meta: { session_id: string } } {
  return { _meta: { session_id: session } };
}
