/** Where an ability of any project may run: on a machine of the team, or anywhere. Source: requirements R-001-10. */
export const PLACEMENTS = ['local', 'cloud'] as const;

/** One of {@link PLACEMENTS}, or of `placements` in `ability.yaml`, which are local ones. */
export type Placement = string;

/** All placements of a project. @param placements its own, by name. */
export function placementsOf({ placements }: { placements: object }): readonly Placement[] {
  return [...PLACEMENTS, ...Object.keys(placements)];
}

/** Whether what needs one placement may run in another: a project's own placements are local. */
export function isPlacedIn(needed: Placement, placement: Placement): boolean {
  return needed === 'cloud' || needed === placement || (needed === 'local' && placement !== 'cloud');
}

/** The version of the interpreter. A plan states the one it was made for. Source: docs/decisions/0021-versions-begin-at-the-first-release.md. */
export const ENGINE = 1;

/** The version of the expression language; a plan states it, since another one may evaluate differently. */
export const CEL = 1;

/** Identifies a call's processes, to end them with it; scripts, MCP servers and their children inherit it. */
export const CALL_ID_VARIABLE = 'ABILITY_CALL_ID';

/** For processes that outlive their call: the runtime of a project, and its Temporal server. */
export const NO_CALL = 'none';

/** Workflow types of our own. A colon keeps them apart from every ability id. */
export const WORKFLOWS = {
  delete: 'ability:delete',
  lock: 'ability:lock',
  session: 'ability:session',
  notify: 'ability:notify',
  grant: 'ability:grant',
} as const;

/** Our own activity types. Hook phases use the phase's name, which has capitals; operation keys have none. */
export const ACTIVITIES = {
  preflight: 'ability:preflight',
  finish: 'ability:finish',
  enter: 'ability:enter',
  acquire: 'ability:acquire',
  release: 'ability:release',
  findEnded: 'ability:gone',
  modify: 'ability:modify',
  checkInput: 'ability:check-input',
  recordChange: 'ability:record-change',
  endTask: 'ability:end-task',
  erase: 'ability:erase',
  purge: 'ability:purge',
  findLink: 'ability:find-link',
  askStart: 'ability:ask-start',
  askStartLocal: 'ability:ask-start-at-once',
  askPrompt: 'ability:ask-prompt',
  askPromptLocal: 'ability:ask-prompt-at-once',
  endSession: 'ability:end-session',
  checkWord: 'ability:check-word',
  endCall: 'ability:end-call',
  prove: 'ability:prove',
  notify: 'ability:notify',
  decide: 'ability:decide',
  hold: 'ability:hold',
  sealGrant: 'ability:seal-grant',
  findGrant: 'ability:find-grant',
  useGrant: 'ability:use-grant',
  raiseLimit: 'ability:raise-limit',
  checkFiring: 'ability:check-firing',
} as const;

/** A global of the sandbox: workers of it encrypt payloads. */
export const ENCRYPTS_FLAG = '__ABILITY_ENCRYPTS__';

/** A global of the sandbox: its workers have a build. */
export const BUILD_FLAG = '__ABILITY_BUILD__';

/** Signals a task takes; each is listed in the Temporal UI. */
export const SIGNALS = { approve: 'approve', deny: 'deny', run: 'run', pause: 'pause', resume: 'resume' } as const;

/** Signal with which a lock answers a task. The colon keeps it apart from signals of definitions. */
export const SLOT_SIGNAL = 'ability:slot';

/** Signals that tasks send to the lock of a key. */
export const LOCK_SIGNALS = { enter: 'enter', leave: 'leave' } as const;

export const UPDATES = { created: 'created', modify: 'modify' } as const;

/** What a query is refused with that would make a run go on without a workflow task; it is to be asked again. */
export const ASK_AGAIN = 'has events that no workflow task has brought yet; ask again';

/** Queries that a task, a lock and a notice answer. */
export const QUERIES = {
  task: 'task',
  decision: 'decision',
  report: 'ability:told',
  lock: 'lock',
  session: 'session',
  thread: 'thread',
  grant: 'grant',
  sent: 'sent',
} as const;

/** Updates a grant takes: `use` from workers, `revoke` from clients. */
export const GRANT_UPDATES = { use: 'use', revoke: 'revoke' } as const;

