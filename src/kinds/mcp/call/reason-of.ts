import { z } from 'zod';
import type { CallLog } from '../../../activities/call/call-log.js';
import { attempt } from '../../../text/attempt.js';
import { withoutQuote } from '../../../text/lossless-json/read-json.js';

/** Maximum characters of a reason; some servers answer with a whole page. */
const MAX_CHARACTERS = 1000;
const MAX_ISSUES = 5;

const issue = z.object({ message: z.string(), path: z.array(z.union([z.string(), z.number()])) });

/** Message of an error and its cause. @param log masks before the cut, since part of a secret is not found. */
export function maskedReason(error: unknown, log: Pick<CallLog, 'mask'>): string {
  if (!(error instanceof Error)) return log.mask(String(error));
  const cause = error.cause instanceof Error && error.cause.message ? error.cause.message : '';
  const isSaid = cause === '' || error.message.includes(cause);
  const text = log.mask(withoutQuote(withoutDump(isSaid ? error.message : `${error.message} (${cause})`)));
  return text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}...` : text;
}

/** Replaces a JSON list of validation issues in a text by a description in words. */
export function withoutDump(text: string): string {
  const start = text.search(/\[\s*\{/);
  const end = text.lastIndexOf(']') + 1;
  if (start < 0 || end <= start) return text;
  const issues = attempt(
    () =>
      z
        .array(issue)
        .nonempty()
        .safeParse(JSON.parse(text.slice(start, end))).data,
  );
  return issues ? `${text.slice(0, start)}${describeIssues(issues)}${text.slice(end)}` : text;
}

export function describeIssues(issues: readonly z.infer<typeof issue>[]): string {
  const texts = issues.map(({ message, path }) => {
    const what = message.replace(/^Invalid (?:input|option): /, '');
    const where = path.length > 0 ? `\`${path.join('.')}\`` : 'it';
    return what.endsWith('received undefined') ? `${where} is missing` : `${where}: ${what}`;
  });
  const more = texts.length > MAX_ISSUES ? [`and ${texts.length - MAX_ISSUES} more`] : [];
  return [...texts.slice(0, MAX_ISSUES), ...more].join('; ');
}

/** The first error of a class, in an error and its causes. */
export function causeOf<T extends Error>(error: unknown, kind: abstract new (...args: never[]) => T): T | undefined {
  for (let [each, depth] = [error, 0]; each instanceof Error && depth < 5; each = each.cause, depth += 1) {
    if (each instanceof kind) return each;
  }
  return undefined;
}
