import { recruitIn } from '../../choosing/recruit/recruit.js';
import { AbilityError, usageError } from '../../contracts/problem.js';
import type { RecruitmentResult, RoutingDecision, RunLogLine } from '../../contracts/routing.js';
import type { Registry } from '../../definitions/registry.js';
import { packOf } from '../../definitions/specialists.js';
import { maskerFor } from '../../planning/secrets/credentials.js';
import { digestOf } from '../../rules/canonical.js';
import { MAX_PROMPT } from '../../rules/sessions/read-session-start.js';
import { generateId } from '../../server/generate-id.js';
import { beginRun, type RunLog } from '../../server/logs/run-log.js';
import { pathsOf } from '../../server/project-paths.js';
import { memoize } from '../../text/memoize.js';
import type { AskAnswer, Considered, Request } from './ask-shapes.js';
import { consider } from './consider.js';

export interface BegunAsk {
  id: string;
  request: Request;
  log: RunLog;
  recruited: RecruitmentResult;
  /** Masks known secrets; applies to everything that is written. */
  mask<T>(value: T): T;
  /** False if the same request began the run before. */
  isNew: boolean;
  /** The earlier decision of the same run, if any. */
  recorded: RoutingDecision | undefined;
  /** The earlier answer if the run has ended, with the tasks as they were then. */
  answered: AskAnswer | undefined;
}

export interface AskPlace {
  /** Chosen by the caller; a repeated one continues where it stopped. Absent: a new one. */
  run?: string | undefined;
  /** An open session; absent: a new one, which ends unless the answer is a question. */
  session?: string | undefined;
}

/**
 * Recruits, and logs that, before anything else. Source: R-004-16; C-47.
 * @throws AbilityError `usage.invalid`, `pack.not_found`, `runlog.key_conflict`, `runlog.write_failed`.
 */
export function beginAsk(request: Request, place: AskPlace): BegunAsk {
  const recruited = recruitFor(request);
  const { registry, environment, scope, text, pack = null, plan = null, user } = request;
  const id = place.run ?? generateId('r');
  const identity = { text, environment, scope, pack, session: place.session ?? null, user: user.name, plan };
  const run = { id, request: digestOf(identity), recruitment: recruited };
  const { log, isNew } = beginRun(pathsOf(registry.root), run);
  const mask = <T>(value: T): T => maskerOf(request).maskDeep(value) as T;
  const begun = { id, request, log, recruited, mask, isNew, recorded: undefined, answered: undefined };
  return isNew ? begun : { ...begun, ...readBefore(begun) };
}

/** It reads the secrets, so only what writes needs it. */
const maskerOf = memoize(({ registry, environment, env }: Request) => maskerFor(registry, environment, env));

/** The specialist for a request. @throws AbilityError `usage.invalid`, `pack.not_found`. */
export function recruitFor({ registry, environment, text, pack }: Request): RecruitmentResult {
  refuseText(text);
  return recruitIn(registry, { environment, prompt: text, named: pack });
}

/** @throws AbilityError `usage.invalid` for an invalid request. */
export function refuseText(text: string): void {
  const example = 'Say in plain words what is wanted: ability ask "run the signup test for build 1234".';
  if (text.trim() === '') throw usageError('There is no request', example);
  if (text.length <= MAX_PROMPT) return;
  const message = `The request has ${text.length} characters; the maximum is ${MAX_PROMPT}`;
  throw usageError(message, 'Put long content into a file of the project.');
}

/** If another caller of the run has ended it, and its session, first, gives that caller's answer. */
export async function orAnswered<T>(
  begun: BegunAsk,
  part: () => Promise<T>,
): Promise<{ done: T } | { answered: AskAnswer }> {
  try {
    return { done: await part() };
  } catch (error) {
    const { answered } = hasEnded(error) ? readBefore(begun) : {};
    if (!answered) throw error;
    return { answered };
  }
}

/** Whether the session has ended meanwhile, perhaps through another caller of the same run. */
export function hasEnded(error: unknown): boolean {
  return error instanceof AbilityError && error.code === 'session.stopped';
}

/** The parts of an answer in its log line; the others have lines of their own, or are not kept. */
type Kept = Omit<AskAnswer, 'decision' | 'suggestions' | 'nearest' | 'turn_context' | '_meta'>;

export function keptOf({ decision: _, suggestions, nearest, turn_context, _meta, ...kept }: AskAnswer): Kept {
  return kept;
}

function readBefore({ id, request, log, recruited }: BegunAsk): Pick<BegunAsk, 'recorded' | 'answered'> {
  const lines = log.read();
  const last = (wanted: RunLogLine['kind']): unknown => lines.findLast(({ kind }) => kind === wanted)?.payload;
  const recorded = last('decision') as RoutingDecision | undefined;
  const kept = last('answer') as Kept | undefined;
  if (!recorded || !kept) return { recorded, answered: undefined };
  const ids = [...kept.plan, ...kept.tasks].map(({ ability_id }) => ability_id);
  const _meta = metaOf(request.registry, recruited, ids);
  const rest = { decision: recorded, suggestions: [], nearest: [], turn_context: null, _meta };
  return { recorded, answered: { ...kept, run: id, request: request.text, ...rest } };
}

/** What a decision gives to its answer; what is to be done is for the caller. @param ids as of {@link metaOf}. */
export function answerOf(
  { registry, text, environment, scope }: Request,
  recruited: RecruitmentResult,
  { pending: _, retries: __, signals: ___, abstained: ____, ...resolved }: Considered,
  ids: readonly string[],
): Omit<AskAnswer, 'run' | 'session_id' | 'turn_context' | 'tasks'> {
  return { request: text, environment, scope, ...resolved, _meta: metaOf(registry, recruited, ids) };
}

/** @param ids of the abilities that run or would. Source: R-004-20, R-004-21. */
export function metaOf(registry: Registry, recruited: RecruitmentResult, ids: readonly string[]): AskAnswer['_meta'] {
  const { specialist_id, required_capabilities, routing_method } = recruited;
  return { pack: packOf(registry, specialist_id, ids), required_capabilities, routing_method };
}

/** Previews a request: reads files only, queries no server. Without a session, no hook fires. */
export async function dryRun(request: Request): Promise<AskAnswer> {
  const recruited = recruitFor(request);
  const message = { id: 'm-1', role: 'user', text: request.text, at: new Date().toISOString() } as const;
  const thread = { key: 'dry-run', messages: [message], count: 1, pending: null };
  const considered = await consider(request, thread, recruited);
  const ids = considered.plan.map(({ ability_id }) => ability_id);
  const would = considered.outcome === 'runs' && ({ outcome: 'planned', answer: `${ids[0]} would run.` } as const);
  const nothing = { run: null, session_id: null, turn_context: null, tasks: [] };
  return { ...nothing, ...answerOf(request, recruited, considered, ids), ...would };
}
