/**
 * What an audit log has lines of. `created`, `refused`, `ended`: a task; `stated`: what a person says of a lost call when a
 * task is retried; `changed`: its input; `guard`: an answer of a hook before creation, before a call or of a session; `decision`: of a
 * person, or of a grant or the time in place of people; `edited`, `granted`: by a decision; `revoked`: a grant; `effect`: the
 * end of a call; `deleted`, `purged`: a task's record, its history. Source: docs/operations.md#audit-log.
 */
export const AUDIT_KINDS = [
  ...(['created', 'refused', 'stated', 'changed', 'guard', 'decision', 'edited', 'granted', 'revoked'] as const),
  ...(['effect', 'ended', 'deleted', 'purged'] as const),
] as const;

export type AuditKind = (typeof AUDIT_KINDS)[number];

/**
 * The fields of a line, in the order of the columns of an export: names, codes and digests, and no value, comment or message,
 * which could contain a secret. docs/operations.md#audit-log says what each is. `event`: `<run id>/<number>`, the same in a line
 * that is written again after the loss of its worker; `hash`: SHA-256 of the canonical JSON of the line without it.
 */
export const AUDIT_FIELDS = [
  ...(['seq', 'time', 'project', 'kind', 'task', 'ability', 'environment', 'path', 'result', 'code', 'by'] as const),
  ...(['proof', 'subject', 'agent', 'caller', 'about', 'effects', 'input', 'plan', 'event', 'prev', 'hash'] as const),
] as const;

type Fact = Exclude<(typeof AUDIT_FIELDS)[number], 'seq' | 'project' | 'kind' | 'event' | 'prev' | 'hash'>;
export type AuditFacts = { kind: AuditKind } & { [Field in Fact]?: string | undefined };

/** What happened, as the workflow in which it happened reports it. */
export type AuditEvent = AuditFacts & Record<'event' | 'time' | 'task', string>;

/** A line of the log of a project; `seq` counts from 1 without gaps. */
export type AuditLine = AuditEvent & Record<'project' | 'prev' | 'hash', string> & { seq: number };

/** Who keeps it elsewhere finds out whether this line, or one before it, is changed or missing. */
export type AuditHead = Pick<AuditLine, 'seq' | 'hash'>;

/** Something that is wrong with a log. */
export type AuditFinding = Record<'where' | 'problem', string>;
