import type { WorkflowExecutionInfo } from '@temporalio/client';
import type { RightLimits } from '../../contracts/access.js';
import { usageError } from '../../contracts/problem.js';
import type { EndState, ListedState, OpenState } from '../../contracts/states.js';
import type { Connection } from '../connection/connect.js';
import { describeIfKnown } from '../connection/temporal-errors.js';

/** Which tasks of a project to list; fields left out do not filter. */
export interface TaskFilter {
  status?: readonly ListedState[] | undefined;
  ability?: string | undefined;
  environment?: string | undefined;
  session?: string | undefined;
  /** Only where one of these limits of a right allows it. */
  within?: readonly RightLimits[] | undefined;
  /** Minimum start time. */
  since?: Date | undefined;
  /** Whether to include tasks that other tasks called. */
  called?: boolean | undefined;
  /** Whether to include those that preflight refused, although no status asks for them. */
  refused?: boolean | undefined;
  /** A further condition in Temporal's list filter syntax. */
  query?: string | undefined;
}

/** The attribute adds states that Temporal lacks. */
const CONDITIONS: Record<ListedState, string> = {
  created: "ExecutionStatus = 'Running' AND AbilityStatus = 'created'",
  waiting_approval: "ExecutionStatus = 'Running' AND AbilityStatus = 'waiting_approval'",
  waiting: "ExecutionStatus = 'Running' AND AbilityStatus = 'waiting'",
  running: "ExecutionStatus = 'Running' AND AbilityStatus NOT IN ('waiting_approval', 'waiting')",
  succeeded: "ExecutionStatus = 'Completed' AND AbilityStatus != 'expired'",
  failed:
    "ExecutionStatus IN ('Failed', 'TimedOut') AND AbilityStatus NOT IN ('denied', 'timed_out', 'unknown', 'unavailable')",
  denied: "ExecutionStatus = 'Failed' AND AbilityStatus = 'denied'",
  cancelled: "ExecutionStatus IN ('Canceled', 'Terminated')",
  timed_out: "ExecutionStatus = 'Failed' AND AbilityStatus = 'timed_out'",
  unknown: "ExecutionStatus = 'Failed' AND AbilityStatus = 'unknown'",
  expired: "ExecutionStatus = 'Completed' AND AbilityStatus = 'expired'",
  unavailable: "ExecutionStatus = 'Failed' AND AbilityStatus = 'unavailable'",
};

const OPEN_ATTRIBUTES: ReadonlySet<string> = new Set<OpenState>(['created', 'waiting_approval', 'waiting']);
const ATTRIBUTE_ENDS: ReadonlySet<string> = new Set<EndState>([
  'denied',
  'timed_out',
  'unknown',
  'expired',
  'unavailable',
]);

/**
 * Matches every requested task, and `created` ones that have run since: only the history shows the run. Omits
 * direct runs, deletions, earlier runs of continued tasks, and requests that preflight refused, unless a status asks
 * for them.
 * @throws AbilityError `usage.invalid` for a value that a filter cannot contain.
 */
export function taskQuery(project: string, filter: TaskFilter): string {
  const { status, ability, environment, session, within, since, query } = filter;
  const parts = [
    `AbilityProject = ${quoted(project)}`,
    "ExecutionStatus != 'ContinuedAsNew'",
    "WorkflowId NOT STARTS_WITH 'direct:'",
    "WorkflowId NOT STARTS_WITH 'delete:'",
    "WorkflowId NOT STARTS_WITH 'session:'",
  ];
  // A workflow of somebody else that started it is its parent, but not a task that called it.
  if (!filter.called) parts.push('AbilityParent IS NULL');
  if (!status?.length && !filter.refused) parts.push("AbilityStatus != 'unavailable'");
  if (ability !== undefined) parts.push(`WorkflowType = ${quoted(ability)}`);
  if (environment !== undefined) parts.push(`AbilityEnvironment = ${quoted(environment)}`);
  if (session !== undefined) parts.push(`AbilitySession = ${quoted(session)}`);
  if (within) parts.push(...conditionWithin(within));
  if (since !== undefined) parts.push(`StartTime >= '${since.toISOString()}'`);
  if (status !== undefined && status.length > 0) {
    parts.push(`(${status.map((state) => `(${CONDITIONS[state]})`).join(' OR ')})`);
  }
  if (query !== undefined) parts.push(`(${checkedQuery(query)})`);
  return parts.join(' AND ');
}

/** At least what the limits allow, so that pages are full; none where one of them allows everything. */
function conditionWithin(within: readonly RightLimits[]): string[] {
  const each = within.map(({ abilities = ['*'], environments = ['*'] }) => {
    return [...anyOf('WorkflowType', abilities), ...anyOf('AbilityEnvironment', environments)].join(' AND ');
  });
  return each.length === 0 || each.includes('') ? [] : [`(${each.map((one) => `(${one})`).join(' OR ')})`];
}

function anyOf(attribute: string, globs: readonly string[]): string[] {
  const each = globs.map((glob) => {
    const [begin = '', ...rest] = glob.split('*');
    if (rest.length === 0) return `${attribute} = ${quoted(glob)}`;
    return begin === '' ? '' : `${attribute} STARTS_WITH ${quoted(begin)}`;
  });
  return each.includes('') ? [] : [`(${each.join(' OR ')})`];
}

export function stateOf({
  status,
  searchAttributes,
}: Pick<WorkflowExecutionInfo, 'status' | 'searchAttributes'>): ListedState {
  return listedState(status.name, String(searchAttributes.AbilityStatus?.[0] ?? ''));
}

/** From Temporal's status and our attribute. */
export function listedState(temporal: string, attribute: string): ListedState {
  switch (temporal) {
    case 'RUNNING':
      return OPEN_ATTRIBUTES.has(attribute) ? (attribute as ListedState) : 'running';
    case 'COMPLETED':
      return attribute === 'expired' ? 'expired' : 'succeeded';
    case 'CANCELLED':
    case 'TERMINATED':
      return 'cancelled';
    default:
      return ATTRIBUTE_ENDS.has(attribute) ? (attribute as ListedState) : 'failed';
  }
}

/** Refuses quotes, since Temporal's list filters cannot escape them. @throws AbilityError `usage.invalid`. */
function quoted(text: string): string {
  if (!/['\\\p{Cc}]/u.test(text) && text !== '') return `'${text}'`;
  throw usageError(`${JSON.stringify(text)} cannot be a name here`);
}

/** A free condition is put in brackets, and must not close them. @throws AbilityError `usage.invalid`. */
function checkedQuery(query: string): string {
  const outside = query.replaceAll(/'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`[^`]*`/g, '');
  let depth = 0;
  for (const character of outside) {
    if (character === '(') depth += 1;
    if (character === ')') depth -= 1;
    if (depth < 0) break;
  }
  if (depth === 0 && query.trim() !== '' && !/['"`;]|--|\/\*/.test(outside)) return query;
  throw usageError(
    `--query ${JSON.stringify(query)} is not a single condition: a bracket or quote is not closed, or it is empty or more than one`,
    "Write one condition, such as: CloseTime > '2026-01-31T00:00:00Z' AND HistoryLength > 100.",
  );
}

/** The listed state, without a query to a worker; undefined if Temporal does not know the task. */
export async function describedState(connection: Connection, key: string): Promise<ListedState | undefined> {
  const found = await describeIfKnown(connection, key);
  return found && stateOf(found);
}
