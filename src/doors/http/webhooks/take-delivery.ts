import { createTask } from '../../../client/index.js';
import type { Json } from '../../../contracts/json.js';
import { AbilityError } from '../../../contracts/problem.js';
import { checkTrigger, triggerEnvironment } from '../../../planning/triggers/check-trigger.js';
import type { FoundTrigger } from '../../../planning/triggers/stated-triggers.js';
import { oneLine } from '../../../rules/shown-text.js';
import { deliveryIdOf } from '../../../rules/tasks/task-ids.js';
import { readTraceparent } from '../../../rules/traces/trace-context.js';
import type { HttpAnswer, HttpCall } from '../route.js';
import type { Signed } from './check-signature.js';
import { parseBody, readDelivery } from './read-delivery.js';

type Call = Pick<HttpCall<unknown, unknown, Buffer>, 'door' | 'body' | 'headers' | 'signal'>;

/**
 * The delivery is the task: once Temporal has it, it goes on, even if the door then fails or no worker is up. Reports a
 * refusal before that to the sender and to the operator of the door.
 * @throws AbilityError `door.bad_request`, `door.delivery_invalid`; errors of `createTask`.
 */
export async function takeDelivery(call: Call, found: FoundTrigger, signed: Signed): Promise<NonNullable<HttpAnswer>> {
  try {
    const body = parseBody(call.body);
    return isPing(call, signed) ? skipped('ping') : await start(call, found, signed, body);
  } catch (error) {
    noteRefusal(call, found, signed, error);
    throw error;
  }
}

async function start(
  { door, headers, signal }: Call,
  found: FoundTrigger,
  { delivery }: Signed,
  body: Json,
): Promise<NonNullable<HttpAnswer>> {
  const { spec } = found;
  const { ability, webhook, intent = null } = spec;
  const registry = door.registry();
  checkTrigger(registry, found);
  const wanted = readDelivery(spec, { headers, body, delivery });
  if (!wanted) return skipped('if');
  const task = deliveryIdOf(webhook, wanted.key);
  const person = { name: `webhook:${webhook}`, source: 'claimed' } as const;
  const trace = readTraceparent(headers.traceparent) ?? null;
  const created = await door.ask((connection) =>
    createTask(connection, {
      ability,
      environment: triggerEnvironment(registry, found),
      input: wanted.input,
      caller: { person, kind: 'ci', session: null, scope: null, trace, intent },
      made: task,
      run: true,
      soon: true,
      leaves: true,
      unserved: true,
      signal,
    }),
  );
  const location = `/v1/tasks/${encodeURIComponent(task)}`;
  return { status: 202, body: { status: 'started', task_key: task, known: created.attached }, headers: { location } };
}

function isPing({ headers }: Call, { scheme }: Signed): boolean {
  return scheme === 'github' && headers['x-github-event'] === 'ping';
}

function skipped(by: 'if' | 'ping'): NonNullable<HttpAnswer> {
  return { status: 200, body: { status: 'skipped', by } };
}

/** Only for signed deliveries: unsigned ones could fill the log. */
function noteRefusal({ door }: Call, { spec }: FoundTrigger, { delivery }: Signed, error: unknown): void {
  if (!(error instanceof AbilityError)) return;
  const which = delivery === undefined ? '' : `, delivery ${oneLine(delivery)}`;
  door.note(`Webhook ${spec.webhook}${which}: refused, ${error.code}: ${oneLine(error.message)}`);
}
