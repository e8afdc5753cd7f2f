import type { z } from 'zod';
import { type Connection, type CreatedTask, createTask, type NewTask } from '../../client/index.js';
import { TASK_HEADERS } from '../../contracts/access.js';
import type { JsonObject } from '../../contracts/json.js';
import { AbilityError } from '../../contracts/problem.js';
import { refuseWithoutSteps } from '../../planning/resolve/check-ability.js';
import { wantedPlan } from '../../rules/plans/wanted-plan.js';
import { readTraceparent } from '../../rules/traces/trace-context.js';
import { findAbility } from '../answers/find-ability.js';
import { noteUnknown } from '../answers/note-gap.js';
import type { createBody } from './formats.js';
import { environmentOf } from './http-door.js';
import type { HttpCall } from './route.js';

export interface MadeTask extends CreatedTask {
  /** For `_meta`: the session assigned to an agent. */
  session: string | undefined;
}

type Call = Pick<
  HttpCall<unknown, unknown, z.output<typeof createBody>>,
  'door' | 'caller' | 'body' | 'headers' | 'signal'
>;

/** `Idempotency-Key` is the task key, so that repeats are one task. @throws AbilityError as `createTask`. */
export async function makeTask(call: Call, connection: Connection, run: boolean): Promise<MadeTask> {
  const wanted = await readWanted(call, run);
  const { door, caller } = call;
  const { scope, sessions } = door;
  const make = async (session: string | null, given: string | undefined): Promise<MadeTask> => ({
    ...(await createTask(connection, { ...wanted, caller: { ...wanted.caller, session } })),
    session: given,
  });
  if (call.body.session !== undefined) return make(call.body.session, undefined);
  if (caller.kind !== 'agent') return make(null, undefined);
  const { environment } = wanted;
  const session = sessions.of(caller, environment);
  return session.use(connection, { environment, scope }, caller.person, (id) => make(id, id));
}

async function readWanted({ door, caller, body, headers, signal }: Call, run: boolean): Promise<NewTask> {
  const registry = door.registry();
  const named = body.environment ?? door.environment ?? registry.project.default_environment ?? '';
  const place = { ability: body.ability, environment: named, scope: body.scope ?? door.scope };
  await findAbility(registry, body.ability).catch(noteUnknown(registry, door.env, place));
  refuseWithoutSteps(registry, body.ability);
  const key = readKey(headers['idempotency-key']);
  return {
    ability: body.ability,
    environment: environmentOf(door, registry, body.environment),
    input: (body.input ?? {}) as JsonObject,
    caller: {
      person: caller.person,
      kind: caller.kind ?? null,
      session: body.session ?? null,
      scope: body.scope ?? door.scope,
      trace: readTraceparent(headers.traceparent) ?? null,
      intent: body.intent?.replaceAll(/\s+/g, ' ') ?? null,
    },
    ...(body.plan !== undefined && { plan: wantedPlan(body.plan) }),
    ...(key !== undefined && { key }),
    run,
    signal,
  };
}

/**
 * Node joins repeated headers with commas, which no key contains. @throws AbilityError `door.bad_request` for several
 * keys.
 */
export function readKey(header: string | string[] | undefined): string | undefined {
  const key = header === undefined ? undefined : String(header);
  if (!key?.includes(',')) return key;
  const message = 'Idempotency-Key was sent more than once, or contains a comma';
  throw new AbilityError({ code: 'door.bad_request', message });
}

/** The same as `ability task create --json` prints. */
export function createdBody({ id, warnings, session }: MadeTask): JsonObject {
  return { status: 'available', task_key: id, warnings, ...metaOf(session) };
}

/** The fields of a response that the command line does not print. */
export function metaOf(session: string | undefined): JsonObject {
  return session === undefined ? {} : { _meta: { session_id: session } };
}

/** The task's URL, its run, and whether the key already belonged to this task. */
export function headersOf({ id, runId, attached }: MadeTask): Record<string, string> {
  return {
    location: `/v1/tasks/${encodeURIComponent(id)}`,
    [TASK_HEADERS.run]: runId,
    [TASK_HEADERS.attached]: String(attached),
  };
}
