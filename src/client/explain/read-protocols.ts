import { join } from 'node:path';
import { RECORD_FILES } from '../../contracts/record.js';
import { protocolIn } from '../../rules/tool-line.js';
import { generalPath } from '../../rules/turn-paths.js';
import type { Connection } from '../connection/connect.js';
import { readCallLogs } from '../view/read-call-logs.js';

/**
 * The version of the protocol that each call of an MCP tool spoke last, by the path of its step; of all turns of a loop
 * together. Empty where no logs are on this machine. Source: docs/guide.md#mcp.
 *
 * @param isWanted by the path of a step, so that no other logs are read.
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
