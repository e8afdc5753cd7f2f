import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Connection } from '../../client/index.js';
import type { RuntimeFile } from '../../contracts/runtime.js';
import type { RegistryLoader } from '../../definitions/load-registry.js';
import { packageVersion } from '../../server/installation.js';
import { main } from '../cli/main.js';
import { openTerminal } from '../cli/output/terminal/terminal.js';
import type { Within } from '../cli/program/context.js';
import { type AnswerLine, type CommandRequest, type SignalLine, splitLines } from './lines.js';
import { readLine } from './read-line.js';
import { Stage } from './stage.js';

/** Maximum size of a request. The system limits an argument to 128 KiB and a command line to some MiB. */
const MAX_BYTES = 16 * 1024 * 1024;
/** Each waiting command holds a long poll on Temporal; above this, the calling processes poll themselves. */
const MAX_AT_ONCE = 200;

export interface Commands {
  runtime: RuntimeFile;
  loader: RegistryLoader;
  use<T>(action: (connection: Connection) => Promise<T>): Promise<T>;
}

export function commandTaker(commands: Commands): (request: IncomingMessage, response: ServerResponse) => void {
  let underWay = 0;
  return (request, response) => {
    let stage: Stage | undefined;
    const send = (line: AnswerLine): void => void response.write(`${JSON.stringify(line)}\n`);
    const begin = (wanted: CommandRequest): void => {
      // The caller may have disconnected while this was loaded.
      if (response.destroyed) return;
      response.writeHead(200, { 'content-type': 'application/x-ndjson' });
      const reason = underWay >= MAX_AT_ONCE ? 'as many commands as it does at once' : whyDeclined(commands, wanted);
      if (reason !== undefined) {
        response.end(`${JSON.stringify({ passed: reason })}\n`);
        return;
      }
      underWay += 1;
      send({ taken: true });
      const own = new Stage(wanted, send);
      stage = own;
      void doCommand(commands, wanted, own)
        .then((exit) => send({ exit }))
        .finally(() => {
          underWay -= 1;
          response.end();
        });
    };
    const onLine = (line: string): void => {
      const said = JSON.parse(line) as CommandRequest | SignalLine;
      if (stage) stage.signal((said as SignalLine).signal);
      else begin(said as CommandRequest);
    };
    const take = splitLines(onLine, MAX_BYTES);
    request.setEncoding('utf8');
    request.on('data', (piece: string) => {
      try {
        take(piece);
      } catch {
        // Not a request of this package.
        request.destroy();
      }
    });
    request.on('error', () => {});
    response.on('error', () => {});
    response.on('close', () => stage?.disconnect());
  };
}

/** Why this runtime declines a command; undefined if it runs it. */
function whyDeclined({ runtime, loader }: Commands, { version, args, timezone }: CommandRequest): string | undefined {
  if (version !== packageVersion()) return 'another version';
  if (!readLine(args)) return 'no command for the runtime';
  if ((process.env.TZ ?? null) !== timezone) return 'another time zone';
  try {
    // A renamed project needs a new runtime.
    return loader.load().project.project === runtime.project ? undefined : 'another project';
  } catch {
    return 'broken definitions';
  }
}

async function doCommand({ loader, use }: Commands, wanted: CommandRequest, stage: Stage): Promise<number> {
  const { args, cwd, env, made, elapsedMs } = wanted;
  const within: Within = { loader, use };
  const began = performance.now() - elapsedMs;
  const ended = main({ args, cwd, env, terminal: openTerminal(env, stage), began, within, made });
  return Promise.race([ended, stage.left]);
}
