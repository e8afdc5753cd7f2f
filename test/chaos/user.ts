/** A user of the command line who wants a task done, whatever dies meanwhile. */
import type { JsonObject } from '../../src/contracts/json.js';
import { isEndState } from '../../src/contracts/states.js';
import type { TaskResult } from '../../src/contracts/task.js';
import { start } from '../fixtures/command-line.js';
import { pause } from './extent.js';

/** A user of one project. */
export interface User {
  cwd: string;
  /** Environment of the commands. */
  env: Record<string, string | undefined>;
  /** Error codes of commands, and how often each occurred: what a person sees while processes die. */
  met: Map<string, number>;
  /** Commands that did not end. */
  hung: string[];
}

/** How a command ended. */
export interface Said {
  exitCode: number;
  // biome-ignore lint/suspicious/noExplicitAny: what a command prints is what the tests look at
  json: any;
  /** To explain why it ended so. */
  stderr: string;
}

/** A task that a user followed to its end. */
export interface Lived {
  key: string;
  input: JsonObject;
  /** People whose decision was acknowledged. */
  acknowledged: string[];
  /** What the last `ability task watch` printed, and its exit code. */
  result: TaskResult;
  exitCode: number;
}

/** In milliseconds. No command takes longer, whatever dies: twice its requested wait, with all retries. */
const HUNG_MS = 120_000;
const PATIENCE = '8s';
const AGAIN_MS = 200;
const WAITS = 5;
const TIMED_OUT = 6;
const OUT_OF_ORDER = 7;
/** Codes that must never be reported for a task whose creation was acknowledged, nor by any command. */
const NEVER = ['task.not_found', 'task.key_conflict', 'internal.error'];

/** Runs a command; one that hangs is noted and killed. @throws Error when it crashes or prints no JSON value. */
export async function command(user: User, args: readonly string[]): Promise<Said> {
  const { cwd, env, met } = user;
  const running = start([...args, '--json'], { cwd, env });
  const timer = setTimeout(() => running.kill('SIGKILL'), HUNG_MS);
  const { exitCode, stdout, stderr } = await running;
  clearTimeout(timer);
  const what = `ability ${args.join(' ')}`;
  if (exitCode === undefined) {
    user.hung.push(`${what} did not end within ${HUNG_MS / 1000} s: ${String(stderr)}`);
    return { exitCode: OUT_OF_ORDER, json: {}, stderr: String(stderr) };
  }
  let json: Said['json'];
  try {
    json = JSON.parse(String(stdout));
  } catch {
    throw new Error(`${what} ended with ${exitCode} and printed no JSON value: ${String(stdout)} ${String(stderr)}`);
  }
  const code = codeOf(json);
  if (code !== undefined) met.set(code, (met.get(code) ?? 0) + 1);
  if (code !== undefined && NEVER.includes(code)) throw new Error(`${what}: ${code}: ${String(stdout)}`);
  return { exitCode, json, stderr: String(stderr) };
}

/**
 * Creates a task, decides its approvals, and waits for its end.
 *
 * @throws Error when it is too late for that.
 */
export async function seeThrough(user: User, key: string, input: JsonObject, isTooLate: () => boolean): Promise<Lived> {
  const patience = async (): Promise<void> => {
    if (isTooLate()) throw new Error(`${key} does not end`);
    await pause(AGAIN_MS);
  };
  const acknowledged: string[] = [];
  const creation = ['run', 'everything', '--key', key, '--detach', '--input', JSON.stringify(input)];
  for (;;) {
    const { exitCode, json, stderr } = await command(user, creation);
    if (exitCode === 0) break;
    if (exitCode !== OUT_OF_ORDER && exitCode !== TIMED_OUT)
      throw new Error(`${key}: exit ${exitCode}: ${JSON.stringify(json)} ${stderr}`);
    await patience();
  }
  for (;;) {
    const { exitCode, json, stderr } = await command(user, ['task', 'watch', key, '--timeout', PATIENCE]);
    if (json.task_key === key && isEndState(json.status)) return { key, input, acknowledged, result: json, exitCode };
    if (exitCode === WAITS) acknowledged.push(...(await decideAll(user, json, input.course === 'denied')));
    else if (exitCode !== OUT_OF_ORDER && exitCode !== TIMED_OUT)
      throw new Error(`${key}: exit ${exitCode}: ${JSON.stringify(json)} ${stderr}`);
    await patience();
  }
}

/** @returns whose decision was acknowledged. The answer may be lost although the decision was accepted. */
async function decideAll(user: User, { task_key, approvals }: TaskResult, isDenied: boolean): Promise<string[]> {
  const acknowledged: string[] = [];
  const decided = approvals.flatMap(({ decisions }) => decisions.map(({ by }) => (by === 'unnamed' ? by : by.name)));
  for (const by of isDenied ? ['ann'] : ['ann', 'bob']) {
    if (decided.includes(by)) continue;
    const verdict = isDenied ? 'deny' : 'approve';
    const { exitCode } = await command(user, [verdict, String(task_key), '--as', by, '--yes']);
    if (exitCode === 0) acknowledged.push(by);
  }
  return acknowledged;
}

function codeOf(json: Said['json']): string | undefined {
  if (json?.status === 'error') return String(json.error?.code);
  return json?.status === 'unavailable' ? String(json.code) : undefined;
}
