import { join } from 'node:path';
import { vi } from 'vitest';
import { Admission } from '../../../../src/activities/admission.js';
import type { ActivityDependencies } from '../../../../src/activities/dependencies.js';
import { createPreflight } from '../../../../src/activities/preflight/preflight.js';
import { lastDefinitions } from '../../../../src/activities/project-definitions.js';
import { RecordFolder } from '../../../../src/activities/record/record-folder.js';
import { PLACEMENTS, taskQueueOf } from '../../../../src/contracts/names.js';
import type { Plan } from '../../../../src/contracts/plan.js';
import type { TaskRecord } from '../../../../src/contracts/record.js';
import type {
  Formed,
  PreflightAnswer,
  PreflightRequest,
  TaskOptions,
  TaskResult,
  TaskStart,
} from '../../../../src/contracts/task.js';
import { loadRegistry } from '../../../../src/definitions/load-registry.js';
import { resolvePlan } from '../../../../src/planning/resolve/resolve-plan.js';
import { startOf } from '../../../../src/rules/tasks/task-arguments.js';
import { MemoryFiles } from '../../../fixtures/memory-files.js';
import type { ProjectFiles } from '../../../fixtures/project-folder.js';
import { secretsHere } from '../../../fixtures/secrets-here.js';
import { lowLevel, SCRIPT, SCRIPT_FILE, temporaryProject } from '../../temporary-project.js';
import { type ActivityInfo, activityEnvironment, KEYS } from '../admitted-task.js';

/** What a preflight, and a change of the input, require of their worker. */
export type Dependencies = Parameters<typeof createPreflight>[0] & Pick<ActivityDependencies, 'isServed'>;

const NOT_EXPECTED = (): Promise<never> => Promise.reject(new Error('this call is not expected'));

/** A project with the operation `op` and the workflow `flow`, which calls it. */
export const FILES: ProjectFiles = {
  ...lowLevel(
    'op',
    'input_schema: { type: object, properties: { n: { type: integer, default: 1 }, text: { type: string } } }',
    SCRIPT,
  ),
  ...SCRIPT_FILE,
  'registry/high-level/flow.yaml': `
id: flow
type: workflow
version: 1
summary: Calls the operation.
input_schema: { type: object, properties: { n: { type: integer, default: 1 }, text: { type: string } } }
steps:
  - { id: first, call: op }
  - { id: second, call: op }
`,
};

/** Hooks before creation, one line of YAML for each. */
export function creationHooks(...hooks: string[]): ProjectFiles {
  return {
    'registry/hooks/PreAbilityCreate.yaml': ['hooks:', ...hooks.map((hook) => `  - ${hook}`)].join('\n'),
  };
}

/** When every task of these tests was started. */
export const CREATED_AT = '2030-01-01T00:00:00.000Z';

/** The start of a task: the workflow, its arguments, and what Temporal knows of its run. */
export interface Asked extends TaskOptions, Partial<Omit<PreflightRequest, 'options'>> {
  ability?: string;
  environment?: string;
  task?: string;
}

/**
 * A project in a temporary folder, with what a worker needs for its preflights: no task exists, Temporal and
 * sessions are plain objects, and records are real files.
 */
