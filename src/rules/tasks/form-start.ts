import { taskQueueOf } from '../../contracts/names.js';
import type { Seal } from '../../contracts/seal.js';
import type { PreflightAnswer, TaskMemo, TaskRequest, TaskStart } from '../../contracts/task.js';
import { hasTools, planDigest } from '../plans/plan-digest.js';
import { markdownLine } from '../shown-text.js';

/** A preflight answer that allows the start. */
export type SealedAnswer = PreflightAnswer & { seal: Seal };

export interface FormedStart {
  argument: TaskStart;
  memo: TaskMemo;
  taskQueue: string;
  /** Where the server supports fairness, many tasks of one requester do not delay those of others. */
  priority: { fairnessKey: string };
  attributes: Readonly<Record<string, string>>;
  staticSummary: string;
  staticDetails: string;
}

export function formStart(project: string, request: TaskRequest, answer: SealedAnswer, run: boolean): FormedStart {
  const { plan } = answer;
  return {
    argument: argumentOf(request, answer, run),
    memo: memoOf(request, answer),
    taskQueue: taskQueueOf(project, request.environment, plan.placement),
    priority: { fairnessKey: fairnessKeyOf(request) },
    attributes: attributesOf(project, request, answer, run),
    staticSummary: `${plan.ability.id} in ${plan.environment.name}, for ${markdownLine(request.user.name)}`,
    staticDetails: plan.ability.summary,
  };
}

/** Temporal's limit for a fairness key, in bytes. */
const MAX_BYTES = 64;

function fairnessKeyOf({ user, environment }: TaskRequest): string {
  const letters = [...(user.name.trim() || environment)];
  // The sandbox has no Buffer; a character has at most four bytes.
  return letters.slice(0, letters.every((letter) => letter < '\u0080') ? MAX_BYTES : MAX_BYTES / 4).join('');
}

function argumentOf(request: TaskRequest, answer: SealedAnswer, run: boolean): TaskStart {
  const { plan, seal, input, warnings, progress, hooks = [] } = answer;
  const { user, session, plan: only } = request;
  return {
    // First, since people look for it first in the Temporal UI.
    input,
    format: 1,
    plan,
    seal,
    user,
    session,
    run,
    warnings,
    ...(progress && { progress }),
    ...(hooks.length > 0 && { hooks }),
    // A task that runs at once cannot change any more.
    ...(only && !run && { only }),
  };
}

function memoOf({ user, retry, intent }: TaskRequest, { plan, seal }: SealedAnswer): TaskMemo {
  return {
    ability: plan.ability.id,
    version: plan.ability.version,
    environment: plan.environment.name,
    plan: seal.plan,
    ...(hasTools(plan) && { unpinned: planDigest(plan) }),
    input: seal.input,
    requested_by: user.name,
    ...(user.agent !== undefined && { agent: user.agent }),
    ...(retry && { retry_of: retry.task }),
    ...(intent !== undefined && { intent }),
  };
}

function attributesOf(
  project: string,
  { environment, session }: TaskRequest,
  { plan }: SealedAnswer,
  run: boolean,
): Record<string, string> {
  const [module] = plan.ability.modules;
  return {
    AbilityProject: project,
    AbilityStatus: run ? 'running' : 'created',
    AbilityEnvironment: environment,
    ...(module !== undefined && { AbilityModule: module }),
    ...(session !== null && { AbilitySession: session }),
  };
}
