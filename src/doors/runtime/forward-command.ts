import { generateTaskKey } from '../../client/start/keys.js';
import type { RuntimeFile } from '../../contracts/runtime.js';
import type { ExitCode } from '../../contracts/states.js';
import { TRACEPARENT_VARIABLE } from '../../contracts/traces.js';
import { findProjectRoot } from '../../definitions/find-project.js';
import { packageVersion } from '../../server/installation.js';
import { isVisible } from '../../server/processes/processes.js';
import { type ProjectPaths, pathsOf } from '../../server/project-paths.js';
import { readRuntimeFile } from '../../server/runtime/runtime-file.js';
import { isOwnSocket } from '../../server/runtime/runtime-socket.js';
import { attempt } from '../../text/attempt.js';
import { AGENT_VARIABLES, CI_VARIABLES } from '../cli/input/read-caller.js';
import { enderOfClosed } from '../cli/output/terminal/surroundings.js';
import type { CommandRequest, Screen } from './command-protocol.js';
import type { RuntimeLine } from './forwarded-commands.js';
import { talk } from './send-command.js';

/** With an exit code, the command is done and its output printed. */
interface CommandAnswer {
  exit?: ExitCode;
  /** The key under which the runtime may have created a task, for a second attempt. */
  made?: string;
}

interface Asking {
  args: string[];
  env: NodeJS.ProcessEnv;
  process: NodeJS.Process;
}

/** Has the project's own runtime execute a command, without loading Temporal's SDK. */
export async function askRuntime(line: RuntimeLine, asking: Asking): Promise<CommandAnswer> {
  const { env, process } = asking;
  if (!mayAsk(env) || (line.isFollowing && isLive(process.stderr, env))) return {};
  const cwd = folderOf(process);
  const runtime = cwd === undefined ? undefined : findSocket(cwd, line.project);
  if (cwd === undefined || !runtime) return {};
  const made = line.makesKey ? { made: generateTaskKey() } : {};
  const { stdout, stderr } = process;
  const endWhenClosed = enderOfClosed(process as never);
  for (const output of [stdout, stderr]) output.on('error', endWhenClosed);
  const end = await talk(runtime.socket, { ...commandRequest(asking, cwd), ...made }, process);
  if (end.kind === 'done') return { exit: end.exit as ExitCode };
  for (const output of [stdout, stderr]) output.removeListener('error', endWhenClosed);
  const stopped = end.kind === 'lost' ? await reportStopped(runtime, asking) : undefined;
  return stopped === undefined ? made : { exit: stopped };
}

function commandRequest({ args, env, process: { stdout, stderr } }: Asking, cwd: string): CommandRequest {
  return {
    version: packageVersion(),
    args,
    cwd,
    env: sentOf(env),
    timezone: env.TZ ?? null,
    elapsedMs: performance.now(),
    stdout: screenOf(stdout),
    stderr: screenOf(stderr),
  };
}

/** Does not restart a runtime that was stopped on purpose while the command waited. */
async function reportStopped(runtime: ReachableRuntime, { args, env, process }: Asking): Promise<ExitCode | undefined> {
  const { wasStopped } = await import('../../server/runtime/stop-runtime.js');
  if (!wasStopped(runtime.paths, runtime)) return undefined;
  const { runtimeStopped } = await import('../../server/runtime/stop-runtime.js');
  const { reportError } = await import('../cli/output/report.js');
  const { openTerminal } = await import('../cli/output/terminal/terminal.js');
  const terminal = openTerminal(env, process);
  return reportError(runtimeStopped(), { flags: { json: args.includes('--json') }, terminal, env });
}

/** Like the terminal of a command: a redrawn display must notice changes of the window size. */
function isLive(stderr: { isTTY?: boolean }, env: NodeJS.ProcessEnv): boolean {
  return stderr.isTTY === true && env.TERM !== 'dumb' && !env.CI;
}

function screenOf({ isTTY = false, columns, rows }: Partial<Screen>): Screen {
  return { isTTY, columns, rows };
}

/** Undefined if the folder no longer exists. */
function folderOf(process: NodeJS.Process): string | undefined {
  return attempt(() => process.cwd());
}

type ReachableRuntime = RuntimeFile & { socket: string; paths: ProjectPaths };

/** A runtime that is recorded as up, of this version, user and machine; it may be dead. Never throws. */
function findSocket(cwd: string, project: string | undefined): ReachableRuntime | undefined {
  // The command itself reports the error.
  return attempt(() => {
    const paths = pathsOf(findProjectRoot(cwd, project));
    const runtime = readRuntimeFile(paths);
    if (runtime?.state !== 'up' || runtime.version !== packageVersion() || !isVisible(runtime)) return undefined;
    const { socket } = runtime;
    return socket !== undefined && isOwnSocket(socket) ? { ...runtime, socket, paths } : undefined;
  });
}

/** The environment variables that a command in the runtime reads; no others go over the socket. */
const SENT = [
  'ABILITY_CALLER',
  'ABILITY_ENV',
  'ABILITY_SCOPE',
  'ABILITY_SESSION',
  'ABILITY_USER',
  'NO_COLOR',
  'TERM',
  TRACEPARENT_VARIABLE,
  'npm_command',
  'npm_config_user_agent',
  ...AGENT_VARIABLES,
  ...CI_VARIABLES,
] as const;

/** Variables that name another server or store, so that the runtime is bypassed. */
const ELSEWHERE = ['TEMPORAL_ADDRESS', 'TEMPORAL_PROFILE', 'ABILITY_STORE'] as const;

export function sentOf(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(SENT.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
}

/** False with `ABILITY_SOCKET=off`, or variables that name another server or store. */
export function mayAsk(env: NodeJS.ProcessEnv): boolean {
  return env.ABILITY_SOCKET !== 'off' && ELSEWHERE.every((name) => !env[name]);
}
