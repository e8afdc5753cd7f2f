import type { Plan, PlanOperation } from '../../contracts/plan.js';
import type { ToolsUsed } from '../../contracts/record.js';
import type { StepSummary, TaskResult } from '../../contracts/task.js';
import { kindOf } from '../../kinds/kinds.js';
import { allSteps } from '../steps/step-tree.js';

/**
 * The tool that decides an operation's placement, as `server:tool`: a script's is of `shell`, a service call's of
 * `http`, each named after the operation. Source: C-32.
 */
export function toolName({ key, implementation }: Pick<PlanOperation, 'key' | 'implementation'>): string {
  return kindOf(implementation).tool(implementation, key);
}

/** The log line of an MCP call. The protocol comes first, so that no text of a server can fake it. */
export function toolLine(protocol: string, what: string, end: string): string {
  return `MCP ${protocol}: ${what} -> ${end}`;
}

/** The protocol version in a log line; undefined for other lines. */
export function protocolIn(line: string): string | undefined {
  return /^MCP (\S+): /.exec(line)?.[1];
}

/** Whether calls of a task keep state in an MCP server, and so all reach the worker that has the connection. */
export function holdsSession({ implementation }: Pick<PlanOperation, 'implementation'>): boolean {
  return kindOf(implementation).holdsSession(implementation);
}

/** Whether an ability of a plan is such an operation, or calls one, directly or not. */
export function usesSession(plan: Plan, ability: string, seen: ReadonlySet<string> = new Set()): boolean {
  const { operations, workflows = {} } = plan;
  const operation = Object.hasOwn(operations, ability) ? operations[ability] : undefined;
  if (operation) return holdsSession(operation);
  const called = Object.hasOwn(workflows, ability) && !seen.has(ability) ? workflows[ability] : undefined;
  const path = new Set([...seen, ability]);
  return allSteps(called ?? { steps: [], finally: [] }).some(
    ({ step }) => step.verb === 'call' && usesSession(plan, step.call, path),
  );
}

/**
 * Abilities called outside the whitelist occur only if a worker is broken or foreign.
 * @param inner tools of the tasks it called. Source: R-001-09, R-000-38.
 */
export function toolsUsed(
  plan: Plan,
  { steps, approvals }: Pick<TaskResult, 'steps' | 'approvals'>,
  inner: Iterable<string> = [],
): ToolsUsed {
  const refused = new Set(approvals.filter(({ status }) => status !== 'approved').map(({ path }) => path));
  const called = steps.flatMap((step) => (step.call !== null && wasMade(step, refused) ? [step.call] : []));
  const tools = called.flatMap((id) => {
    const operation = Object.hasOwn(plan.operations, id) ? plan.operations[id] : undefined;
    return operation ? [toolName(operation)] : [];
  });
  const listed = whitelistOf(plan);
  // Whoever may call an ability may ask what became of the call.
  const allowed = new Set([...listed].flatMap((id) => [id, plan.operations[id]?.unknown?.call ?? id]));
  return {
    called: sorted(called),
    tools_used: sorted([...tools, ...inner]),
    outside_whitelist: sorted(called.filter((id) => !allowed.has(id))),
  };
}

/** Such a call is a bug of ours: plans hold only permitted calls. @param id from `outside_whitelist`. */
export function describeOutside(id: string): string {
  return `internal.error: ${id} was called, and is not among what this ability may call; please report it`;
}

/** Whether a call was or may have been made: `attempts` is 0 for a lost or cancelled one. */
function wasMade({ status, attempts, error, path }: StepSummary, refused: ReadonlySet<string>): boolean {
  if (status === 'denied' || status === 'skipped' || status === 'pending') return false;
  if (attempts > 0 || status === 'unknown') return true;
  if (status === 'timed_out') return error?.code === 'timeout.call' || error?.code === 'timeout.step';
  return status === 'cancelled' && !refused.has(path);
}

/** The abilities under `operations`; without such a list, those that the steps call. */
function whitelistOf(plan: Plan): ReadonlySet<string> {
  const { id, kind, operations } = plan.ability;
  if (kind === 'operation') return new Set([id]);
  if (operations) return new Set([...operations, ...(plan.agent ? [plan.agent.model] : [])]);
  const calls = allSteps(plan).flatMap(({ step }) =>
    step.verb === 'call' ? [step.call, ...(step.undo ? [step.undo.call] : [])] : [],
  );
  return new Set(calls);
}

function sorted(names: readonly string[]): string[] {
  return [...new Set(names)].sort();
}
