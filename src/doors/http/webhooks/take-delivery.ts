import { createTask } from '../../../client/index.js';
import type { Starter } from '../../../contracts/approvals.js';
import { isJsonObject, type Json, type JsonObject } from '../../../contracts/json.js';
import { USER_KEY } from '../../../contracts/names.js';
import { AbilityError } from '../../../contracts/problem.js';
import type { TriggerSpec } from '../../../contracts/webhooks.js';
import {
  checkTrigger,
  type FoundTrigger,
  seenHeaders,
  triggerEnvironment,
} from '../../../planning/triggers/check-trigger.js';
import { evaluateCondition } from '../../../rules/expressions/evaluate.js';
import type { Scope } from '../../../rules/expressions/expression.js';
import { evaluateTemplate, expressionsIn } from '../../../rules/expressions/template.js';
import { oneLine } from '../../../rules/shown-text.js';
import { deliveryKey } from '../../../rules/tasks/delivery-key.js';
import { deliveryIdOf } from '../../../rules/tasks/task-ids.js';
import { readTraceparent } from '../../../rules/traces/trace-context.js';
import { refuseUnsafeKeys } from '../../../rules/unsafe-keys.js';
import { attempt } from '../../../text/attempt.js';
import { readInput } from '../../../text/lossless-json/read-json.js';
import type { HttpAnswer, HttpCall } from '../route.js';
import type { Headers, Signed } from './check-signature.js';

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
  const admitted: Starter = { source: 'webhook', issuer: null, subject: webhook, groups: [] };
  const key = attempt(() => door.authentication.doorKey());
  const trace = readTraceparent(headers.traceparent) ?? null;
  const created = await door.ask((connection) =>
    createTask(connection, {
      ability,
      environment: triggerEnvironment(registry, found),
      input: wanted.input,
      caller: { person, kind: 'ci', session: null, scope: null, trace, intent },
      door: key ? { admitted, key } : null,
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

/** The task that a delivery requests; undefined if the `if` of its trigger is false. */
interface Wanted {
  key: string;
  input: JsonObject;
}

/** The body of a delivery. @throws AbilityError `door.bad_request` for invalid JSON, a key twice or unsafe keys.
 * Integers beyond 2^53 - 1 are text. */
export function parseBody(bytes: Buffer): Json {
  // A sender cannot write its ids in another way; the input's schema decides whether text will do.
  const body = readInput(bytes, { what: 'The body of the webhook', code: 'door.bad_request', integers: 'text' });
  refuseUnsafeKeys(body, 'door.bad_request');
  return body;
}

/**
 * The task that a delivery requests; undefined if none. @param delivery its id, given by the sender.
 * @throws AbilityError `door.delivery_invalid`, with the part in the details.
 */
function readDelivery(
  { if: condition, input, key }: TriggerSpec,
  { headers, body, delivery }: { headers: Headers; body: Json; delivery: string | undefined },
): Wanted | undefined {
  const values = { webhook: { headers: seenHeaders(headers), body } };
  if (condition !== undefined && !evaluating('if', () => evaluateCondition(condition, values))) return undefined;
  const made = evaluating('key', () => {
    if (key !== undefined) return evaluateKey(key, { values });
    return delivery === undefined || delivery === '' ? null : deliveryKey(delivery);
  });
  const given = evaluating('input', () => evaluateTemplate(input, { values }));
  if (!isJsonObject(given))
    throw invalid('input', `it gives ${kindOf(given)}, and the input of an ability is an object`);
  return { key: keyOf(made), input: given };
}

/** Refuses an empty part, which does not distinguish deliveries. */
function evaluateKey(key: string, scope: Scope): Json {
  const empty = expressionsIn(key).find((expression) => expression.evaluate(scope) === '');
  if (!empty) return evaluateTemplate(key, scope);
  throw invalid('key', `\`${empty.source}\` gives an empty text`);
}

function keyOf(made: Json): string {
  const key = typeof made === 'number' ? String(made) : made;
  if (typeof key === 'string' && USER_KEY.test(key)) return key;
  if (typeof key === 'string' && key !== '') throw invalid('key', `${JSON.stringify(key)} is no task key`);
  const why = made === null ? 'its sender gave the delivery no id (`webhook-id`)' : `it gives ${kindOf(made)}`;
  throw invalid('key', why);
}

function kindOf(value: Json): string {
  if (value === '') return 'an empty text';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

function evaluating<T>(part: string, evaluate: () => T): T {
  try {
    return evaluate();
  } catch (error) {
    if (!(error instanceof AbilityError) || error.code === 'door.delivery_invalid') throw error;
    throw invalid(part, error.message, error);
  }
}

function invalid(part: string, why: string, cause?: unknown): AbilityError {
  return new AbilityError(
    {
      code: 'door.delivery_invalid',
      message: `\`${part}\` of the trigger does not work for this delivery: ${why}`,
      details: { part },
      suggestion: `Check in \`if\` for what \`${part}\` needs, such as \`has(webhook.body.action)\`, or fix the trigger.`,
    },
    { cause },
  );
}
