import { TASK_HEADERS, USER_CLAIM } from '../../contracts/access.js';
import type { Caller, Person } from '../../contracts/callers.js';
import type { Json, JsonObject } from '../../contracts/json.js';
import type { TaskView } from '../../contracts/task.js';
import { defined } from '../../text/defined.js';
import type { ListedTask, ListFilter, TaskPage } from '../list/list-tasks.js';
import type { CreatedTask, NewTask } from '../start/new-task.js';
import type { TaskChain } from '../view/read-chain.js';
import type { SeenTask, Source } from '../view/view-task.js';
import { type HttpConnection, refuseGiven } from './http-connection.js';

/** Options of a new task that the door does not support. */
const REFUSED = ['files', 'direct', 'retry', 'handle', 'made', 'registry', 'review', 'onStall'] as const;
const MAX_LISTED = 999;

export async function createTask(connection: HttpConnection, wanted: NewTask): Promise<CreatedTask> {
  refuseGiven('createTask', { ...wanted, direct: wanted.direct || undefined }, REFUSED);
  if (wanted.plan) refuseGiven('plan', wanted.plan, ['input']);
  const { person, kind, session, scope, trace, intent } = wanted.caller;
  refuseGiven('user', person, ['agent']);
  const { ability, environment, input, key, plan, signal } = wanted;
  const { body, headers } = await connection.http.ask('POST', wanted.run ? '/v1/runs' : '/v1/tasks', {
    body: {
      ability,
      environment,
      input,
      ...defined({ session: session ?? undefined, scope: scope ?? undefined, intent: intent ?? undefined }),
      ...(plan && { plan: plan.plan }),
    },
    headers: {
      ...requesterHeaders(person, kind ?? undefined),
      ...(trace !== null && { traceparent: trace }),
      ...(key !== undefined && { 'idempotency-key': key }),
    },
    signal,
  });
  const { task_key: id, warnings } = body as unknown as { task_key: string; warnings: string[] };
  const { [TASK_HEADERS.run]: runId = '', [TASK_HEADERS.attached]: attached } = headers;
  return { id, runId: String(runId), warnings, attached: attached === 'true' };
}

export async function runTask(connection: HttpConnection, id: string): Promise<void> {
  await connection.http.ask('POST', `${pathOf(id)}/run`, { body: {} });
}

export async function cancelTask(connection: HttpConnection, id: string): Promise<void> {
  await connection.http.ask('POST', `${pathOf(id)}/cancel`);
}

export async function signalTask(connection: HttpConnection, id: string, name: string, payload: Json): Promise<void> {
  await connection.http.ask('POST', `${pathOf(id)}/signals/${encodeURIComponent(name)}`, { body: { payload } });
}

/** As `viewTask`, for tasks of the door's project only. */
export async function viewTask(connection: HttpConnection, id: string, from?: Source): Promise<SeenTask> {
  refuseGiven('viewTask', { from }, ['from']);
  return (await look(connection, id)).seen;
}

export async function readChain(connection: HttpConnection, id: string): Promise<TaskChain> {
  return (await look(connection, id)).chain;
}

async function look(
  { http }: HttpConnection,
  id: string,
  signal?: AbortSignal,
): Promise<{ seen: SeenTask; chain: TaskChain }> {
  const { body } = await http.ask('GET', pathOf(id), { signal });
  const {
    source,
    retry_of = null,
    retries = [],
    ...result
  } = body as unknown as TaskView & Pick<SeenTask, 'source'> & Partial<TaskChain>;
  const view = 'progress' in result ? result : undefined;
  return { seen: { result, view, source }, chain: { retry_of, retries } };
}

export async function listTaskPage({ http }: HttpConnection, filter: ListFilter, cursor?: string): Promise<TaskPage> {
  refuseGiven('a list', { ...filter, called: filter.called || undefined }, ['query', 'called']);
  const { status, ability, environment, session, since, limit } = filter;
  const query = {
    status,
    ability,
    environment,
    session,
    since: since?.toISOString(),
    limit: String(Math.min(limit, MAX_LISTED)),
    cursor,
  };
  const { body } = await http.ask('GET', '/v1/tasks', { query });
  return body as unknown as TaskPage;
}

export async function listTasks(connection: HttpConnection, filter: ListFilter): Promise<ListedTask[]> {
  const tasks: ListedTask[] = [];
  let cursor: string | undefined;
  do {
    const page = await listTaskPage(connection, { ...filter, limit: filter.limit - tasks.length }, cursor);
    tasks.push(...page.tasks);
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined && tasks.length < filter.limit);
  return tasks;
}

export function pathOf(id: string): string {
  return `/v1/tasks/${encodeURIComponent(id)}`;
}

export function answerAs<T>(body: Json | JsonObject): T {
  return body as unknown as T;
}

/** With a token, a door refuses any name but that of its person; over a runtime's socket it is a claim. */
export function requesterHeaders({ name }: Pick<Person, 'name'>, caller?: Caller): Record<string, string> {
  return {
    [USER_CLAIM.user]: encodeURIComponent(name),
    ...(caller !== undefined && { [USER_CLAIM.caller]: caller }),
  };
}
