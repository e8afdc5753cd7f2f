import { createHash } from 'node:crypto';
import { z } from 'zod';
import { type Connection, createTask, handleOf, newTaskSecret, readHandle } from '../../client/index.js';
import type { Person } from '../../contracts/callers.js';
import type { JsonObject } from '../../contracts/json.js';
import { wantedPlan } from '../../rules/plans/plan-digest.js';
import { withWarnings } from './answers.js';
import { followTask } from './follow-task.js';
import type { ToolAnswer, ToolCall } from './mcp-door.js';
import { withTurnContext } from './prompt-session.js';
import type { OwnTask } from './task-answer.js';

export const createInput = z.strictObject({
  id: z.string(),
  input: z.record(z.string(), z.unknown()).optional(),
  key: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,49}$/)
    .optional()
    .describe('Yours: the same key and input is the same task.'),
  intent: z.string().max(1000).optional().describe('What it is for.'),
});

export const runInput = createInput.extend({
  plan: z
    .string()
    .regex(/^[0-9a-f]{64}(\.[0-9a-f]{64})?$/)
    .optional()
    .describe('`reference` of ability_plan: run this and nothing else.'),
});

/** Runs a durable task in the caller's session and waits briefly. @throws AbilityError as `createTask`. */
export async function runAbility(call: ToolCall, wanted: z.output<typeof runInput>): Promise<ToolAnswer> {
  const connection = await call.loan.connect();
  const { warnings, ...task } = await startTask(call, connection, wanted, true);
  const answer = await followTask(call, connection, task);
  return withTurnContext(call, connection, withWarnings(answer, warnings));
}

/** `task_create`: forms a task that `task_run` runs. @throws AbilityError as `createTask`. Source: R-000-67. */
export async function createOnly(call: ToolCall, wanted: z.output<typeof createInput>): Promise<ToolAnswer> {
  const { handle, warnings } = await startTask(call, await call.loan.connect(), wanted, false);
  return withWarnings({ data: { status: 'available', task: handle }, isError: false }, warnings);
}

async function startTask(
  call: ToolCall,
  connection: Connection,
  wanted: z.output<typeof runInput>,
  run: boolean,
): Promise<OwnTask & { warnings: string[] }> {
  const { door, visitor, caller, signal } = call;
  const secret = newTaskSecret();
  const { trace = null } = call;
  const who = { person: caller, kind: 'agent', scope: door.scope, trace, intent: wanted.intent ?? null } as const;
  const created = await visitor.session.use(connection, door, caller, (session) =>
    createTask(connection, {
      ability: wanted.id,
      environment: door.environment,
      input: (wanted.input ?? {}) as JsonObject,
      caller: { ...who, session },
      door: visitor.door ?? null,
      run,
      handle: secret,
      signal,
      ...door.strict(),
      ...(wanted.key !== undefined && { key: keyOf(caller, wanted.key) }),
      ...(wanted.plan !== undefined && { plan: wantedPlan(wanted.plan) }),
    }),
  );
  const key = created.id;
  // A reused key keeps the handle of its first use.
  const handle = created.attached ? await readHandle(connection, key, caller) : handleOf(key, secret);
  return { key, handle, warnings: created.warnings };
}

/** Each caller has its own keys, so that none runs or sees another's task under the same key. */
function keyOf({ name, agent = '' }: Person, key: string): string {
  const whose = createHash('sha256').update(JSON.stringify([name, agent]));
  return `a${whose.digest('hex').slice(0, 12)}-${key}`;
}
