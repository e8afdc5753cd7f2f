import { deliver } from '../../../client/index.js';
import type { Json } from '../../../contracts/json.js';
import { AbilityError } from '../../../contracts/problem.js';
import { inferPlacement } from '../../../planning/steps/infer-placement.js';
import { checkTrigger, triggerEnvironment } from '../../../planning/triggers/check-trigger.js';
import type { FoundTrigger } from '../../../planning/triggers/stated-triggers.js';
import { oneLine } from '../../../rules/shown-text.js';
import { reserveWait } from '../reserve-wait.js';
import type { HttpAnswer, HttpCall } from '../route.js';
import type { Signed } from './check-signature.js';
import { invalid, parseBody, readDelivery } from './read-delivery.js';

/** Senders wait a few seconds for an answer, GitHub ten. */
const WAIT_MS = 2000;

type Call = Pick<HttpCall<unknown, unknown, Buffer>, 'door' | 'body' | 'headers' | 'signal'>;

/**
 * Starts the task of a signed delivery. Reports a refusal to the sender and to the operator of the door.
 * @throws AbilityError `door.bad_request`, `door.delivery_invalid`; errors of `deliver`.
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
  const { ability, webhook, intent } = spec;
  const registry = door.registry();
  checkTrigger(registry, found);
  const wanted = readDelivery(spec, { headers, body, delivery });
  if (!wanted) return skipped('if');
  const { key, input } = wanted;
  const environment = triggerEnvironment(registry, found);
  const { placement } = inferPlacement(registry, ability, environment);
  const newTask = { ability, environment, input, ...(intent !== undefined && { intent }) };
  const leave = enter(door, webhook);
  try {
    const state = await door.ask((connection) =>
      deliver(connection, { webhook, key, wanted: newTask, placement }, { waitMs: leave ? WAIT_MS : 0, signal }),
    );
    const location = `/v1/tasks/${encodeURIComponent(key)}`;
    return { status: 202, body: { status: state.status, task_key: key, known: state.known }, headers: { location } };
  } catch (error) {
    throw error instanceof AbilityError && error.code === 'task.key_invalid'
      ? invalid('key', error.message, error)
      : error;
  } finally {
    leave?.();
  }
}

/** @returns undefined if the queue of waiting requests is full. */
function enter(door: Call['door'], webhook: string): (() => void) | undefined {
  try {
    return reserveWait(door, { name: `webhook ${webhook}` });
  } catch (error) {
    if (error instanceof AbilityError && error.code === 'door.too_many') return undefined;
    throw error;
  }
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
