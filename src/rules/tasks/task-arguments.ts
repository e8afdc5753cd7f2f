import type { Person } from '../../contracts/callers.js';
import { isJsonObject } from '../../contracts/json.js';
import { AbilityError, usageError } from '../../contracts/problem.js';
import type { Seal } from '../../contracts/seal.js';
import type {
  Continued,
  Formed,
  PreflightRequest,
  SealProof,
  TaskArguments,
  TaskOptions,
  TaskStart,
} from '../../contracts/task.js';
import { defined } from '../../text/defined.js';
import { digestOf } from '../canonical.js';
import { knownDigestOf } from '../plans/plan-digest.js';

/** Who asks where the start does not say: nobody known, so that every guard applies. */
const UNKNOWN: Person = { name: 'unknown', source: 'claimed' };

/** Input and options as preflight gets them. @throws AbilityError `input.invalid`, `usage.invalid`. */
export function readGiven([input, options]: readonly unknown[]): Pick<PreflightRequest, 'input' | 'options'> {
  const given = input ?? {};
  if (isJsonObject(given)) return { input: given, options: readOptions(options ?? {}) };
  const message = 'The input of a task is a JSON object, its first argument';
  throw new AbilityError({ code: 'input.invalid', message, suggestion: 'Write it such as {"build_id": "1234"}.' });
}

type Check = (value: unknown) => boolean;
const isText: Check = (value) => typeof value === 'string';
const areTexts: Check = (value) => Array.isArray(value) && value.every(isText);
const isTrue: Check = (value) => value === true;
const isDigest: Check = (value) => typeof value === 'string' && /^[0-9a-f]{12,64}$/.test(value);

/** The shape of an object: absent members are fine, strange ones are not. */
function shaped(members: Record<string, Check>, needed: readonly string[] = []): Check {
  return (value) =>
    isJsonObject(value) &&
    needed.every((name) => Object.hasOwn(value, name)) &&
    Object.entries(value).every(([name, member]) => Object.hasOwn(members, name) && members[name]?.(member));
}

const OPTIONS: Record<keyof TaskOptions, Check> = {
  user: shaped({ name: isText, source: (value) => value === 'claimed', agent: isText }, ['name']),
  session: isText,
  scope: isText,
  caller: isText,
  intent: isText,
  run: isText,
  create: isTrue,
  retry: shaped(
    {
      task: isText,
      from: (value) => value === null || isText(value),
      stands: areTexts,
      undone: areTexts,
      reconcile: isTrue,
    },
    ['task'],
  ),
  plan: shaped({ plan: isDigest, input: isDigest }, ['plan']),
  registry: isDigest,
  definitions: isDigest,
  start_by: isText,
  trace: isText,
  handle: isText,
  vouched: shaped({
    ...{ source: isText, issuer: (value) => value === null || isText(value), subject: isText, groups: areTexts },
    ...{ nonce: isText, door: isText, signature: isText },
  }),
};

/** @throws AbilityError `usage.invalid` for an unknown key or a value of another form; null is absent. */
function readOptions(value: unknown): TaskOptions {
  if (!isJsonObject(value)) throw notOptions('The options of a task are a JSON object, its second argument');
  const given = Object.entries(value).filter(([, member]) => member !== null && member !== undefined);
  for (const [name, member] of given) {
    if (!Object.hasOwn(OPTIONS, name)) throw notOptions(`A task has no option \`${name}\``);
    if (!OPTIONS[name as keyof TaskOptions](member)) throw notOptions(`The option \`${name}\` has another form`);
  }
  return Object.fromEntries(given) as TaskOptions;
}

function notOptions(message: string): AbilityError {
  const suggestion = `Options, all optional: ${Object.keys(OPTIONS).join(', ')}; see docs/start-from-temporal.md.`;
  return usageError(message, suggestion);
}

/** Who asks. What a door vouches for counts only after preflight, which refuses a task whose proof does not hold. */
export function userOf({ user, vouched }: TaskOptions): Person {
  return user ? { ...user, source: vouched?.source ?? 'claimed' } : UNKNOWN;
}

