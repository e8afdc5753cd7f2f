import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { RECORD_FILES } from '../../contracts/record.js';
import type { Connection } from '../connection/connect.js';
import { type LogLine, linesOf } from '../view/read-call-logs.js';

/**
 * The last that each attempt of a call wrote: on stderr, else anywhere. Empty where no log of it is on this machine.
 *
 * Source: docs/operations.md#looking-into-a-task.
 */
export function readLastWords(connection: Pick<Connection, 'paths'>, task: string, path: string): Map<number, string> {
  const words = new Map<number, string>();
  const complaints = new Map<number, string>();
  for (const { attempt, stream, text } of readLines(connection, task, path)) {
    if (text.trim() === '') continue;
    words.set(attempt, text.trim());
    if (stream === 'stderr') complaints.set(attempt, text.trim());
  }
  return new Map([...words, ...complaints]);
}

function readLines({ paths }: Pick<Connection, 'paths'>, task: string, path: string): LogLine[] {
  try {
    const text = readFileSync(join(paths.records, task, RECORD_FILES.logs, `${path}.jsonl`), 'utf8');
    return linesOf(text);
  } catch {
    return [];
  }
}
