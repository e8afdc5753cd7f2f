import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { RECORD_FILES, REQUESTS_LOG } from '../../contracts/record.js';
import { parseJson } from '../../disk/read-json.js';
import { protocolIn } from '../../rules/calls/tools-used.js';
import { generalPath } from '../../rules/steps/step-tree.js';
import { attempt } from '../../text/attempt.js';
import type { Connection } from '../connection/connect.js';

export interface LogLine {
  time: string;
  step: string;
  attempt: number;
  stream: string;
  text: string;
}

export interface CallLog {
  file: string;
  /** Its step path. */
  name: string;
  lines: LogLine[];
}

/** A task's logs: one file per call, and files that calls share. @param isWanted by the path of the step. */
export function readCallLogs(folder: string, isWanted: (path: string) => boolean = () => true): CallLog[] {
  return wantedFiles(folder, isWanted).flatMap((log) => logsIn(log, readFileSync(log.file, 'utf8'), isWanted));
}

/** Like {@link readCallLogs}, but file by file, so that other requests go on meanwhile. */
export async function fetchCallLogs(folder: string, isWanted: (path: string) => boolean): Promise<CallLog[]> {
  const logs: CallLog[] = [];
  for (const log of wantedFiles(folder, isWanted)) {
    const text = await readFile(log.file, 'utf8').catch(unlessDeleted);
    if (text !== undefined) logs.push(...logsIn(log, text, isWanted));
  }
  return logs;
}

/** A task may be deleted while its logs are read. */
function unlessDeleted(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}

/** `step` is undefined for a file that calls share. */
interface LogFile {
  file: string;
  step: string | undefined;
}

/** Files with wanted logs; which calls share a file is known only once it is read. */
function wantedFiles(folder: string, isWanted: (path: string) => boolean): LogFile[] {
  return filesIn(folder).flatMap((file): LogFile[] => {
    const name = relative(folder, file).replace(/\.jsonl$/, '');
    if (name.startsWith(REQUESTS_LOG)) return [{ file, step: undefined }];
    return isWanted(name) ? [{ file, step: name }] : [];
  });
}

function logsIn({ file, step }: LogFile, text: string, isWanted: (path: string) => boolean): CallLog[] {
  const lines = linesOf(text);
  if (step !== undefined) return [{ file, name: step, lines }];
  const logs = new Map<string, CallLog>();
  for (const line of lines) {
    if (!isWanted(line.step)) continue;
    const log = logs.get(line.step) ?? { file, name: line.step, lines: [] };
    log.lines.push(line);
    logs.set(line.step, log);
  }
  return [...logs.values()];
}

/** Empty for an unreadable file. */
function linesIn(file: string): LogLine[] {
  return attempt(() => linesOf(readFileSync(file, 'utf8')), []);
}

/** The last line may be unfinished. Lines cut by a full disk or a killed worker are shown as they are. */
export function linesOf(text: string): LogLine[] {
  let before: LogLine = { time: '', step: '', attempt: 1, stream: 'runtime', text: '' };
  return text
    .split('\n')
    .slice(0, -1)
    .filter(Boolean)
    .map((line) => {
      before = parseJson<LogLine>(line) ?? { ...before, stream: 'runtime', text: `(incomplete) ${line}` };
      return before;
    });
}

function filesIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return filesIn(path);
    return entry.name.endsWith('.jsonl') ? [path] : [];
  });
}

/** Attempt to its last line, preferably of stderr. Empty if this machine has no log. */
export function readLastOutput({ paths }: Pick<Connection, 'paths'>, task: string, path: string): Map<number, string> {
  const written = new Map<number, string>();
  const complaints = new Map<number, string>();
  for (const { attempt, stream, text } of linesIn(join(paths.records, task, RECORD_FILES.logs, `${path}.jsonl`))) {
    if (text.trim() === '') continue;
    written.set(attempt, text.trim());
    if (stream === 'stderr') complaints.set(attempt, text.trim());
  }
  return new Map([...written, ...complaints]);
}

/**
 * The protocol version that each call of an MCP tool used last, by step path with `*` for loop turns; empty
 * without local logs. @param isWanted by that path; other logs are not read. Source: docs/guide.md#mcp.
 */
export function readProtocols(
  { paths }: Pick<Connection, 'paths'>,
  task: string,
  isWanted: (path: string) => boolean,
): Map<string, string> {
  const logs = readCallLogs(join(paths.records, task, RECORD_FILES.logs), (path) => isWanted(generalPath(path)));
  const found = logs.flatMap(({ name, lines }) =>
    lines.flatMap(({ stream, text }): [string, string][] => {
      const protocol = stream === 'tool' ? protocolIn(text) : undefined;
      return protocol === undefined ? [] : [[generalPath(name), protocol]];
    }),
  );
  return new Map(found);
}
