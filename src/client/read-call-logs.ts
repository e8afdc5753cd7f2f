import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { SHARED_LOG } from '../contracts/record.js';

/** A line of a log. */
export interface LogLine {
  time: string;
  step: string;
  attempt: number;
  stream: string;
  text: string;
}

/** What one call wrote into one file. */
export interface CallLog {
  file: string;
  /** Its step path. */
  name: string;
  lines: LogLine[];
}

/**
 * Reads the logs of a task, as its worker wrote them: a file a call, and files that calls share.
 *
 * @param folder of the logs. @param isWanted by the path of the step.
 */
export function readCallLogs(folder: string, isWanted: (path: string) => boolean = () => true): CallLog[] {
  return filesIn(folder).flatMap((file) => {
    const name = relative(folder, file).replace(/\.jsonl$/, '');
    if (name.startsWith(SHARED_LOG)) return sharedLogs(file).filter((log) => isWanted(log.name));
    return isWanted(name) ? [{ file, name, lines: readLines(file) }] : [];
  });
}

function sharedLogs(file: string): CallLog[] {
  const logs = new Map<string, CallLog>();
  for (const line of readLines(file)) {
    const log = logs.get(line.step) ?? { file, name: line.step, lines: [] };
    log.lines.push(line);
    logs.set(line.step, log);
  }
  return [...logs.values()];
}

/** The lines of a file that are whole; the last one may be being written. */
function readLines(file: string): LogLine[] {
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines
    .slice(0, -1)
    .filter(Boolean)
    .map((line) => JSON.parse(line) as LogLine);
}

function filesIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return filesIn(path);
    return entry.name.endsWith('.jsonl') ? [path] : [];
  });
}
