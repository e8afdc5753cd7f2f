import type { FinishAnswer, FinishRequest } from '../../contracts/activities.js';
import type { Plan } from '../../contracts/plan.js';
import { AbilityError } from '../../contracts/problem.js';
import type { TaskReport } from '../../contracts/run-sinks.js';
import type { TaskResult } from '../../contracts/task.js';
import { checkAgainst } from '../../planning/input/schemas.js';
import { describeOutside, toolsUsed } from '../../rules/calls/tools-used.js';
import { digestOf } from '../../rules/canonical.js';
import { storeResult } from '../../rules/tasks/stored-result.js';
import { writeTask } from '../../tracing/task-spans.js';
import type { Admitted } from '../admission.js';
import type { ActivityDependencies } from '../dependencies.js';
import { activityOf, taskOf } from '../failures.js';
import { completeRecord } from '../record/complete-record.js';

const TOO_LARGE = 'output.too_large';

type FinishDependencies = Pick<
  ActivityDependencies,
  'host' | 'plans' | 'records' | 'reports' | 'secrets' | 'shrink' | 'tracer'
>;

/**
 * Ends a task whose record is not written beside its history: checks its output, writes its record. A failed write
 * is a warning, since the history has everything.
 */
export function createFinish(dependencies: FinishDependencies) {
  return activityOf(async (request: FinishRequest, context): Promise<FinishAnswer> => {
    const admitted = await dependencies.plans.admit(request.seal, context.info);
    const runId = context.info.workflowExecution?.runId ?? '';
    const report = dependencies.reports.get(runId);
    const task = taskOf(context);
    const result = await finish(request, admitted, task, report, dependencies);
    dependencies.reports.delete(runId);
    if (dependencies.tracer) {
      const { plan, session, seal, trace } = admitted;
      const facts = { plan, session, isCalled: task !== seal.task, createdAt: report?.created_at };
      writeTask(dependencies.tracer, { task, mark: request.seal, trace }, result, facts);
    }
    return result.status === 'cancelled' ? { result: storeResult(result) } : changesOf(request.result, result);
  });
}

async function finish(
  { result: reached, input }: FinishRequest,
  admitted: Admitted,
  task: string,
  report: TaskReport | undefined,
  { records, host, secrets, shrink }: FinishDependencies,
): Promise<TaskResult> {
  const checked = checkOutput(reached, admitted.plan);
  const folder = records.pathOf(task);
  const result = { ...checked, links: { ...checked.links, record: folder ?? null } };
  if (folder) {
    try {
      const outside = toolsUsed(admitted.plan, result).outside_whitelist.map(describeOutside);
      result.warnings = [...new Set([...result.warnings, ...outside])];
      const ended = { task, admitted, result, inputDigest: digestOf(input), input: () => input, report };
      await completeRecord(ended, { records, host, secrets });
    } catch (error) {
      if (!(error instanceof AbilityError)) throw error;
      result.warnings = [...result.warnings, `${error.code}: ${error.message}`];
    }
  }
  return shrink(result);
}

/** Returns only the changed fields: the workflow has the rest, and every answer adds to the history. */
function changesOf({ links: _, ...before }: TaskResult, { links: __, ...after }: TaskResult): FinishAnswer {
  const earlier = new Map<string, unknown>(Object.entries(before));
  const changes = Object.entries(after).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(earlier.get(name)),
  );
  return changes.length === 0 ? {} : { changes: Object.fromEntries(changes) };
}

/** Fails a succeeded task whose output breaks the contract. */
function checkOutput(result: TaskResult, plan: Plan): TaskResult {
  if (result.status !== 'succeeded') return result;
  const { output_schema: schema, kind, id } = plan.ability;
  try {
    refuseLarge(result, plan);
    if (!schema || kind === 'operation') return result;
    return {
      ...result,
      output: checkAgainst(schema, result.output, { code: 'output.invalid', what: `The output of ${id}` }),
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
    message: `The output of ${ability_id} has ${bytes} bytes; the maximum is ${limits.output_bytes}`,
  });
}
