import { z } from 'zod';
import { AUDIT_KINDS, type AuditFinding, type AuditLine } from '../contracts/audit.js';
import { readAudit } from '../server/audit/read-audit.js';
import { wholeProject } from './concerns.js';
import * as fields from './fields.js';
import { answer, operation } from './operation.js';

/** Lines, and objects, of one answer: about a megabyte and a half. */
const MAX = 2000;

export const readAuditLog = operation({
  summary: 'Lines of the audit log, in order; all that is read is verified, whether or not the filter leaves it out.',
  right: 'read',
  concerns: wholeProject,
  at: 'GET /v1/audit',
  input: z.strictObject({
    since: z.iso.datetime({ offset: true }).optional().describe('Only lines of this time or later.'),
    until: z.iso.datetime({ offset: true }).optional().describe('Only lines before this time.'),
    task: fields.key.optional().describe('Only lines about this task and those that it called.'),
    kind: z.enum(AUDIT_KINDS).optional().describe('Only lines of this kind.'),
    from: z.int().min(1).default(1).describe('`next` of the previous part.'),
  }),
  answers: answer(
    'A part of the log; the filter may leave no line of it.',
    z.strictObject({
      on: z.boolean().describe('Whether `audit` is set in ability.yaml.'),
      lines: z.array(z.looseObject({ seq: z.int(), hash: z.string() })),
      findings: z.array(z.strictObject({ where: z.string(), problem: z.string() })).describe('What is wrong with it.'),
      next: z.int().nullable().describe('Where the next part begins; null: this is the last one.'),
    }),
  ),
  run: (project, _, { from, since = '', until = '', task, kind }, signal) =>
    project.ask(async ({ store, project: name }) => {
      const [first, end] = [Date.parse(since), Date.parse(until)];
      const isWanted = (line: AuditLine): boolean =>
        !(Date.parse(line.time) < first || Date.parse(line.time) >= end) &&
        (kind === undefined || line.kind === kind) &&
        (task === undefined || `${line.task}/`.startsWith(`${task}/`));
      const [lines, findings]: [AuditLine[], AuditFinding[]] = [[], []];
      const part = { on: project.registry().project.audit !== false, lines, findings };
      for await (const { object, lines: read, finding } of readAudit(store, name, from)) {
        signal.throwIfAborted();
        lines.push(...read.filter(isWanted));
        if (finding) findings.push(finding);
        if (lines.length >= MAX || object - from >= MAX) return { ...part, next: object + 1 };
      }
      return { ...part, next: null };
    }),
});