/** Updates a session takes: `open`, `prompt`, `note` and `stop` from clients, `word` from workers, who sign it. */
export const SESSION_UPDATES = {
  open: 'open',
  prompt: 'prompt',
  note: 'note',
  stop: 'stop',
  word: 'ability:word',
} as const;

/** Type of the server's failure of an update whose workflow accepted it and ended without answering. */
export const ENDED_BEFORE_ANSWER = 'AcceptedUpdateCompletedWorkflow';

/**
 * Search attributes and the types they are registered with. `AbilityParent`: the task that called this one; a workflow
 * of somebody else that starts an ability as its child is not one.
 */
export const ATTRIBUTES = {
  AbilityProject: 'Keyword',
  AbilityStatus: 'Keyword',
  AbilityEnvironment: 'Keyword',
  AbilityModule: 'Keyword',
  AbilitySession: 'Keyword',
  AbilityParent: 'Keyword',
} as const;

/** The task queue of one environment and placement. */
export function taskQueueOf(project: string, environment: string, placement: Placement): string {
  return `${project}-${environment}-${placement}`;
}

/** The Temporal worker deployment of an environment, which has its queues. */
export function deploymentOf(project: string, environment: string): string {
  return `${project}-${environment}`;
}

/** The task queue of one worker process, for calls that no other one can make. @param holder id of the process. */
export function heldQueueOf(queue: string, holder: string): string {
  return `${queue}@${holder}`;
}

/** Whether only one worker process serves a queue; the names of other queues have no `@`. */
export function isHeldQueue(queue: string): boolean {
  return queue.includes('@');
}

/** Workflow id of a key's lock in one environment. @param digest of the key, which may be any text. */
export function lockIdOf(project: string, environment: string, digest: string): string {
  return `lock:${project}:${environment}:${digest.slice(0, 32)}`;
}

/** Workflow id of a grant. @param bound digest of what it is bound to. */
export function grantIdOf(project: string, bound: string): string {
  return `grant:${project}:${bound.slice(0, 16)}`;
}

/** @param refused the requests alone are deleted, so that an ended workflow of that id says nothing of a task. */
export function deleteIdOf(taskKey: string, refused = false): string {
  return `delete:${taskKey}${refused ? ':refused' : ''}`;
}

/** Workflow id of a session of a project; two projects on one server may each have one of the same name. */
export function sessionIdOf(project: string, session: string): string {
  return `session:${project}:${session}`;
}

/** Id of a schedule on Temporal; two projects on one server may each have one of the same name. */
export function scheduleIdOf(project: string, schedule: string): string {
  return `schedule:${project}:${schedule}`;
}

/** Ability ids and operation keys. */
export const ABILITY_ID = /^[a-z][a-z0-9_.-]{0,99}$/;

/** Task keys, chosen by a caller or generated (`t-<ULID>`); firings and deliveries have others, see `isTaskKey`. */
export const USER_KEY = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** Step ids; `steps.<id>` must be an expression. Source: docs/definitions.md#high-level-abilities. */
export const STEP_ID = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Names every JavaScript object inherits; a workflow type of that name would hit the prototype. */
export const RESERVED_NAMES: ReadonlySet<string> = new Set([
  'constructor',
  'hasOwnProperty',
  'isPrototypeOf',
  'propertyIsEnumerable',
  'toLocaleString',
  'toString',
  'valueOf',
  '__proto__',
  'prototype',
]);

/** Temporal's timeouts exceed ours by this margin, so that an activity ends itself and reports why. Milliseconds. */
export const TIMEOUT_MARGIN_MS = 5000;

/** Milliseconds. Source: docs/architecture.md#no-hangs; docs/architecture.md#the-way-of-a-task. */
export const ACTIVITY_LIMITS = {
  schedule_to_start: 60_000,
  preflight_to_start: 10_000,
  heartbeat: 6000,
} as const;

/** Scopes of sessions: a folder of the project, from which no `..` leads out. */
export const SCOPE_FOLDER = /^[A-Za-z0-9_][A-Za-z0-9_.-]*(\/[A-Za-z0-9_][A-Za-z0-9_.-]*)*$/;
