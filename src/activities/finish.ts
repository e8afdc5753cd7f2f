import { Context } from '@temporalio/activity';
import type { FinishAnswer, FinishRequest } from '../contracts/activities.js';
import type { Plan } from '../contracts/plan.js';
import { AbilityError } from '../contracts/problem.js';
import type { TaskRecord } from '../contracts/record.js';
import type { TaskResult } from '../contracts/task.js';
import { checkAgainst } from '../planning/schemas.js';
import { digestOf } from '../rules/canonical.js';
import { storeResult } from '../rules/stored-result.js';
import { toolsUsed } from '../rules/tools-used.js';
import { toFailure } from './failures.js';
import type { Admitted, PlanSource } from './plan-source.js';
import { newRecord } from './record/new-record.js';
import type { RecordFolder } from './record/record-folder.js';
import { taskOf } from './task-of.js';

const TOO_LARGE = 'output.too_large';

/** What the end of a task needs of its worker. */
export interface FinishDependencies {
  host: string;
  plans: PlanSource;
  records: RecordFolder;
  /** Moves the large parts of a result to the store; what it returns is small enough to stay in the history. */
  shrink: (result: TaskResult) => TaskResult;
}

/**
 * Ends every task: checks its output against the contract and writes its record.
 *
 * A record that cannot be written is a warning, since the history has everything. Source: design, section 6.
 */
export function createFinish(dependencies: FinishDependencies): (request: FinishRequest) => Promise<FinishAnswer> {
  return async (request) => {
    try {
      const context = Context.current();
      const admitted = await dependencies.plans.admit(request.seal, context.info);
      const result = finish(request, admitted, taskOf(context), dependencies);
      return result.status === 'cancelled' ? { result: storeResult(result) } : changesOf(request.result, result);
    } catch (error) {
      throw toFailure(error);
    }
  };
}

function finish(
  request: FinishRequest,
  admitted: Admitted,
  task: string,
  { records, host, shrink }: FinishDependencies,
): TaskResult {
  const checked = checkOutput(request.result, admitted.plan);
  const folder = records.pathOf(task);
  const result = { ...checked, links: { ...checked.links, record: folder ?? null } };
  if (folder) {
    try {
      const inner = admitted.plan.workflows ? records.toolsOfCalled(task) : [];
      const used = toolsUsed(admitted.plan, result, inner);
      result.warnings = [...result.warnings, ...used.outside_whitelist.map(outside)];
      records.finish(recordOf(records.read(task), request, admitted, task, host), result, used);
    } catch (error) {
      if (!(error instanceof AbilityError)) throw error;
      result.warnings = [...result.warnings, `${error.code}: ${error.message}`];
    }
  }
  return shrink(result);
}

/** The plan holds only what may be called, so that this is a mistake of ours. */
function outside(id: string): string {
  return `internal.error: ${id} was called, and is not among what this ability may call; please report it`;
}

/** The workflow has the rest already, and what an activity answers is history. */
function changesOf({ links: _, ...before }: TaskResult, { links: __, ...after }: TaskResult): FinishAnswer {
  const earlier = new Map<string, unknown>(Object.entries(before));
  const changes = Object.entries(after).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(earlier.get(name)),
  );
  return changes.length === 0 ? {} : { changes: Object.fromEntries(changes) };
}

/** An output that breaks the contract makes a succeeded task a failed one. */
function checkOutput(result: TaskResult, plan: Plan): TaskResult {
  if (result.status !== 'succeeded') return result;
  const { engine } = plan;
  const { output_schema: schema, kind, id } = plan.ability;
  try {
    refuseLarge(result, plan);
    if (!schema || kind === 'operation') return result;
    return {
      ...result,
      output: checkAgainst(schema, result.output, { code: 'output.invalid', what: `The output of ${id}`, engine }),
    };
  } catch (error) {
    if (!(error instanceof AbilityError)) throw error;
    const problem = error.toProblem();
    if (error.code !== TOO_LARGE) problem.details = { ...(error.details as object), output: result.output };
    return { ...result, status: 'failed', output: null, error: problem };
  }
}

function refuseLarge({ output, ability_id }: TaskResult, { limits }: Plan): void {
  const bytes = Buffer.byteLength(JSON.stringify(output) ?? 'null');
  if (bytes <= limits.output_bytes) return;
  throw new AbilityError({
    code: TOO_LARGE,
    message: `The output of ${ability_id} has ${bytes} bytes; it may have ${limits.output_bytes}`,
  });
}

/**
 * The record that is there; else, as it would have been made at creation, where the folder has gone, is on another
 * machine, or tells of an input that was changed since.
 */
function recordOf(
  known: TaskRecord | undefined,
  { result, input }: FinishRequest,
  admitted: Admitted,
  task: string,
  host: string,
): TaskRecord {
  if (known && known.request.input === digestOf(input)) return known;
  const created_at = known?.created_at ?? result.started_at ?? new Date().toISOString();
  const { changes, changes_left } = result;
  return newRecord({ ...admitted, input, task, host, created_at, changes, changes_left });
}
