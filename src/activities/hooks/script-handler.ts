import { z } from 'zod';
import type { HookAnswer } from '../../contracts/hooks.js';
import type { JsonObject } from '../../contracts/json.js';
import { failedAnswer } from '../../rules/hook-facts.js';
import { refuseUnsafeKeys } from '../../rules/unsafe-keys.js';
import { CallLog } from '../call-log.js';
import type { PinnedScripts } from '../script/pinned-scripts.js';
import type { ProcessGroups } from '../script/process-groups.js';
import { type ProcessOutcome, runProcess } from '../script/run-process.js';
import { environmentOf } from '../script/script-environment.js';
import type { SecretSource } from '../secrets.js';
import type { AnswerScript, HookRun } from './run-hooks.js';

const MOST_CHARACTERS = 1024 * 1024;
/** A hook that hangs is answered for within a second after its time-out. */
const PATIENCE = { graceMs: 400, endMs: 250 };

/** HookResult as handlers print it. Fields we do not know are left to those who do. Source: R-002-18. */
const hookResult = z.looseObject({
  status: z.enum(['ok', 'error']).optional(),
  guard_decision: z.enum(['allow', 'deny', 'need_user_confirm']).optional(),
  reason: z.string().optional(),
  suggestion: z.string().optional(),
  warnings: z.array(z.string()).optional(),
  hook_signals: z.record(z.string(), z.json()).optional(),
  infra: z.record(z.string(), z.json()).optional(),
});

/** Where scripts are, what they are told, and who is told of their processes. */
export interface ScriptHookDependencies {
  root: string;
  groups: ProcessGroups;
  scripts: PinnedScripts;
  secrets: (environment: string) => SecretSource;
}

/** Runs script handlers: EventContext as JSON on stdin, HookResult as JSON on stdout. Source: R-002-22. */
export function createAnswerScript(dependencies: ScriptHookDependencies): AnswerScript {
  return (...asked) => answerScript(dependencies, ...asked);
}

async function answerScript(
  { root, groups, scripts, secrets }: ScriptHookDependencies,
  ...[id, { script, timeout_ms }, context, run]: Parameters<AnswerScript>
): Promise<HookAnswer> {
  const at = { phase: run.phase, path: run.path };
  const log = new CallLog(run.logFolder, `hooks/${run.phase}.${id}`, 1);
  const hide = (secret: string): void => log.hide(secret);
  const names = { ABILITY_HOOK_ID: id, ABILITY_ENVIRONMENT: context.environment.name };
  const { file, pinned, names: places } = await scripts.find(script);
  const own = script.args.map((item) => item.replaceAll('{pinned}', pinned));
  const [command, ...args] = [...script.interpreter, file, ...own] as [string];
  const outcome = await runProcess(
    {
      command,
      args,
      cwd: root,
      env: environmentOf(script.env, secrets(context.environment.name), hide, { ...names, ...places }),
      stdin: JSON.stringify(context),
      timeoutMs: timeout_ms,
      signal: run.signal,
      log,
      keepStdout: MOST_CHARACTERS,
      patience: PATIENCE,
    },
    groups,
  );
  log.save();
  const fault = faultOf(outcome, timeout_ms);
  if (fault) return failedAnswer(id, at, withTail(fault, log.tailOf('stderr', 5)));
  return readAnswer(id, outcome.stdout, at, log);
}

function faultOf({ ended, exitCode, signal, reason }: ProcessOutcome, timeoutMs: number): string | undefined {
  if (ended === 'timeout') return `it took longer than ${timeoutMs} ms`;
  if (ended === 'aborted') return 'it was stopped';
  if (ended === 'signal') return `it was killed by ${signal}`;
  if (ended === 'not_started') return `it could not be started: ${reason}`;
  return exitCode === 0 ? undefined : `it ended with exit code ${exitCode}`;
}

function readAnswer(id: string, stdout: string, at: Pick<HookRun, 'phase' | 'path'>, log: CallLog): HookAnswer {
  let value: unknown;
  try {
    value = log.maskDeep(JSON.parse(stdout));
    refuseUnsafeKeys(value);
  } catch {
    const seen = stdout.trim() === '' ? 'nothing' : `\`${log.excerpt(stdout.trim(), 200)}\``;
    return failedAnswer(id, at, `it printed ${seen}, which is no HookResult`);
  }
  return readHookResult(id, value, at);
}

/** The answer a HookResult stands for; what is none is a hook that failed. */
export function readHookResult(id: string, value: unknown, at: Pick<HookRun, 'phase' | 'path'>): HookAnswer {
  const parsed = hookResult.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return failedAnswer(id, at, `its answer is no HookResult: ${issue?.path.join('.')} ${issue?.message}`);
  }
  const { status = 'ok', guard_decision: decision = 'allow', reason, suggestion, ...rest } = parsed.data;
  if (status === 'error') return failedAnswer(id, at, reason ?? 'it says that it failed');
  return {
    hook_id: id,
    ...at,
    status,
    decision,
    ...(reason !== undefined && { reason }),
    ...(suggestion !== undefined && { suggestion }),
    ...(rest.warnings && { warnings: rest.warnings }),
    ...(rest.infra && { infra: rest.infra as JsonObject }),
    ...(rest.hook_signals && { hook_signals: rest.hook_signals as JsonObject }),
  };
}

function withTail(fault: string, tail: string): string {
  return tail ? `${fault}\n${tail}` : fault;
}