export function preflightedProject(files: ProjectFiles = {}, more: Partial<Dependencies> = {}) {
  const { root } = temporaryProject({ ...FILES, ...files });
  const { project } = loadRegistry(root).project;
  const store = new MemoryFiles();
  const notify = vi.fn<Dependencies['sessions']['notify']>(async () => ({}));
  const dependencies: Dependencies = {
    root,
    project,
    host: 'here',
    lastDefinitions: lastDefinitions(root),
    keys: KEYS,
    plans: new Admission(
      project,
      KEYS,
      async () => undefined,
      { has: async () => false, keep: async () => {} },
      () => PLACEMENTS,
    ),
    records: new RecordFolder(join(root, 'records')),
    files: { store, folders: { open: NOT_EXPECTED } },
    sessions: { notify, countStarts: NOT_EXPECTED, readTask: NOT_EXPECTED },
    scripts: { keep: async () => undefined } as unknown as Dependencies['scripts'],
    tools: { pin: async (plan) => ({ plan, warnings: [] }) },
    findEarlier: async () => undefined,
    findDeletion: async () => undefined,
    readGiven: NOT_EXPECTED,
    proofs: () => null,
    readEnded: NOT_EXPECTED,
    isServed: async () => true,
    answerScript: NOT_EXPECTED,
    answerAbility: NOT_EXPECTED,
    secrets: (environment) => secretsHere(root, environment, {}),
    recordUsage: () => {},
    packPlan: (plan) => plan as never,
    shrink: async (result) => result,
    ...more,
  };
  const runOf = ({ ability = 'flow', environment = 'dev', task = 't-1' }: Asked, info: ActivityInfo) => ({
    workflowType: ability,
    workflowExecution: { workflowId: task, runId: 'r-1' },
    taskQueue: taskQueueOf(project, environment, 'local'),
    ...info,
  });
  /** The local activity with which a task begins. */
  const askLocal = async (of: Asked = {}, info: ActivityInfo = {}): Promise<PreflightAnswer> =>
    activityEnvironment({ isLocal: true, ...runOf(of, info) }).run(
      createPreflight(dependencies).local as never,
      requestOf(of),
    );
  /** The activity that repeats it where hooks before creation are scripts or abilities. */
  const askDedicated = async (of: Asked = {}, info: ActivityInfo = {}): Promise<PreflightAnswer> =>
    activityEnvironment(runOf(of, info)).run(createPreflight(dependencies).dedicated as never, undefined as never);
  /** What a task begins with after its preflight, in both parts if it needs both. */
  const preflight = async (of: Asked = {}, info: ActivityInfo = {}): Promise<TaskStart> => {
    let answer = await askLocal(of, info);
    if ('dedicated' in answer) {
      const { project: _, ...given } = requestOf(of);
      const { workflowType: type = '', taskQueue = '' } = runOf(of, info);
      dependencies.readGiven = async () => given;
      dependencies.plans.runs.note({ workflowId: of.task ?? 't-1', runId: 'r-1', type, taskQueue, task: {} as never });
      answer = await askDedicated(of, info);
    }
    if (!('seal' in answer)) throw new Error(`this preflight formed no task: ${JSON.stringify(answer)}`);
    return startOf(requestOf(of), answer as Formed, of.task ?? 't-1');
  };
  /** The plan of the workflow, before its tools are pinned. */
  const plan = () => resolvePlan(loadRegistry(root), 'flow', 'dev').plan;
  const { records } = dependencies;
  return { root, project, dependencies, plan, store, notify, askLocal, askDedicated, preflight, records };
}

function requestOf(asked: Asked): PreflightRequest {
  const { ability: _, environment: __, task: ___, input = {}, first = 'r-1', ...more } = asked;
  const { created_at = CREATED_AT, moment, project, outside, ...options } = more;
  const about = {
    ...(moment !== undefined && { moment }),
    ...(project !== undefined && { project }),
    ...(outside && { outside }),
  };
  return { input, options: { user: { name: 'ada' }, ...options }, first, created_at, ...about };
}

/** Makes the operation `op` a tool of a server. */
export const TOOL: ProjectFiles = {
  ...lowLevel('op', 'implementation: { kind: mcp, mcp: { server: files, tool: t } }'),
  'registry/config/mcp.yaml': 'mcp_servers: { files: { command: node } }\n',
};

/** A plan whose tool {@link TOOL} is pinned. */
export function pinnedPlan(plan: Plan): Plan {
  const copy = structuredClone(plan);
  for (const { implementation } of Object.values(copy.operations)) {
    if (implementation.kind === 'mcp') implementation.mcp.pinned = 'd'.repeat(64);
  }
  return copy;
}

/** A worker that pins {@link TOOL}. */
export const PINNED: Pick<Dependencies, 'tools'> = {
  tools: { pin: async (plan) => ({ plan: pinnedPlan(plan), warnings: ['pinned'] }) },
};

/** Marks a task as ended in its record. @returns its result. */
export function endRecord(records: RecordFolder, task: string): TaskResult {
  const record = records.read(task) as TaskRecord;
  const result: TaskResult = {
    ...{ status: 'succeeded', task_key: task, ability_id: 'flow', version: 1, digest: record.plan_digest },
    ...{ environment: 'dev', output: { done: true }, error: null, warnings: [], steps: [], approvals: [], hooks: [] },
    ...{ requested_by: { name: 'ada', source: 'claimed' }, started_at: null, finished_at: null, cleanup_ran: null },
    links: { temporal: null, page: null, record: null },
  };
  records.replace({ ...record, result });
  return result;
}
