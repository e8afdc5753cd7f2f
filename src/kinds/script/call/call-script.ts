import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CallFailure } from '../../../activities/call/call-failure.js';
import type { CallInput } from '../../../activities/call/call-input.js';
import { takeOutputFiles } from '../../../activities/files/take-output-files.js';
import type { FoundScript, PinnedScripts } from '../../../activities/processes/pinned-scripts.js';
import { type CallRoom, runConfined } from '../../../activities/processes/run-confined.js';
import type { ProcessGroups, ProcessOutcome } from '../../../activities/processes/run-process.js';
import { environmentOf, textsOf } from '../../../activities/processes/script-input.js';
import type { Json, JsonObject } from '../../../contracts/json.js';
import type { Plan, PlanScript, ScriptImplementation } from '../../../contracts/plan.js';
import { AbilityError, reasonOf } from '../../../contracts/problem.js';
import { TRACEPARENT_VARIABLE } from '../../../contracts/traces.js';
import { refuseUnwritable, type ScriptFacts } from '../../../planning/scripts/texts.js';
import { keyOf } from '../../../rules/tasks/task-ids.js';
import { readScriptOutput, stdoutToKeep } from './read-script-output.js';

export interface ScriptDependencies {
  root: string;
  groups: ProcessGroups;
  scripts: PinnedScripts;
}

/**
 * Runs a script: input as arguments, on stdin, in variables or as a file; output as a file, or stdout if nothing
 * names one. @throws CallFailure `script.*`, `timeout.call`, `input.invalid`, `expression.*`, or a code of
 * `exit_codes`. Source: R-002-05; docs/definitions.md; docs/errors.md; docs/scripts.md.
 */
export async function callScript(
  implementation: ScriptImplementation,
  call: CallInput,
  { root, groups, scripts }: ScriptDependencies,
): Promise<Json> {
  const { script } = implementation;
  // Input and output are removed with the call's folder, even if the worker is killed.
  const folder = await call.files.folder().catch((error: unknown) => {
    throw notStarted(script, `no folder for its files: ${reasonOf(error)}`, error);
  });
  const files: ScriptFiles = { input_file: join(folder, 'input.json'), output_file: join(folder, 'output.json') };
  await writeFile(files.input_file, JSON.stringify(call.input), { mode: 0o600 }).catch((error: unknown) => {
    throw notStarted(script, `its input could not be written: ${reasonOf(error)}`, error);
  });
  const env = environmentOf(script.env, call.secrets, (secret) => call.log.hide(secret));
  const found = await scripts.find(script);
  const outputDir = call.outputFiles && (await makeOutputFolder(script, call));
  if (outputDir !== undefined) files.output_dir = outputDir;
  const given = await textsOf(script, factsOf(call, { ...files, pinned: found.pinned }), call.files);
  const [command, ...args] = [...commandOf(script, found), ...given.args] as [string];
  const outcome = await runConfined(
    {
      command,
      args,
      cwd: root,
      env: {
        ...(call.trace !== undefined && { [TRACEPARENT_VARIABLE]: call.trace }),
        ...env,
        ...given.env,
        ...namesOf(call),
        ...found.names,
        ...(outputDir !== undefined && { ABILITY_OUTPUT_DIR: outputDir }),
      },
      ...(given.stdin !== undefined && { stdin: given.stdin }),
      timeoutMs: call.timeoutMs,
      signal: call.signal,
      log: call.log,
      keepStdout: stdoutToKeep({ script, call }),
    },
    { script, found, begin: call.begin, room: roomOf(call, folder) },
    groups,
  );
  refuseBadEnd(outcome, script, call, found.pinned);
  const output = await readScriptOutput({ script, call }, outcome.stdout, files.output_file);
  if (outputDir !== undefined && call.outputFiles) await takeOutputFiles(outputDir, call.outputFiles, call.files);
  return output;
}

function roomOf({ files, outputBytes }: CallInput, folder: string): CallRoom {
  return { folder, fileBytes: Math.max(files.maxOfOne, outputBytes), bytes: files.room + outputBytes };
}

interface ScriptFiles {
  input_file: string;
  output_file: string;
  /** Absent: the contract names no output files. */
  output_dir?: string;
}

async function makeOutputFolder(script: PlanScript, { files }: CallInput): Promise<string> {
  try {
    const folder = join(await files.folder(), 'output');
    await mkdir(folder, { mode: 0o700 });
    return folder;
  } catch (error) {
    throw notStarted(script, `no folder for its files: ${reasonOf(error)}`, error);
  }
}

function commandOf(script: PlanScript, { file, pinned }: Pick<FoundScript, 'file' | 'pinned'>): string[] {
  return [...script.interpreter.map((word) => word.replaceAll('{pinned}', () => pinned)), file];
}

function factsOf(call: CallInput, files: ScriptFiles & { pinned: string }): ScriptFacts {
  const { input, taskKey, ability, idempotencyKey, inputSchema } = call;
  const { name, protected: isProtected, vars } = call.environment;
  return {
    values: { input, environment: { name, protected: isProtected, vars }, task: { key: taskKey, ability } },
    inputSchema,
    placeholders: {
      ...files,
      payload: JSON.stringify(input),
      task_key: taskKey ?? '',
      idempotency_key: idempotencyKey,
    },
  };
}

