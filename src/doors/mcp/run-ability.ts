import { createHash } from 'node:crypto';
import { z } from 'zod';
import { createTask, handleOf, newTaskSecret, readHandle } from '../../client/index.js';
import type { JsonObject } from '../../contracts/json.js';
import type { Person } from '../../contracts/people.js';
import { withWarnings } from './answers.js';
import { followTask } from './follow-task.js';
import type { ToolAnswer, ToolCall } from './mcp-door.js';
import { withTurnContext } from './prompt-session.js';

export const runInput = z.strictObject({
  id: z.string(),
  input: z.record(z.string(), z.unknown()).optional(),
  key: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,49}$/)
    .optional()
    .describe('Yours: the same key and input is the same task, so a call can be repeated.'),
  plan: z
    .string()
    .regex(/^[0-9a-f]{64}(\.[0-9a-f]{64})?$/)
    .optional()
    .describe('`reference` of ability_plan: run this and nothing else.'),
  intent: z.string().max(1000).optional().describe('What it is for.'),
});

/** Runs a durable task in the caller's session and waits briefly. @throws AbilityError as `createTask`. */
export async function runAbility(call: ToolCall, wanted: z.output<typeof runInput>): Promise<ToolAnswer> {
  const { door, visitor, caller, signal } = call;
  const connection = await call.loan.connect();
  const secret = newTaskSecret();
  const [plan, input] = wanted.plan?.split('.') ?? [];
  const warnings: string[] = [];
  const created = await visitor.session.use(connection, door, caller, (session) =>
    createTask(connection, {
      ability: wanted.id,
      environment: door.environment,
      input: (wanted.input ?? {}) as JsonObject,
      user: caller,
      session,
      caller: 'agent',
      run: true,
      handle: secret,
      signal,
      review: async (preflight) => {
        if (preflight.registry !== door.registry().digest) warnings.push(OTHER_DEFINITIONS);
        await door.review(preflight);
      },
      ...(wanted.key !== undefined && { key: keyOf(caller, wanted.key) }),
      ...(wanted.intent !== undefined && { intent: wanted.intent }),
      ...(plan !== undefined && { plan: { plan, ...(input !== undefined && { input }) } }),
      ...(call.trace !== undefined && { trace: call.trace }),
    }),
  );
  const key = created.id;
  // A reused key keeps the handle of its first use.
  const handle = created.attached ? await readHandle(connection, key, caller) : handleOf(key, secret);
  const answer = await followTask(call, connection, { key, handle });
  return withTurnContext(call, connection, withWarnings(answer, [...created.warnings, ...warnings]));
}

/** The worker may run other definitions than those searched, described and planned here. */
const OTHER_DEFINITIONS = 'The definitions of the worker differ from those here; the task runs those of the worker';

/** Each caller has its own keys, so that none runs or sees another's task under the same key. */
function keyOf({ name, agent = '' }: Person, key: string): string {
  const whose = createHash('sha256').update(JSON.stringify([name, agent]));
  return `a${whose.digest('hex').slice(0, 12)}-${key}`;
}
