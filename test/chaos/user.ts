/** Somebody at a command line who wants a task done, whatever dies meanwhile. */
import type { JsonObject } from '../../src/contracts/json.js';
import { isEndState } from '../../src/contracts/states.js';
import type { TaskResult } from '../../src/contracts/task.js';
import { start } from '../fixtures/command-line.js';
import { pause } from './extent.js';

/** A user of one project. */
export interface User {
  cwd: string;
  /** Of the commands. */
  env: Record<string, string | undefined>;
  /** Error codes that commands ended with, and how often: what a person meets while processes die. */
  met: Map<string, number>;
  /** Commands that did not end. */
  hung: string[];
}

/** How a command ended. */
export interface Said {
  exitCode: number;
  // biome-ignore lint/suspicious/noExplicitAny: what a command prints is what the tests look at
  json: any;
  /** For whoever asks why it ended so. */
  stderr: string;
}

/** A task that a user saw through. */
export interface Lived {
  key: string;
  input: JsonObject;
  /** People who were told that their decision counts. */
  acknowledged: string[];
  /** What `ability task watch` printed at its end, and ended with. */
  result: TaskResult;
  exitCode: number;
}

/** No command takes longer than this, whatever dies: twice what it is asked to wait, with all retries. Milliseconds. */
const HUNG_MS = 120_000;
const PATIENCE = '8s';
const AGAIN_MS = 200;
const WAITS = 5;
const TIMED_OUT = 6;
const OUT_OF_ORDER = 7;
/** What must never be said about a task whose creation was acknowledged, or by any command. */
const NEVER = ['task.not_found', 'task.key_conflict', 'internal.error'];

/** Runs a command; one that hangs is written down and ended. @throws Error when it crashes, or prints no JSON value. */
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
 * Creates a task, decides when asked, and waits for its end.
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

/** @returns who was told that it counts. An answer may be lost on its way, after the decision was taken. */
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
