import { TRACEPARENT_VARIABLE } from '../../contracts/traces.js';
import type { SecretSource } from '../../planning/secrets/secret-source.js';
import { signalWithin } from '../../rules/any-abort-signal.js';
import type { HandlerOf } from '../../rules/hooks/handlers.js';
import { currentTraceparent } from '../../tracing/current-span.js';
import { CallLog } from '../call/call-log.js';
import type { PinnedScripts } from '../processes/pinned-scripts.js';
import { runConfined } from '../processes/run-confined.js';
import type { ProcessGroups, ProcessOutcome } from '../processes/run-process.js';
import { environmentOf, textsOf } from '../processes/script-input.js';
import type { SecretReader } from '../secrets/secret-reader.js';
import type { HookLogs, HookValues } from './hook-context.js';

/** Maximum characters of an answer; a longer one is invalid. */
const MAX_CHARACTERS = 1024 * 1024;
/** A hook that hangs is ended within a second after its timeout. */
const PATIENCE = { graceMs: 400, endMs: 250 };

export interface ScriptHookDependencies {
  root: string;
  groups: ProcessGroups;
  scripts: PinnedScripts;
  secrets: (environment: string) => SecretReader;
}

export interface ScriptQuestion {
  /** Of the hook. */
  id: string;
  /** Name of the script's log. */
  step: string;
  handler: Pick<HandlerOf<'script'>, 'script' | 'timeout_ms'>;
  stdin: string;
  /** Variables besides the profile's and those of every hook, after {@link PinnedScripts.find}: they may name the copy. */
  names?: (pinned: string, secrets: SecretSource) => Record<string, string>;
  /** Values for the expressions in the script's definition. */
  values: HookValues;
  signal: AbortSignal;
  logs: HookLogs | undefined;
  /** W3C `traceparent`, as in the context of the hook. */
  trace?: string | undefined;
}

export interface ScriptAnswer {
  stdout: string;
  exitCode: number | undefined;
  /** Why the output is no answer: it hung, was killed, never started, or printed too much. */
  fault: string | undefined;
  log: CallLog;
}

/** @throws CallFailure `script.*`; AbilityError `config.missing_credential`, `expression.*`, if not started. */
export async function askScript(
  { root, groups, scripts, secrets }: ScriptHookDependencies,
  { id, step, handler, stdin, names, values, signal, logs, trace }: ScriptQuestion,
): Promise<ScriptAnswer> {
  const { script, timeout_ms: timeoutMs } = handler;
  const environment = values.environment.name;
  const log = new CallLog(logs?.folder, step, 1, logs?.share(step));
  const hide = (secret: string): void => log.hide(secret);
  const found = await scripts.find(script);
  const { file, pinned, names: places } = found;
  const inCopy = (item: string): string => item.replaceAll('{pinned}', () => pinned);
  // A hook fires for abilities with various inputs, so any input may be absent.
  const given = await textsOf(script, { values, inputSchema: null, placeholders: { pinned } });
  const [command, ...args] = [...script.interpreter.map(inCopy), file, ...given.args] as [string];
  const limit = signalWithin(timeoutMs, [signal], `its secrets were not read within ${timeoutMs} ms`);
  const wanted = Object.values(script.env.secrets).map((reference) => ({ reference }));
  const source = await secrets(environment).read(wanted, limit.signal).finally(limit.release);
  const context = currentTraceparent() ?? trace;
  const traced: Record<string, string> = context === undefined ? {} : { [TRACEPARENT_VARIABLE]: context };
  const about = { ABILITY_HOOK_ID: id, ABILITY_ENVIRONMENT: environment };
  const own = { ...traced, ...given.env, ...names?.(pinned, source), ...about, ...places };
  const outcome = await runConfined(
    {
      command,
      args,
      cwd: root,
      env: environmentOf(script.env, source, hide, own),
      stdin,
      timeoutMs,
      signal,
      log,
      keepStdout: MAX_CHARACTERS,
      patience: PATIENCE,
    },
    { script, found, begin: async () => {} },
    groups,
  );
  log.save();
  const stdout = outcome.stdout.toString('utf8');
  return { stdout, exitCode: outcome.exitCode, fault: faultOf(outcome, timeoutMs, stdout), log };
}

function faultOf({ ended, signal, reason }: ProcessOutcome, timeoutMs: number, stdout: string): string | undefined {
  if (ended === 'timeout') return `it took longer than ${timeoutMs} ms`;
  if (ended === 'aborted') return 'it was stopped';
  if (ended === 'signal') return `it was killed by ${signal}`;
  if (ended === 'not_started') return `it could not be started: ${reason}`;
  // Output after the kept part could be another answer.
  if (stdout.length < MAX_CHARACTERS) return undefined;
  return `it printed ${MAX_CHARACTERS} characters or more, which is too much for an answer`;
}

export function withTail(fault: string, log: CallLog): string {
  const tail = log.tailOf('stderr', 5);
  return tail ? `${fault}\n${tail}` : fault;
}
