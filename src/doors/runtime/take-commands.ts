import { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Connection } from '../../client/index.js';
import type { RuntimeFile } from '../../contracts/runtime.js';
import type { ExitCode } from '../../contracts/states.js';
import type { RegistryLoader } from '../../definitions/load-registry.js';
import { packageVersion } from '../../server/installation.js';
import { attempt } from '../../text/attempt.js';
import { log } from '../../worker/logger.js';
import { main } from '../cli/main.js';
// Loaded beforehand: after a reinstall it may be gone when a command fails.
import { reportError } from '../cli/output/report.js';
import type { Surroundings } from '../cli/output/terminal/surroundings.js';
import { openTerminal } from '../cli/output/terminal/terminal.js';
import { type AnswerLine, type CommandRequest, type Screen, type SignalLine, splitLines } from './command-protocol.js';
import { readLine } from './forwarded-commands.js';

/** Maximum size of a request. The system limits an argument to 128 KiB and a command line to some MiB. */
const MAX_BYTES = 16 * 1024 * 1024;
/** Each waiting command holds a long poll on Temporal; above this, the calling processes poll themselves. */
const MAX_AT_ONCE = 200;

export interface Commands {
  runtime: RuntimeFile;
  loader: RegistryLoader;
  use<T>(action: (connection: Connection) => Promise<T>): Promise<T>;
}

/** @param run only tests replace it. */
export function commandTaker(
  commands: Commands,
  run = main,
): (request: IncomingMessage, response: ServerResponse) => void {
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
      const own = new Stage(wanted, send);
      const terminal = openTerminal(wanted.env, own);
      underWay += 1;
      send({ taken: true });
      stage = own;
      const { args, cwd, env, made, elapsedMs } = wanted;
      const began = performance.now() - elapsedMs;
      const { loader, use } = commands;
      const ended = run({ args, cwd, env, terminal, began, within: { loader, use }, made });
      void Promise.race([ended, own.left])
        .catch((error: unknown) => {
          // Unhandled, it would end the runtime and its workers.
          log.error({ err: error }, 'a command failed');
          return reportError(error, { flags: { json: args.includes('--json') }, terminal });
        })
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
  // A renamed project needs a new runtime.
  return attempt(
    () => (loader.load().project.project === runtime.project ? undefined : 'another project'),
    'broken definitions',
  );
}

type Stream = Surroundings['stdout'];

/**
 * Replaces the process of a command inside the runtime: its output goes to the caller, and the caller's signals come to
 * it.
 */
class Stage extends EventEmitter implements Surroundings {
  readonly stdin = { isTTY: false };
  readonly stdout: Stream;
  readonly stderr: Stream;
  /** Resolves with the exit code when the command ends its process. */
  readonly left: Promise<number>;
  private leave: (exit: number) => void = () => {};
  private isDisconnected = false;

  constructor(
    { stdout, stderr }: Pick<CommandRequest, 'stdout' | 'stderr'>,
    private readonly send: (line: AnswerLine) => void,
  ) {
    super();
    this.stdout = this.stream(stdout, (out) => ({ out }));
    this.stderr = this.stream(stderr, (err) => ({ err }));
    this.left = new Promise((resolve) => {
      this.leave = resolve;
    });
  }

  exit(code: ExitCode): void {
    this.leave(code);
  }

  /** Never called: commands that read stdin do not run in the runtime. */
  readInput(): string {
    throw new Error('the runtime has no stdin of the command');
  }

  override once(event: string, listener: () => void): this {
    super.once(event, listener);
    // Listeners added after the disconnect get it, too.
    if (this.isDisconnected && event === 'SIGTERM') queueMicrotask(() => this.emit(event, event));
    return this;
  }

  signal(signal: SignalLine['signal']): void {
    if (!this.emit(signal, signal)) this.send({ unheard: signal });
  }

  /** The caller has disconnected: ends the command as SIGTERM would. */
  disconnect(): void {
    this.isDisconnected = true;
    this.emit('SIGTERM', 'SIGTERM');
  }

  private stream(screen: Screen, lineOf: (text: string) => AnswerLine): Stream {
    const write = (text: string): boolean => {
      this.send(lineOf(text));
      return true;
    };
    return Object.assign(new EventEmitter(), { ...screen, write }) as unknown as Stream;
  }
}
