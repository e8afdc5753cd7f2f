import { generateTaskKey } from '../../client/task-keys.js';
import type { ExitCode } from '../../contracts/exit-codes.js';
import { packageVersion } from '../../server/package-version.js';
import { findSocket } from './find-socket.js';
import type { AskedLine, Screen } from './lines.js';
import type { RuntimeLine } from './read-line.js';
import { mayAsk, sentOf } from './sent-variables.js';
import { talk } from './talk.js';

/** How asking went: with an exit code, all is done and printed. */
export interface Asked {
  exit?: ExitCode;
  /** Under which the runtime may have created a task, for the command that does it again. */
  made?: string;
}

type Process = Pick<NodeJS.Process, 'cwd' | 'stdout' | 'stderr' | 'on' | 'removeListener' | 'kill' | 'pid'>;

/** Asks the project's own runtime to do a command. Nothing of Temporal's SDK is loaded for it. */
export async function askRuntime(
  { project, isFollowing, makesKey }: RuntimeLine,
  given: { args: string[]; env: NodeJS.ProcessEnv; process: Process },
): Promise<Asked> {
  const { args, env, process } = given;
  const { stdout, stderr } = process;
  if (!mayAsk(env) || (isFollowing && isLive(stderr, env))) return {};
  const cwd = folderOf(process);
  const runtime = cwd === undefined ? undefined : findSocket(cwd, project);
  if (cwd === undefined || !runtime) return {};
  const made = makesKey ? { made: generateTaskKey() } : {};
  const asked: AskedLine = {
    version: packageVersion(),
    args,
    cwd,
    env: sentOf(env),
    timezone: env.TZ ?? null,
    ...made,
    elapsedMs: performance.now(),
    stdout: screenOf(stdout),
    stderr: screenOf(stderr),
  };
  const exit = await talk(runtime.socket, asked, process);
  return exit === undefined ? made : { exit: exit as ExitCode };
}

/** As the terminal of a command has it: it is painted again and again, and must know when its size changes. */
function isLive(stderr: { isTTY?: boolean }, env: NodeJS.ProcessEnv): boolean {
  return stderr.isTTY === true && env.TERM !== 'dumb' && !env.CI;
}

function screenOf({ isTTY = false, columns, rows }: Partial<Screen>): Screen {
  return { isTTY, columns, rows };
}

/** The folder may be gone. */
function folderOf(process: Process): string | undefined {
  try {
    return process.cwd();
  } catch {
    return undefined;
  }
}