function namesOf(call: CallInput): Record<string, string> {
  return {
    ABILITY_TASK_KEY: call.taskKey ?? '',
    ABILITY_STEP: call.path,
    ABILITY_ENVIRONMENT: call.environment.name,
    ABILITY_IDEMPOTENCY_KEY: call.idempotencyKey,
  };
}

/**
 * Refuses every end but success. @param pinned the folder of the copy that ran. @throws CallFailure `script.exit`,
 * `script.start_failed`, `script.arguments_too_large`, `timeout.call`, or the code that the definition gives an
 * exit code: that is an answer, retried only if the step names it.
 */
export function refuseBadEnd(outcome: ProcessOutcome, script: PlanScript, call: CallInput, pinned: string): void {
  const last = lastWords(call);
  const { said, details } = last;
  switch (outcome.ended) {
    case 'exit':
      refuseBadExit(outcome.exitCode, script, last, pinned);
      return;
    case 'signal':
      throw new CallFailure(
        { code: 'script.exit', message: `${script.path} was killed by ${outcome.signal}${said}`, details },
        { unclear: true },
      );
    case 'timeout':
      throw new CallFailure(
        { code: 'timeout.call', message: `${script.path} took longer than ${call.timeoutMs} ms${said}`, details },
        { unclear: true },
      );
    case 'aborted':
      throw new CallFailure(
        { code: 'timeout.call', message: `${script.path} was stopped before it ended${said}`, details },
        { unclear: true },
      );
    case 'not_started':
      throw notStarted(script, outcome.reason ?? 'unknown reason');
  }
}

/** The last output of a script: stderr, or stdout if stderr is empty, since many programs use it. */
interface LastWords {
  said: string;
  details: { stderr: string; stdout?: string };
}

function lastWords({ log }: CallInput): LastWords {
  const stderr = log.tailOf('stderr');
  if (stderr !== '') return { said: `\n${stderr}`, details: { stderr } };
  const stdout = log.tailOf('stdout');
  if (stdout === '') return { said: '', details: { stderr } };
  return { said: `\nIt wrote nothing on stderr, and last on stdout:\n${stdout}`, details: { stderr, stdout } };
}

function refuseBadExit(
  exitCode: number | undefined,
  script: PlanScript,
  { said, details }: LastWords,
  pinned: string,
): void {
  if (exitCode === 0) return;
  const meaning = script.exit_codes?.[String(exitCode)];
  if (meaning === 'ok') return;
  const problem = {
    code: meaning?.code ?? 'script.exit',
    message: `${script.path} ended with exit code ${exitCode}${said}`,
    details: { exit_code: exitCode ?? null, ...details },
  };
  if (meaning) throw new CallFailure(problem, { isAnswer: true });
  throw new CallFailure({ ...problem, ...(isMissingBeside(details.stderr, pinned) && { suggestion: BESIDE }) });
}

/** Whether the script failed to find a file beside it, which was not pinned. */
function isMissingBeside(stderr: string, pinned: string): boolean {
  return (
    /\b(ENOENT|MODULE_NOT_FOUND|ModuleNotFoundError|[Nn]o such file|[Cc]an't open|not found)\b/.test(stderr) &&
    stderr.includes(pinned)
  );
}

const BESIDE =
  'A script runs from a copy of what was pinned with it. List the files it reads beside itself under `files`, or read them from ABILITY_ROOT; `ability lint` names such places.';

export function notStarted(script: PlanScript, reason: string, cause?: unknown): CallFailure {
  if (/\bE2BIG\b/.test(reason)) {
    return new CallFailure(
      {
        code: 'script.arguments_too_large',
        message: `${script.path} could not be started: its arguments and variables are larger than the system lets a process have`,
        suggestion:
          'Pass large values on stdin (`stdin: ..`) or in {input_file}. On Linux, one argument has at most 128 KiB.',
      },
      { cause },
    );
  }
  return new CallFailure(
    {
      code: 'script.start_failed',
      message: `${script.path} could not be started: ${reason}`,
      suggestion: /\bEACCES\b/.test(reason)
        ? 'If .system is on a disk mounted noexec, bring it to another disk; otherwise check the interpreter.'
        : 'Check the interpreter.',
    },
    { cause },
  );
}

/**
 * Refuses input from which a directly called script's texts cannot be written; the call itself checks for other
 * failures, since it knows all variables. @param input with defaults applied. @param task whose task key the texts
 * see. @throws AbilityError `input.invalid`, with the place.
 */
export function refuseUnusableInput(plan: Plan, input: JsonObject, task: string): void {
  const operation = plan.ability.kind === 'operation' ? plan.operations[plan.ability.id] : undefined;
  if (operation?.implementation.kind !== 'script') return;
  const key = keyOf(task);
  const { name, protected: isProtected, vars } = plan.environment;
  const environment = { name, protected: isProtected, vars };
  const values = { input, environment, task: { key, ability: operation.key } };
  try {
    const keys = { task_key: key ?? '', idempotency_key: 'key' };
    refuseUnwritable(operation.implementation.script, { values, inputSchema: operation.input_schema }, keys);
  } catch (error) {
    if (error instanceof AbilityError && error.code === 'input.invalid') throw error;
  }
}
