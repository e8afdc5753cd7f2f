import {
  ApplicationFailure,
  WorkflowFailedError,
  WorkflowNotFoundError,
  type WorkflowStartOptions,
} from '@temporalio/client';
import { defaultPayloadConverter, type Payload, WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { vi } from 'vitest';
import type { Connection } from '../../../../src/client/connection/connect.js';
import { ACTIVITIES } from '../../../../src/contracts/names.js';
import type { PreflightAnswer, Refusal } from '../../../../src/contracts/task.js';
import type { OwnDefinitions } from '../../../../src/planning/resolve/own-definitions.js';

export const PROJECT = 'acme';

/** An execution that the server has. */
export interface Execution {
  runId?: string;
  type?: string;
  status?: string;
  /** Empty: it has not said. */
  project?: string;
  /** The attribute `AbilityStatus`. */
  state?: string;
  environment?: string;
  args?: unknown[];
  /** Absent: its preflight has not ended. */
  answer?: PreflightAnswer | undefined;
  refusal?: Refusal;
  historyLength?: number;
}

const toPayload = (value: unknown): Payload => defaultPayloadConverter.toPayload(value);

/** The events of an execution, as far as they matter to a start. */
function eventsOf({ args = [{}], answer, refusal }: Execution): object[] {
  const started = { workflowExecutionStartedEventAttributes: { input: { payloads: args.map(toPayload) } } };
  const about = { payloads: [toPayload({ activity_type: ACTIVITIES.preflight })] };
  const details = { data: about, result: { payloads: [toPayload(answer)] } };
  const answered = answer ? [{ markerRecordedEventAttributes: { details } }] : [];
  return [started, ...answered, ...(refusal ? [{ workflowExecutionFailedEventAttributes: {} }] : [])];
}

/** How long the server waits for a further event, by the clock of the test. Milliseconds. */
const WAIT_MS = 2000;

interface HistoryRequest {
  execution: { workflowId: string };
  waitNewEvent?: boolean;
}

interface Server {
  /** The last execution of each id. */
  executions?: Record<string, Execution>;
  /** What becomes of a start. */
  formed?: Execution;
  /** Ended executions of any id, as a list has them. */
  ended?: { runId: string; state: string }[];
  definitions?: OwnDefinitions;
}

/** A connection to a server with these executions, and what a client asks of it. */
export function serverWith({ executions = {}, formed = {}, ended = [], definitions }: Server = {}) {
  const known = new Map(Object.entries(executions));
  const signals: unknown[][] = [];
  const start = vi.fn(async (type: string, options: WorkflowStartOptions) => {
    const { workflowId: id, workflowIdReusePolicy: reuse, args = [] } = options;
    const { status = 'RUNNING' } = known.get(id) ?? { status: 'NONE' };
    if (status === 'RUNNING' || (status !== 'NONE' && reuse !== 'ALLOW_DUPLICATE')) {
      throw new WorkflowExecutionAlreadyStartedError('taken', id, type);
    }
    known.set(id, { runId: 'new', type, args: [...args], ...formed });
    return { firstExecutionRunId: 'new' };
  });
  const find = (id: string): Execution => {
    const found = known.get(id);
    if (!found) throw new WorkflowNotFoundError('unknown', id, undefined);
    return found;
  };
  const describe = async (id: string) => {
    const { runId = 'held', type = 'signup', status = 'RUNNING', environment = 'staging', ...more } = find(id);
    const { project = PROJECT, state = 'running', historyLength = 9 } = more;
    const shown: Record<string, string> = { AbilityStatus: state, ...(project !== '' && { AbilityProject: project }) };
    return {
      ...{ runId, type, status: { name: status }, memo: { ability: type, environment } },
      searchAttributes: Object.fromEntries(Object.entries(shown).map(([name, value]) => [name, [value]])),
      typedSearchAttributes: { get: ({ name }: { name: string }) => shown[name] },
      ...{ startTime: new Date(0), closeTime: new Date(1) },
      raw: { workflowExecutionInfo: { historyLength } },
    };
  };
  const cancel = vi.fn(async () => {});
  const list = vi.fn(async function* (_: { query: string }) {
    for (const { runId, state } of ended) {
      yield { runId, status: { name: 'COMPLETED' }, searchAttributes: { AbilityStatus: [state] } };
    }
  });
  const result = async (id: string) => {
    const { refusal } = find(id);
    const cause = ApplicationFailure.create({ type: refusal?.code ?? 'x', details: refusal ? [refusal] : [] });
    throw new WorkflowFailedError('failed', cause, 'NON_RETRYABLE_FAILURE');
  };
  const history = vi.fn(async ({ execution, waitNewEvent }: HistoryRequest) => {
    const found = find(execution.workflowId);
    if (waitNewEvent && !found.answer && !found.refusal) {
      vi.setSystemTime(Date.now() + WAIT_MS);
      throw Object.assign(new Error('late'), { code: 4, details: '', metadata: {} });
    }
    return { history: { events: eventsOf(found) }, nextPageToken: new Uint8Array() };
  });
  const getHandle = (id: string, runId?: string) => ({
    describe: () => describe(id),
    result: () => result(id),
    signal: async (...signal: unknown[]) => void signals.push([id, runId, ...signal]),
    cancel,
  });
  const temporal = {
    options: { namespace: 'default' },
    withDeadline: (_: number, action: () => unknown) => action(),
    withAbortSignal: (_: AbortSignal, action: () => unknown) => action(),
    workflowService: { getWorkflowExecutionHistory: history },
    workflow: { start, result, list, getHandle },
  };
  const served = new Map(['local', 'cloud'].map((placement) => [`${PROJECT}-staging-${placement}`, Infinity]));
  const connection = {
    ...{ temporal, project: PROJECT, namespace: 'default', address: 'x:1', served, created: new Map() },
    paths: { records: '/nowhere' },
    codec: { decode: async (payloads: Payload[]) => payloads },
    ...(definitions && { definitions: () => definitions }),
  } as unknown as Connection;
  return { connection, known, start, signals, cancel, history, list };
}
