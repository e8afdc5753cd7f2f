import { z } from 'zod';
import { AUDIT_KINDS, type AuditHead, type AuditLine } from '../contracts/audit.js';
import { readJson } from '../disk/read-json.js';
import { checkAudit, readAudit } from '../server/audit/read-audit.js';
import { wholeProject } from './concerns.js';
import * as fields from './fields.js';
import { operation } from './operation.js';

/** Of one answer; a line has about 700 bytes. */
const MAX_LINES = 2000;
const MAX_OBJECTS = 2000;

const finding = z.strictObject({ where: z.string(), problem: z.string() });
const findings = z.array(finding).describe('What is wrong with the log; empty: nothing was found.');
const on = z.boolean().describe('Whether `audit` is set in ability.yaml.');
const hash = z.string().regex(/^[0-9a-f]{64}$/, 'It is no SHA-256, of 64 hex digits');
const moment = z.iso.datetime({ offset: true }).optional();

export const readAuditLog = operation({
  summary: 'Lines of the audit log, in order; what is read is verified.',
  right: 'read',
  concerns: wholeProject,
  at: 'GET /v1/audit',
  input: z.strictObject({
    since: moment.describe('Only lines of this time or later.'),
    until: moment.describe('Only lines before this time.'),
    task: fields.key.optional().describe('Only lines about this task and those that it called.'),
    kind: z.enum(AUDIT_KINDS).optional().describe('Only lines of this kind.'),
    from: z.int().min(1).default(1).describe('`next` of the previous part.'),
  }),
  answers: {
    200: {
      means: 'A part of the log, from which lines may be left out by the filter.',
      schema: z.strictObject({
        on,
        lines: z.array(z.looseObject({ seq: z.int(), hash })),
        findings,
        next: z.int().nullable().describe('Where the next part begins; null: this is the last one.'),
      }),
    },
  },
  run: (project, _, { from, ...filter }, signal) =>
    project.ask(async ({ store, project: name }) => {
      const isWanted = filterOf(filter);
      const part = {
        on: project.registry().project.audit !== false,
        lines: [] as AuditLine[],
        findings: [] as Finding[],
      };
      for await (const { object, lines, findings } of readAudit(store, name, from)) {
        signal.throwIfAborted();
        part.lines.push(...lines.filter(isWanted));
        part.findings.push(...findings);
        if (part.lines.length >= MAX_LINES || object - from >= MAX_OBJECTS) return { ...part, next: object + 1 };
      }
      return { ...part, next: null };
    }),
});

type Finding = z.output<typeof finding>;

interface Filter {
  since?: string | undefined;
  until?: string | undefined;
  task?: string | undefined;
  kind?: string | undefined;
}

function filterOf({ since, until, task, kind }: Filter): (line: AuditLine) => boolean {
  const [first, end] = [Date.parse(since ?? ''), Date.parse(until ?? '')];
  return (line) => {
    const at = Date.parse(line.time);
    if (at < first || at >= end) return false;
    return (kind === undefined || line.kind === kind) && (task === undefined || `${line.task}/`.startsWith(`${task}/`));
  };
}

export const verifyAudit = operation({
  summary: 'Read all of the audit log, and find changed, removed, inserted and reordered lines.',
  right: 'read',
  concerns: wholeProject,
  at: 'GET /v1/audit/verify',
  input: z.strictObject({ head: hash.optional().describe('The `hash` of a line that was kept elsewhere.') }),
  answers: {
    200: {
      means: 'What was found.',
      schema: z.strictObject({
        on,
        lines: z.int(),
        head: z.strictObject({ seq: z.int(), hash }).nullable().describe('The last line; keep it elsewhere.'),
        findings,
      }),
    },
  },
  run: (project, _, { head }, signal) =>
    project.ask(async ({ store, project: name, paths }) => {
      const own = readJson<AuditHead>(paths.auditHead);
      const anchors = [
        ...(head === undefined ? [] : [{ hash: head, kept: 'was given' }]),
        ...(own ? [{ hash: own.hash, kept: `line ${own.seq} had when this machine wrote it` }] : []),
      ];
      const checked = await checkAudit(store, name, anchors, signal);
      return { on: project.registry().project.audit !== false, ...checked };
    }),
});
