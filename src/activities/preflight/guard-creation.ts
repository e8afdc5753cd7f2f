import type { HookAnswer } from '../../contracts/hooks.js';
import type { JsonObject } from '../../contracts/json.js';
import type { Plan } from '../../contracts/plan.js';
import type { Confirmation } from '../../contracts/seal.js';
import { ATTRIBUTES as A, OWN_SPANS } from '../../contracts/traces.js';
import type { Registry } from '../../definitions/registry.js';
import { refuseUnusableInput } from '../../kinds/script/call/call-script.js';
import { guardedParts } from '../../planning/hooks/hook-parts.js';
import { taskInput } from '../../planning/resolve/check-parameters.js';
import { resolveRemembered } from '../../planning/resolve/remembered-plan.js';
import { credentialsOf } from '../../planning/secrets/credentials.js';
import { digestOf } from '../../rules/canonical.js';
import { firstDeny } from '../../rules/hooks/fold-answers.js';
import { denialOf } from '../../rules/hooks/handlers.js';
import { knownDigestOf } from '../../rules/plans/plan-digest.js';
import { oneLine } from '../../rules/shown-text.js';
import { refuseUnsafeKeys } from '../../rules/unsafe-keys.js';
import { inOwnTrace, type NewSpan } from '../../tracing/current-span.js';
import type { ActivityDependencies } from '../dependencies.js';
import { refuseLargeFiles } from '../files/task-files.js';
import type { HookDependencies } from '../hooks/hook-dependencies.js';
import { runHooks } from '../hooks/run-hooks.js';
import { keepUnknown } from '../session/keep-signals.js';
import type { Wanted } from './read-request.js';

/** Who asks and for what, as guards see it. */
export type Asking = Pick<Wanted, 'environment' | 'task' | 'moment' | 'user' | 'session' | 'scope' | 'caller'>;

export type CreationDependencies = HookDependencies &
  Pick<ActivityDependencies, 'root' | 'variables' | 'scripts' | 'tools' | 'clockOf'>;

export interface Resolved {
  plan: Plan;
  /** With defaults applied. */
  input: JsonObject;
  digests: { plan: string; input: string };
  warnings: string[];
}

export interface Guarded extends Pick<Resolved, 'plan' | 'digests'> {
  hooks: HookAnswer[];
  confirmations: Confirmation[];
  warnings: string[];
}

/**
 * Resolves an ability and checks its input. @throws AbilityError `ability.*`, `config.*`, `scope.*`, `input.invalid`.
 */
export function resolveWanted(
  wanted: Pick<Wanted, 'ability' | 'environment' | 'input' | 'task'>,
  registry: Registry,
  { variables }: CreationDependencies,
): Resolved {
  refuseUnsafeKeys(wanted.input);
  const { ability, environment } = wanted;
  const { plan, warnings } = resolveRemembered(registry, ability, environment, variables?.(environment));
  const input = taskInput(plan, wanted.input);
  refuseLargeFiles(plan, input);
  refuseUnusableInput(plan, input, wanted.task);
  return { plan, input, digests: { plan: knownDigestOf(plan), input: digestOf(input) }, warnings };
}

/** Asks the creation hooks of a sealed plan about another input. @throws AbilityError `guard.denied`, `hook.failed`. */
export async function guardChange(
  plan: Plan,
  input: JsonObject,
  wanted: Asking,
  dependencies: CreationDependencies,
  signal: AbortSignal,
): Promise<Confirmation[]> {
  const clock = await dependencies.clockOf?.(wanted.task);
  const moment = clock?.now ?? wanted.moment;
  return confirmationsOf(await askGuards(plan, input, wanted, digestOf(plan), moment, dependencies, signal));
}

/** A case of `ability test` sends no notices, and is not audited. */
function withoutNotices({ notify: _, audit: __, ...plan }: Plan): Plan {
  return plan;
}

