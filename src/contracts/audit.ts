/**
 * What an audit log has lines of. `created`, `refused`, `ended`: a task; `stated`: what a person says of a lost call when a
 * task is retried; `changed`: its input; `guard`: an answer of a hook before creation or before a call; `decision`: of a
 * person, or of a grant or the time in place of people; `edited`, `granted`: by a decision; `revoked`: a grant; `effect`: the
 * end of a call; `deleted`, `purged`: a task's record, its history. Source: docs/operations.md#audit-log.
 */
export const AUDIT_KINDS = [
  'created',
  'refused',
  'stated',
  'changed',
  'guard',
  'decision',
  'edited',
  'granted',
  'revoked',
  'effect',
  'ended',
  'deleted',
  'purged',
] as const;

/** One of {@link AUDIT_KINDS}. */
export type AuditKind = (typeof AUDIT_KINDS)[number];

/** Who did it, and how that is known. */
export interface AuditedPerson {
  /** A name as the record has it. */
  by?: string;
  /** As `Decider.source` or `Person.source`. */
  proof?: string;
  /** Issuer and subject of the proof, with a space between. */
  subject?: string;
  /** The agent that acts for the person, as it calls itself. */
  agent?: string;
}

/** What happened: names, codes and digests, and no value, comment or message, which could contain a secret. */
export interface AuditFacts extends AuditedPerson {
  kind: AuditKind;
  /** Workflow id; left out: that of the workflow that reports it. */
  task?: string;
  ability?: string;
  environment?: string;
  /** Path of the step; `run` or left out: the task itself. */
  path?: string;
  /** State of a task, status of a call, answer of a guard, verdict of a decision. */
  result?: string;
  /** Code of the error. */
  code?: string;
  /** Kind of caller; left out if unknown. */
  caller?: string;
  /** Id of the hook, approval, grant, implementation, or of the task that this one repeats. */
  about?: string;
  /** Class of the effect of a call. */
  effects?: string;
  /** SHA-256 of the canonical input. */
  input?: string;
  /** Digest of the sealed plan. */
  plan?: string;
}

/** An event, as the workflow in which it happened reports it. */
export interface AuditEvent extends AuditFacts {
  /** `<run id>/<number>`: a line that is written again, after the loss of its worker, has the same. */
  event: string;
  /** Of the workflow, ISO 8601. */
  time: string;
  task: string;
}

/** A line of the log of a project. */
export interface AuditLine extends AuditEvent {
  /** From 1 on, without gaps. */
  seq: number;
  project: string;
  /** `hash` of the line before; of the first one, the SHA-256 of {@link AUDIT_START} and the project. */
  prev: string;
  /** SHA-256 of the canonical JSON of the line without this field. */
  hash: string;
}

/** The text before the name of the project in what the first line continues. */
export const AUDIT_START = 'ability audit 1 ';

/** The fields of a line in the order of the columns of an export. */
export const AUDIT_FIELDS = [
  'seq',
  'time',
  'project',
  'kind',
  'task',
  'ability',
  'environment',
  'path',
  'result',
  'code',
  'by',
  'proof',
  'subject',
  'agent',
  'caller',
  'about',
  'effects',
  'input',
  'plan',
  'event',
  'prev',
  'hash',
] as const satisfies readonly (keyof AuditLine)[];

/** Something that is wrong with a log. */
export interface AuditFinding {
  /** The object in the store; `head` for an anchor that is not found. */
  where: string;
  problem: string;
}

/** Identifies a line: whoever keeps it elsewhere finds out whether it, or one before it, is changed or missing. */
export interface AuditHead {
  seq: number;
  hash: string;
}
