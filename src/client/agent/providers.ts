import { type ChildProcess, spawn } from 'node:child_process';
import type { AgentTurn, PlanProvider } from '../../contracts/agent-runtime.js';
import { AbilityError } from '../../contracts/problem.js';
import { formatDuration } from '../../rules/duration.js';
import { oneLine, startOf } from '../../rules/shown-text.js';
import { startTimer } from '../../server/start-timer.js';
import { attempt } from '../../text/attempt.js';

/** A program that plans calls. */
export interface CommandProvider {
  /** The program and its arguments; no shell reads them. */
  argv: readonly [string, ...string[]];
  cwd: string;
  /** Only basic variables such as `PATH`, and those in `pass`, reach the program. */
  env: NodeJS.ProcessEnv;
  /** Names of further variables, such as the key of a model. */
  pass?: readonly string[];
  /** For one answer. Milliseconds. */
  timeoutMs: number;
}

const ALWAYS_PASSED = ['PATH', 'HOME', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR', 'SYSTEMROOT'] as const;
/** The maximum size of an answer. Bytes. */
const MAX_BYTES = 1024 * 1024;
/** The maximum part of stderr that an error message can use. Bytes. */
const MAX_KEPT = 4096;

/**
 * A program, started for each answer: reads a turn as JSON on stdin, writes its answer as JSON on stdout, and is
 * killed with its children. Commands that it calls see an agent in the session of the run.
 */
export function commandProvider(command: CommandProvider): PlanProvider {
  return {
    ask: (turn, { session }, signal) => answerOf(command, `${JSON.stringify(turn)}\n`, session, signal),
  };
}

function answerOf(command: CommandProvider, input: string, session: string, signal: AbortSignal): Promise<string> {
  const [program, ...args] = command.argv;
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const child = spawn(program, args, {
      cwd: command.cwd,
      env: environmentOf(command, session),
      stdio: 'pipe',
      shell: false,
      detached: true,
    });
    const out: Buffer[] = [];
    let bytes = 0;
    let said = '';
    let failure: unknown;
    const stop = (reason: unknown): void => {
      failure ??= reason;
      endGroup(child);
      // A process that left the group may hold its output open forever.
      for (const stream of [child.stdout, child.stderr]) stream.destroy();
    };
    const abort = (): void => stop(signal.reason);
    const { timeoutMs } = command;
    const late = failed(`The program did not answer within ${formatDuration(timeoutMs)}`, 'planner.timeout');
    const stopTimer = startTimer(timeoutMs, () => stop(late));
    signal.addEventListener('abort', abort, { once: true });
    child.stdout.on('data', (part: Buffer) => {
      bytes += part.length;
      if (bytes > MAX_BYTES) stop(failed(`The program wrote more than ${MAX_BYTES} bytes`));
      else out.push(part);
    });
    child.stderr.setEncoding('utf8').on('data', (part: string) => {
      said = `${said}${part}`.slice(-MAX_KEPT);
    });
    // A program that does not read its input may still answer.
    child.stdin.on('error', () => {});
    child.stdin.end(input);
    const end = (error: unknown): void => {
      stopTimer();
      signal.removeEventListener('abort', abort);
      endGroup(child);
      if (error === undefined) resolve(Buffer.concat(out).toString('utf8'));
      else reject(error);
    };
    child.on('error', (error) =>
      end(failure ?? failed(`The program ${program} could not be started: ${error.message}`)),
    );
    child.on('close', (code, by) => {
      if (failure !== undefined) return end(failure);
      end(code === 0 ? undefined : failed(`The program ended with ${by ?? code}${lastLine(said)}`));
    });
  });
}

function environmentOf({ env, pass = [] }: CommandProvider, session: string): NodeJS.ProcessEnv {
  const passed = [...ALWAYS_PASSED, ...pass].flatMap((name) => {
    const value = env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(passed), ABILITY_CALLER: 'agent', ABILITY_SESSION: session };
}

/** Kills the program and its process group. */
function endGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  // The group has already ended.
  attempt(() => process.kill(-pid, 'SIGKILL'));
}

function lastLine(said: string): string {
  const line = said.trimEnd().split('\n').at(-1) ?? '';
  return line === '' ? '' : `: ${startOf(oneLine(line), 300)}`;
}

function failed(message: string, code: 'planner.failed' | 'planner.timeout' = 'planner.failed'): AbilityError {
  return new AbilityError({ code, message });
}

/** A provider without a model: a list of answers, or a function of what a model would see. Source: R-002-55. */
export function scriptedProvider(script: readonly unknown[] | ((turn: AgentTurn) => unknown)): PlanProvider {
  if (typeof script === 'function') {
    // A copy, so that the script cannot change the state of the run.
    return { ask: async (turn) => script(JSON.parse(JSON.stringify(turn)) as AgentTurn) };
  }
  return {
    async ask(_, { number }) {
      if (number <= script.length) return script[number - 1];
      throw new AbilityError({
        code: 'planner.failed',
        message: `The script has ${script.length} answers, and was asked for another one`,
        suggestion: 'End the script with an answer whose `plan` is empty.',
      });
    },
  };
}
