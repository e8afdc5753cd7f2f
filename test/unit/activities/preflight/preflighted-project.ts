import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { vi } from 'vitest';
import { Admission } from '../../../../src/activities/admission.js';
import type { ActivityDependencies } from '../../../../src/activities/dependencies.js';
import { createPreflight } from '../../../../src/activities/preflight/preflight.js';
import { RecordFolder } from '../../../../src/activities/record/record-folder.js';
import { preflightIdOf, taskQueueOf } from '../../../../src/contracts/names.js';
import type { Plan } from '../../../../src/contracts/plan.js';
import { RECORD_FILES } from '../../../../src/contracts/record.js';
import type { PreflightAnswer, TaskRequest } from '../../../../src/contracts/task.js';
import { loadRegistry } from '../../../../src/definitions/load-registry.js';
import { resolvePlan } from '../../../../src/planning/resolve/resolve-plan.js';
import { SecretSource } from '../../../../src/planning/secrets/secret-source.js';
import { MemoryFiles } from '../../../fixtures/memory-files.js';
import type { ProjectFiles } from '../../../fixtures/project-folder.js';
import { lowLevel, SCRIPT, SCRIPT_FILE, temporaryProject } from '../../temporary-project.js';
import { type ActivityInfo, activityEnvironment, KEYS, USER } from '../admitted-task.js';

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
    keys: KEYS,
    plans: new Admission(project, KEYS, async () => undefined, { has: async () => false, keep: async () => {} }),
    records: new RecordFolder(join(root, 'records')),
    files: { store, folders: { open: NOT_EXPECTED } },
    sessions: { notify, countStarts: NOT_EXPECTED, readTask: NOT_EXPECTED },
    scripts: { keep: async () => undefined } as unknown as Dependencies['scripts'],
    tools: { pin: async (plan) => ({ plan, warnings: [] }) },
    findTask: async () => undefined,
    findDeletion: async () => undefined,
    readEnded: NOT_EXPECTED,
    isServed: async () => true,
    answerScript: NOT_EXPECTED,
    answerAbility: NOT_EXPECTED,
    secrets: (environment) => new SecretSource(root, environment, {}),
    recordUsage: () => {},
    ...more,
  };
  const request = (of: Partial<TaskRequest> = {}): TaskRequest => {
    const about = { ability: 'flow', environment: 'dev', input: {}, task: 't-1', direct: false };
    return { ...about, user: USER, session: null, ...of };
  };
  /** Runs the preflight of a request as the activity that a client starts for it. */
  const preflight = (of: Partial<TaskRequest> = {}, info: ActivityInfo = {}): Promise<PreflightAnswer> => {
    const taskRequest = request(of);
    const taskQueue = taskQueueOf(project, taskRequest.environment, 'local');
    const defaults = { inWorkflow: false, activityId: preflightIdOf(taskRequest.task, project), taskQueue };
    const environment = activityEnvironment({ ...defaults, ...info });
    return environment.run(createPreflight(dependencies), taskRequest);
  };
  /** The plan of the workflow, before its tools are pinned. */
  const plan = () => resolvePlan(loadRegistry(root), 'flow', 'dev').plan;
  return { root, project, dependencies, plan, store, notify, request, preflight, records: dependencies.records };
}

/** Makes the operation `op` a tool of a server. */
export const TOOL: ProjectFiles = {
  ...lowLevel('op', 'implementation: { kind: mcp, mcp: { server: files, tool: t } }'),
  'registry/config/mcp.yaml': 'mcp_servers: { files: { command: server } }\n',
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

/** Marks a task as ended in its record. */
export function endRecord(records: RecordFolder, task: string): void {
  const ended = { ...records.read(task), result: { status: 'succeeded' } };
  writeFileSync(join(records.pathOf(task) as string, RECORD_FILES.json), JSON.stringify(ended));
}
