import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { historyFromJSON } from '@temporalio/common/lib/proto-utils.js';
import { z } from 'zod';
import { AbilityError, reasonOf } from '../../contracts/problem.js';
import type { History, RecordedHistory } from './history-events.js';

/** Format of `temporal workflow show --output json`. */
const PLAIN = z.object({ events: z.array(z.looseObject({ eventId: z.coerce.string() })).min(1) });
/** Format of `npm run histories`, which adds facts to the events. */
const RECORDED = z.object({
  workflowId: z.string().optional(),
  history: PLAIN,
  /** Values of the store: digest to base64 of gzip. */
  stored: z.record(z.string(), z.string()).optional(),
});
const FORMAT = z.union([
  RECORDED,
  PLAIN.transform((history) => ({ history, workflowId: undefined, stored: undefined })),
]);

const SUGGESTION = 'Write one with `temporal workflow show --workflow-id KEY --output json > FILE`.';

/** The file, or every `.json` below the folder, sorted. @throws AbilityError `history.invalid` for none. */
export function findHistoryFiles(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path];
  const files = readdirSync(path, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((name) => join(path, name));
  if (files.length > 0) return files;
  throw new AbilityError({ code: 'history.invalid', message: `${path} has no .json files`, suggestion: SUGGESTION });
}

/** Reads one recorded run. @throws AbilityError `history.invalid` for a file that is not a history in JSON. */
export function readHistoryFile(file: string): RecordedHistory {
  const { workflowId, history: plain, stored = {} } = parse(file);
  const history = toHistory(file, plain);
  const started = history.events?.[0]?.workflowExecutionStartedEventAttributes;
  if (!started) throw invalid(file, 'its first event is not the start of a workflow');
  // Servers before 1.26 do not report the id; a task without children replays under any.
  const id = workflowId ?? started.workflowId;
  return { name: file, workflowId: id || 'unknown', history, stored: valuesOf(file, stored) };
}

function parse(file: string): z.infer<typeof FORMAT> {
  const parsed = FORMAT.safeParse(jsonOf(file));
  if (parsed.success) return parsed.data;
  throw invalid(file, 'it has no list of events');
}

function jsonOf(file: string): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file)));
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : 'it is not JSON';
    throw invalid(file, reason, error);
  }
}

function toHistory(file: string, plain: z.infer<typeof PLAIN>): History {
  try {
    return historyFromJSON(plain);
  } catch (error) {
    throw invalid(file, reasonOf(error), error);
  }
}

function valuesOf(file: string, stored: Record<string, string>): Map<string, Uint8Array> {
  try {
    const values = Object.entries(stored).map(
      ([digest, text]) => [digest, gunzipSync(Buffer.from(text, 'base64'))] as const,
    );
    return new Map(values);
  } catch (error) {
    throw invalid(file, 'its stored values cannot be unpacked', error);
  }
}

function invalid(file: string, reason: string, cause?: unknown): AbilityError {
  return new AbilityError(
    { code: 'history.invalid', message: `${file} is no history: ${reason}`, suggestion: SUGGESTION },
    { cause },
  );
}
