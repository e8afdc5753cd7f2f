import { vi } from 'vitest';
import { Admission } from '../../../../src/activities/admission.js';
import type { createAskPrompt } from '../../../../src/activities/session/session-events.js';
import type { RunStart } from '../../../../src/activities/task/runs.js';
import { PLACEMENTS, sessionIdOf, taskQueueOf, WORKFLOWS } from '../../../../src/contracts/names.js';
import type { SignedWord, WordAnswer } from '../../../../src/contracts/session.js';
import { loadRegistry } from '../../../../src/definitions/load-registry.js';
import type { ProjectFiles } from '../../../fixtures/project-folder.js';
import { secretsHere } from '../../../fixtures/secrets-here.js';
import { temporaryProject } from '../../temporary-project.js';
import { type ActivityInfo, activityEnvironment, KEYS, USER } from '../admitted-task.js';

type Dependencies = Parameters<typeof createAskPrompt>[0];

const NOT_EXPECTED = (): Promise<never> => Promise.reject(new Error('this is not expected'));

/** The hooks of a session event, one line of YAML for each. */
export function eventHooks(phase: string, ...hooks: string[]): ProjectFiles {
  if (hooks.length === 0) return {};
  return { [`registry/hooks/${phase}.yaml`]: ['hooks:', ...hooks.map((hook) => `  - ${hook}`)].join('\n') };
}

/** A session without a server, which gives each message this answer. @returns the messages that it received. */
export function heardBy(answer: WordAnswer | Error = {}) {
  const words: SignedWord['word'][] = [];
  const notify = async (_: string, { word }: SignedWord): Promise<WordAnswer> => {
    words.push(word);
    if (answer instanceof Error) throw answer;
    return answer;
  };
  return { words, sessions: { notify, countStarts: NOT_EXPECTED, readTask: NOT_EXPECTED } };
}

/** A project in a temporary folder, and its session `s-1` as its activities see it. */
export function sessionWorld(
  files: ProjectFiles = {},
  more: Partial<Dependencies> = {},
  start: Partial<RunStart> = {},
) {
  const { root } = temporaryProject(files);
  const { project } = loadRegistry(root).project;
  const run = { workflowId: sessionIdOf(project, 's-1'), runId: 'r-1' };
  const taskQueue = taskQueueOf(project, 'dev', 'local');
  const begun: RunStart = { ...run, type: WORKFLOWS.session, taskQueue, ...start };
  const countStarts = vi.fn(async () => 3);
  const dependencies: Dependencies = {
    root,
    project,
    plans: new Admission(
      project,
      KEYS,
      async () => begun,
      { has: async () => false, keep: async () => {} },
      () => PLACEMENTS,
    ),
    sessions: { ...heardBy().sessions, countStarts },
    answerScript: NOT_EXPECTED,
    answerAbility: NOT_EXPECTED,
    secrets: (environment) => secretsHere(root, environment, {}),
    recordUsage: () => {},
    ...more,
  };
  const around = {
    session_id: 's-1',
    scope: 'modules/users',
    environment: 'dev',
    user: USER,
    moment: Date.UTC(2030, 0, 1),
  };
  const limits = {
    scheduledTimestampMs: Date.now(),
    scheduleToCloseTimeoutMs: 600_000,
    startToCloseTimeoutMs: 600_000,
  };
  const environment = (info: ActivityInfo = {}) =>
    activityEnvironment({ workflowExecution: run, workflowType: WORKFLOWS.session, taskQueue, ...limits, ...info });
  return { root, project, dependencies, around, environment, countStarts };
}
