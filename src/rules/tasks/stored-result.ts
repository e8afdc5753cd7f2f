import type { Approval } from '../../contracts/approvals.js';
import type { Person } from '../../contracts/callers.js';
import type { HookAnswer } from '../../contracts/hooks.js';
import type { Json } from '../../contracts/json.js';
import type { Allowed, StoredApproval, StoredResult, StoredStep } from '../../contracts/stored-result.js';
import type { OutputRef, StepSummary, TaskResult } from '../../contracts/task.js';
import { defined } from '../../text/defined.js';

export function storeResult(result: TaskResult): StoredResult {
  const { status, version, digest, output, error, warnings, approvals, steps, files, agent } = result;
  const { requested_by, caller, worked_ms, answer, concurrency, changes, changes_left } = result;
  const { started_at: started, finished_at: finished, cleanup_ran, rolled_back, not_undone } = result;
  return {
    status,
    version,
    digest,
    output,
    ...(error && { error }),
    ...(warnings.length > 0 && { warnings }),
    steps: steps.map(storeStep),
    ...(approvals.length > 0 && { approvals: approvals.map(storeApproval) }),
    ...storeAnswers(result.hooks),
    // The memo holds the name.
    ...(requested_by.source !== 'claimed' && { requested_by }),
    ...defined({ caller, started_at: started ?? undefined }),
    ...(started && finished && { took_ms: Date.parse(finished) - Date.parse(started) }),
    ...defined({ cleanup_ran: cleanup_ran ?? undefined, rolled_back, not_undone, worked_ms, answer, agent }),
    ...defined({ concurrency, files, changes, changes_left }),
  };
}

/** @param known from Temporal's description of the workflow. @param stored from its history. */
export function restoreResult(known: TaskResult, stored: StoredResult): TaskResult {
  const { steps, approvals = [], took_ms: tookMs, allowed = [], answers = [], ...rest } = stored;
  const { started_at: started } = rest;
  return {
    ...known,
    ...rest,
    steps: steps.map(restoreStep),
    approvals: approvals.map((approval) => restoreApproval(approval, rest.requested_by ?? known.requested_by)),
    hooks: restoreAnswers(allowed, answers),
    started_at: started ?? null,
    finished_at:
      started && tookMs !== undefined ? new Date(Date.parse(started) + tookMs).toISOString() : known.finished_at,
  };
}

function storeStep({ id, path, call, status, attempts, duration_ms, ...rest }: StepSummary): StoredStep {
  return {
    id,
    ...(path !== id && { path }),
    ...(call !== null && { call }),
    status,
    ...(attempts !== (call === null ? 0 : 1) && { attempts }),
    ...(duration_ms !== null && { duration_ms }),
    ...rest,
  };
}

function restoreStep({ id, path = id, call = null, status, ...rest }: StoredStep): StepSummary {
  const { attempts = call === null ? 0 : 1, duration_ms = null, ...more } = rest;
  return { id, path, call, status, attempts, duration_ms, ...more };
}

/** Defaults of an approval, left out of the history. */
const ANYONE = { quorum: 1, self_approval: true, comment: 'optional' } as const;

/** Leaves out what equals {@link ANYONE}, and the requester, who is that of the task. */
function storeApproval(approval: Approval): StoredApproval {
  const { approvers, people, quorum, self_approval, comment, ignored, requested_by: _, ...rest } = approval;
  return {
    ...rest,
    ...(approvers.length > 0 && { approvers }),
    ...(people.length > 0 && { people }),
    ...(quorum !== ANYONE.quorum && { quorum }),
    ...(self_approval !== ANYONE.self_approval && { self_approval }),
    ...(comment !== ANYONE.comment && { comment }),
    ...(ignored.length > 0 && { ignored }),
  };
}

function restoreApproval(stored: StoredApproval, requested_by: Person): Approval {
  return { ...ANYONE, approvers: [], people: [], ignored: [], requested_by, ...stored };
}

function storeAnswers(hooks: readonly HookAnswer[]): Pick<StoredResult, 'allowed' | 'answers'> {
  const allowed = new Map<string, Allowed>();
  const answers: [number, HookAnswer][] = [];
  for (const [at, answer] of hooks.entries()) {
    if (!isPlainYes(answer)) {
      answers.push([at, answer]);
      continue;
    }
    const { hook_id, phase, path, duration_ms } = answer;
    const key = `${phase} ${hook_id}`;
    const group = allowed.get(key) ?? { hook_id, phase, paths: [], at: [] };
    group.paths.push(path);
    group.at.push(at);
    if (duration_ms !== undefined) {
      group.ms ??= group.at.slice(1).map(() => null);
      group.ms.push(duration_ms);
    } else group.ms?.push(null);
    allowed.set(key, group);
  }
  return {
    ...(allowed.size > 0 && { allowed: [...allowed.values()] }),
    ...(answers.length > 0 && { answers }),
  };
}

function restoreAnswers(allowed: readonly Allowed[], answers: readonly [number, HookAnswer][]): HookAnswer[] {
  const plain = allowed.flatMap(({ hook_id, phase, paths, at, ms = [] }) =>
    paths.map((path, index): [number, HookAnswer] => [
      at[index] ?? 0,
      plainYes({ hook_id, phase, path, duration_ms: ms[index] }),
    ]),
  );
  return [...plain, ...answers].sort(([one], [other]) => one - other).map(([, answer]) => answer);
}

/** The answer of a hook that lets a call pass and has nothing else to say. */
export function plainYes({ duration_ms, ...at }: PlainYes): HookAnswer {
  return { ...at, status: 'ok', decision: 'allow', ...(typeof duration_ms === 'number' && { duration_ms }) };
}

type PlainYes = Pick<HookAnswer, 'hook_id' | 'phase' | 'path'> & { duration_ms?: number | null | undefined };

/** Whether a hook's answer is exactly that of {@link plainYes}. */
export function isPlainYes(answer: HookAnswer): boolean {
  return (
    answer.status === 'ok' &&
    answer.decision === 'allow' &&
    Object.keys(answer).length === PLAIN + (answer.duration_ms === undefined ? 0 : 1)
  );
}

const PLAIN = Object.keys(plainYes({ hook_id: '', phase: 'PreAbilityCall', path: '' })).length;

/** Maps output, error details and approval inputs; the rest is small, so that it needs no store. */
export function mapLargeParts(result: TaskResult, map: (part: Json) => Json): TaskResult {
  const { output, error, approvals } = result;
  const details = error?.details as Json | undefined;
  return {
    ...result,
    output: map(output),
    error: error && details !== undefined ? { ...error, details: map(details) } : error,
    approvals: approvals.map(({ what, ...approval }) => {
      const undo = what.undo && { undo: { ...what.undo, input: map(what.undo.input) } };
      return { ...approval, what: { ...what, input: map(what.input), ...undo } };
    }),
  };
}

export function isOutputRef(part: unknown): part is OutputRef & Json {
  if (part === null || typeof part !== 'object') return false;
  const keys = Object.keys(part).sort().join();
  return keys === '$ref,bytes' && /^[0-9a-f]{64}$/.test(String((part as OutputRef).$ref));
}