/** What a seal says of a task besides its plan: all that its options claim. */
export function claimsOf(options: TaskOptions): Pick<Seal, 'user' | 'session' | 'scope' | 'intent' | 'run'> {
  const { session, scope, intent, run } = options;
  return { user: userOf(options), ...defined({ session, scope, intent, run }) };
}

/** The part of a seal that does not follow from the other arguments of its task. */
export function proofOf({ key_id, mac, caller, confirmations, progress }: Seal, isCarried = false): SealProof {
  return {
    key_id,
    mac,
    ...(caller !== undefined && { caller }),
    ...(confirmations.length > 0 && { confirmations }),
    // The progress of the arguments is the task's own by now; this is the reused one.
    ...(isCarried && progress !== undefined && { progress }),
  };
}

type Given = Pick<PreflightRequest, 'input' | 'options'>;

/** What the first run of a task begins with. @param task its workflow id. */
export function startOf({ input: given, options }: Given, formed: Formed, task: string): TaskStart {
  const { plan, seal, input = given, warnings = [], hooks, progress } = formed;
  return {
    plan,
    seal: sealOf({ plan, input, options, progress }, seal, task),
    input,
    options,
    user: userOf(options),
    session: options.session ?? null,
    run: options.create !== true,
    warnings,
    ...defined({ hooks, progress }),
  };
}

/** Arguments of the next run of a task, or of a task that it calls. */
export function nextArguments(start: TaskStart): TaskArguments {
  const { plan, seal, input, options, run, user: _, session: __, warnings, ...rest } = start;
  const continued: Continued = {
    // First, see `Continued`.
    $plan: plan,
    seal: rest.child ? seal : proofOf(seal, rest.carried !== undefined),
    ...(run && { run: true as const }),
    ...(warnings.length > 0 && { warnings }),
    ...rest,
  };
  return [input, rest.child ? null : options, continued];
}

/** What a continued run or a called task begins with; undefined for arguments that no task of ours hands over. */
export function continuedStart(args: readonly unknown[], task: string): TaskStart | undefined {
  const [input, options, continued] = args as TaskArguments;
  if (!isJsonObject(input) || !isContinued(continued)) return undefined;
  const { $plan: plan, seal: given, run = false, warnings = [], ...rest } = continued;
  if (rest.child) {
    // A called task has its caller's seal: for the caller's input, but for the plan of both.
    if (!isWhole(given)) return undefined;
    const { user, session = null } = given;
    const seal = { ...given, plan: knownDigestOf(plan) };
    return { ...rest, plan, seal, input, options: {}, user, session, run, warnings };
  }
  const claims = options ?? {};
  const { progress, carried } = rest;
  const seal = sealOf({ plan, input, options: claims, ...(!carried && { progress }) }, given, task);
  const session = claims.session ?? null;
  return { ...rest, plan, seal, input, options: claims, user: userOf(claims), session, run, warnings };
}

function isContinued(value: Continued | null | undefined): value is Continued {
  return isJsonObject(value) && isJsonObject(value.$plan) && typeof (value.seal as Seal | undefined)?.mac === 'string';
}

function isWhole(seal: Continued['seal']): seal is Seal {
  return 'task' in seal && 'user' in seal && isJsonObject(seal.user) && Array.isArray(seal.confirmations);
}

/** Rebuilds a seal from the actual values, so that its signature holds for these only. */
function sealOf(
  { plan, input, options, progress }: Pick<TaskStart, 'plan' | 'input' | 'options'> & Pick<Formed, 'progress'>,
  { key_id, mac, caller, confirmations = [], progress: reused }: SealProof,
  task: string,
): Seal {
  const taken = reused ?? (progress && digestOf(progress));
  return {
    plan: knownDigestOf(plan),
    task,
    input: digestOf(input),
    ...(taken !== undefined && { progress: taken }),
    ...claimsOf(options),
    ...(caller !== undefined && { caller }),
    confirmations,
    key_id,
    mac,
  };
}