/** @throws AbilityError `config.missing_credential`, `secret.unavailable`, `mcp.*`, `guard.denied`, `hook.failed`. */
export async function guardCreation(
  { plan: resolved, input, digests: before }: Resolved,
  wanted: Asking,
  dependencies: CreationDependencies,
  signal: AbortSignal,
): Promise<Guarded> {
  const secrets = await readCredentials(resolved, dependencies, signal);
  const clock = await dependencies.clockOf?.(wanted.task);
  const { plan: pinned, warnings: notPinned } = await dependencies.tools.pin(resolved, { secrets, signal });
  const silent = dependencies.clockOf && (pinned.notify || pinned.audit) ? withoutNotices(pinned) : pinned;
  const plan = clock ? { ...silent, clock_shift_ms: clock.shift_ms } : silent;
  const digests = plan === resolved ? before : { ...before, plan: digestOf(plan) };
  const moment = clock?.now ?? wanted.moment;
  const ask = () => askGuards(plan, input, wanted, digests.plan, moment, dependencies, signal);
  const hooks = await (hasGuards(plan) ? inOwnTrace(dependencies.tracer, spanOf(wanted, plan), ask) : ask());
  const notKept = await dependencies.scripts.keep(plan);
  const warnings = [...notPinned, ...(notKept ? [notKept] : []), ...warningsOf(hooks)];
  return { plan, digests, hooks, confirmations: confirmationsOf(hooks), warnings };
}

/** Checks credentials before a task is accepted. Source: R-000-73. */
async function readCredentials(plan: Plan, { secrets }: CreationDependencies, signal: AbortSignal) {
  const wanted = credentialsOf(plan);
  const source = await secrets(plan.environment.name).read(wanted, signal);
  for (const { reference, what } of wanted) source.resolve(reference, what);
  return source;
}

function hasGuards({ ability, operations }: Plan): boolean {
  return [ability, ...Object.values(operations)].some(({ hooks }) => hooks.pre_create.length > 0);
}

/** A span from before task and trace exist; the task id links these guards to the task. */
function spanOf({ task, session, environment }: Asking, { ability, project }: Plan): NewSpan {
  const attributes = {
    [A.taskId]: task,
    [A.conversation]: session ?? undefined,
    [A.project]: project,
    [A.environment]: environment,
  };
  return { name: `${OWN_SPANS.preflight} ${ability.id}`, attributes };
}

/** Once for the task and once per operation it may call. Source: docs/hooks.md#preabilitycreate. */
async function askGuards(
  root: Plan,
  rootInput: JsonObject,
  wanted: Asking,
  planDigest: string,
  moment: number,
  dependencies: CreationDependencies,
  signal: AbortSignal,
): Promise<HookAnswer[]> {
  const answers: HookAnswer[] = [];
  for (const { plan, operation, path, input } of guardedParts(root, rootInput)) {
    const own = await runHooks(
      'PreAbilityCreate',
      {
        plan,
        operation,
        input,
        task: wanted.task,
        user: wanted.user,
        session: wanted.session,
        scope: wanted.scope,
        caller: wanted.caller,
        path,
        moment,
        hooks: (operation ?? plan.ability).hooks.pre_create,
        planDigest,
        signal,
        logs: undefined,
      },
      { blockingOnly: true },
      dependencies,
    );
    answers.push(...keepUnknown(dependencies.root, wanted, own, moment));
    const deny = firstDeny(own);
    if (deny) throw denialOf(deny);
  }
  return answers;
}

function confirmationsOf(answers: HookAnswer[]): Confirmation[] {
  return answers
    .filter(({ decision }) => decision === 'need_user_confirm')
    .map(({ hook_id, reason }) => ({ hook_id, reason: reason ?? 'A hook asks for confirmation.' }));
}

/** A confirmation requested at creation is a warning now and an approval when the task runs. */
function warningsOf(answers: HookAnswer[]): string[] {
  return answers.flatMap(({ warnings = [], decision, reason, hook_id }) =>
    decision === 'need_user_confirm'
      ? [...warnings, `An approval will be requested: ${oneLine(reason ?? 'no reason given')} (hook ${hook_id})`]
      : warnings,
  );
}
