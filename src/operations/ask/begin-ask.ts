import { recruitIn } from '../../choosing/recruit/recruit.js';
import type { Json, JsonObject } from '../../contracts/json.js';
import { AbilityError } from '../../contracts/problem.js';
import type { RecruitmentResult, RoutingDecision, RunLogLine } from '../../contracts/routing.js';
import type { Registry } from '../../definitions/registry.js';
import { packOf } from '../../definitions/specialists.js';
import { maskerFor } from '../../planning/secrets/credentials.js';
import { digestOf } from '../../rules/canonical.js';
import { MAX_PROMPT } from '../../rules/sessions/read-session-start.js';
import { generateId } from '../../server/generate-id.js';
import { beginRun, type RunLog } from '../../server/logs/run-log.js';
import { type ProjectPaths, pathsOf } from '../../server/project-paths.js';
import type { AskAnswer, Request } from './ask-shapes.js';

export interface BegunAsk {
  id: string;
  log: RunLog;
  recruited: RecruitmentResult;
  /** Masks known secrets; applies to everything that is written. */
  mask<T extends Json>(value: T): T;
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
  /** Absent: those of the project. */
  paths?: Pick<ProjectPaths, 'system' | 'runs'>;
}

/**
 * Recruits, and logs that, before anything else. Source: R-004-16; C-47.
 * @throws AbilityError `usage.invalid`, `pack.not_found`, `runlog.key_conflict`, `runlog.write_failed`.
 */
export function beginAsk(request: Request, place: AskPlace): BegunAsk {
  refuseText(request.text);
  const { registry, environment, scope, text, pack, user, env } = request;
  const recruited = recruitIn(registry, { environment, prompt: text, ...(pack !== undefined && { named: pack }) });
  const id = place.run ?? generateId('r');
  const identity = {
    text,
    environment,
    scope,
    pack: pack ?? null,
    session: place.session ?? null,
    user: user.name,
    plan: request.plan ?? null,
  };
  const run = { id, request: digestOf(identity), recruitment: recruited };
  const { log, isNew } = beginRun(place.paths ?? pathsOf(registry.root), run);
  let masker: ReturnType<typeof maskerFor> | undefined;
  const mask = <T extends Json>(value: T): T => {
    masker ??= maskerFor(registry, environment, env);
    return masker.maskDeep(value) as T;
  };
  const begun = { id, log, recruited, mask, isNew, recorded: undefined, answered: undefined };
  return isNew ? begun : { ...begun, ...readBefore(log.read(), request, begun) };
}

/** @throws AbilityError `usage.invalid` for an invalid request. */
export function refuseText(text: string): void {
  if (text.trim() === '') {
    throw new AbilityError({
      code: 'usage.invalid',
      message: 'There is no request',
      suggestion: 'Say in plain words what is wanted: ability ask "run the signup test for build 1234".',
    });
  }
  if (text.length <= MAX_PROMPT) return;
  throw new AbilityError({
    code: 'usage.invalid',
    message: `The request has ${text.length} characters; the maximum is ${MAX_PROMPT}`,
    suggestion: 'Put long content into a file of the project.',
  });
}

/** If another caller of the run has ended it, and its session, first, gives that caller's answer. */
export async function orAnswered<T>(
  request: Request,
  begun: BegunAsk,
  part: () => Promise<T>,
): Promise<{ done: T } | { answered: AskAnswer }> {
  try {
    return { done: await part() };
  } catch (error) {
    if (!(error instanceof AbilityError) || error.code !== 'session.stopped') throw error;
    const { answered } = readBefore(begun.log.read(), request, begun);
    if (!answered) throw error;
    return { answered };
  }
}

/** The parts of an answer in its log line; the others have lines of their own, or are not kept. */
type Kept = Omit<AskAnswer, 'decision' | 'suggestions' | 'nearest' | 'turn_context' | '_meta'>;

export function keptOf({ decision: _, suggestions, nearest, turn_context, _meta, ...kept }: AskAnswer): JsonObject {
  return kept satisfies Kept as unknown as JsonObject;
}

function readBefore(
  lines: readonly RunLogLine[],
  request: Request,
  { id, recruited }: Pick<BegunAsk, 'id' | 'recruited'>,
): Pick<BegunAsk, 'recorded' | 'answered'> {
  const last = (kind: RunLogLine['kind']): JsonObject | undefined =>
    lines.findLast((line) => line.kind === kind)?.payload;
  const recorded = last('decision') as unknown as RoutingDecision | undefined;
  const kept = last('answer') as unknown as Kept | undefined;
  if (!recorded || !kept) return { recorded, answered: undefined };
  const ids = [...kept.plan, ...kept.tasks].map(({ ability_id }) => ability_id);
  const _meta = metaOf(request.registry, recruited, ids);
  const answered = { ...kept, run: id, request: request.text, decision: recorded, _meta };
  return { recorded, answered: { ...answered, suggestions: [], nearest: [], turn_context: null } };
}

/** @param ids of the abilities that run or would. Source: R-004-20, R-004-21. */
export function metaOf(registry: Registry, recruited: RecruitmentResult, ids: readonly string[]): AskAnswer['_meta'] {
  const { specialist_id, required_capabilities, routing_method } = recruited;
  return { pack: packOf(registry, specialist_id, ids), required_capabilities, routing_method };
}
