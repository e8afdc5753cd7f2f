import type { HookAnswer } from '../../contracts/hooks.js';
import { failedAnswer } from '../../rules/hook-facts.js';
import type { ScriptFacts } from '../../rules/script-texts/evaluate-script.js';
import { oneLine } from '../../rules/shown-text.js';
import { refuseUnsafeKeys } from '../../rules/unsafe-keys.js';
import { CallLog } from '../call-log.js';
import type { PinnedScripts } from '../script/pinned-scripts.js';
import type { ProcessGroups } from '../script/process-groups.js';
import { type ProcessOutcome, runProcess } from '../script/run-process.js';
import { environmentOf } from '../script/script-environment.js';
import { textsOf } from '../script/script-texts.js';
import type { SecretSource } from '../secrets.js';
import { duplicateKeys } from './duplicate-keys.js';
import { environmentIn, type HookRun, isOfTask, versionsOf } from './hook-context.js';
import { type Asked, readHookResult } from './read-hook-result.js';
import type { AnswerScript } from './run-hooks.js';

/** An answer is short; what is longer is none. */
const MOST_CHARACTERS = 1024 * 1024;
/** A hook that hangs is answered for within a second after its time-out. */
const PATIENCE = { graceMs: 400, endMs: 250 };

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
  const step = `hooks/${run.phase}.${id}`;
  const log = new CallLog(run.logs?.folder, step, 1, run.logs?.share(step));
  const hide = (secret: string): void => log.hide(secret);
  const names = { ABILITY_HOOK_ID: id, ABILITY_ENVIRONMENT: context.environment.name };
  const { file, pinned, names: places } = await scripts.find(script);
  const inCopy = (item: string): string => item.replaceAll('{pinned}', () => pinned);
  const given = await textsOf(script, factsOf(run, pinned));
  const [command, ...args] = [...script.interpreter.map(inCopy), file, ...given.args] as [string];
  const outcome = await runProcess(
    {
      command,
      args,
      cwd: root,
      env: environmentOf(script.env, secrets(context.environment.name), hide, { ...given.env, ...names, ...places }),
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
  return readAnswer(id, outcome.stdout.toString('utf8'), { ...at, ability: context.ability_id }, log);
}

/** A hook fires for abilities of many inputs, so that any input may be absent. */
function factsOf(run: HookRun, pinned: string): ScriptFacts {
  const isTask = isOfTask(run);
  return {
    values: {
      input: isTask ? run.input : run.payload,
      environment: { ...environmentIn(run) },
      task: isTask ? { key: run.task, ability: run.plan.ability.id } : null,
    },
    inputSchema: null,
    placeholders: { pinned },
    ...versionsOf(run),
  };
}

function faultOf({ ended, exitCode, signal, reason }: ProcessOutcome, timeoutMs: number): string | undefined {
  if (ended === 'timeout') return `it took longer than ${timeoutMs} ms`;
  if (ended === 'aborted') return 'it was stopped';
  if (ended === 'signal') return `it was killed by ${signal}`;
  if (ended === 'not_started') return `it could not be started: ${reason}`;
  return exitCode === 0 ? undefined : `it ended with exit code ${exitCode}`;
}

/** The text of an answer as its value, with the known secrets masked. */
function readAnswer(id: string, stdout: string, asked: Asked, log: CallLog): HookAnswer {
  // What comes after the part that was kept could be another answer.
  if (stdout.length >= MOST_CHARACTERS) {
    return failedAnswer(id, asked, `it printed ${MOST_CHARACTERS} characters or more, which is too much for an answer`);
  }
  let value: unknown;
  let twice: string[];
  try {
    value = JSON.parse(stdout);
    twice = duplicateKeys(stdout).map((key) => log.mask(key));
    value = log.maskDeep(value);
    refuseUnsafeKeys(value);
  } catch {
    const seen = stdout.trim() === '' ? 'nothing' : `\`${oneLine(log.excerpt(stdout.trim(), 200))}\``;
    return failedAnswer(id, asked, `it printed ${seen}, which is no HookResult`);
  }
  return readHookResult(id, value, asked, twice);
}

function withTail(fault: string, tail: string): string {
  return tail ? `${fault}\n${tail}` : fault;
}
