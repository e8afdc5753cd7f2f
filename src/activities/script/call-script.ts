import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Json } from '../../contracts/json.js';
import type { PlanScript, ScriptImplementation } from '../../contracts/plan.js';
import { AbilityError } from '../../contracts/problem.js';
import { fillPlaceholders, holdsPlaceholder } from '../../rules/placeholders.js';
import { refuseUnsafeKeys } from '../../rules/unsafe-keys.js';
import { CallFailure } from '../call-failure.js';
import type { CallInput } from '../call-input.js';
import type { Reading } from '../exact/marked-json.js';
import { integersOf, readJson, readUtf8 } from '../exact/read-json.js';
import { takeOutputFiles } from '../files/take-output-files.js';
import { withoutQuote } from '../json-fault.js';
import type { FoundScript, PinnedScripts } from './pinned-scripts.js';
import type { ProcessGroups } from './process-groups.js';
import { type ProcessOutcome, runProcess } from './run-process.js';
import { environmentOf } from './script-environment.js';

/** Where scripts are and who is told of their processes. */
export interface ScriptDependencies {
  root: string;
  groups: ProcessGroups;
  scripts: PinnedScripts;
}

/**
 * Runs a script of the project: input as a file, output as a file, or as stdout where its arguments name none.
 *
 * @throws CallFailure `script.*`, `timeout.call`. Source: design, section 4; R-002-05; answers, 24 and 25.
 */
export async function callScript(
  implementation: ScriptImplementation,
  call: CallInput,
  { root, groups, scripts }: ScriptDependencies,
): Promise<Json> {
  const { script } = implementation;
  const folder = await mkdtemp(join(tmpdir(), 'ability-')).catch((error: unknown) => {
    throw notStarted(script, `no temporary folder: ${messageOf(error)}`, error);
  });
  const files: ScriptFiles = { input_file: join(folder, 'input.json'), output_file: join(folder, 'output.json') };
  try {
    await writeFile(files.input_file, JSON.stringify(call.input), { mode: 0o600 }).catch((error: unknown) => {
      throw notStarted(script, `its input could not be written: ${messageOf(error)}`, error);
    });
    const env = environmentOf(script.env, call.secrets, (secret) => call.log.hide(secret), namesOf(call));
    const outputDir = call.outputFiles && (await makeOutputFolder(script, call));
    if (outputDir !== undefined) files.output_dir = outputDir;
    const found = await scripts.find(script);
    const [command, ...args] = commandOf(script, found, call, files);
    await call.begin();
    const usesFile = writesFile(script, call);
    const outcome = await runProcess(
      {
        command: command as string,
        args,
        cwd: root,
        env: { ...env, ...found.names, ...(outputDir !== undefined && { ABILITY_OUTPUT_DIR: outputDir }) },
        timeoutMs: call.timeoutMs,
        signal: call.signal,
        log: call.log,
        keepStdout: usesFile ? 0 : call.outputBytes + 1,
      },
      groups,
    );
    refuseBadEnd(outcome, script, call, found.pinned);
    const reading: Reading = {
      integers: integersOf(script.big_integers, call.engine),
      code: 'script.output_invalid',
      what: `The output of ${script.path}`,
    };
    const bytes = usesFile ? await readOutput(files.output_file, script, call) : outcome.stdout;
    const output = parseOutput(bytes, script, call, reading);
    if (outputDir !== undefined && call.outputFiles) await takeOutputFiles(outputDir, call.outputFiles, call.files);
    return output;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Paths that the arguments of a script may name. */
interface ScriptFiles {
  input_file: string;
  output_file: string;
  /** Absent: the contract names no files. */
  output_dir?: string;
}

async function makeOutputFolder(script: PlanScript, { files }: CallInput): Promise<string> {
  try {
    const folder = join(await files.folder(), 'output');
    await mkdir(folder, { mode: 0o700 });
    return folder;
  } catch (error) {
    throw notStarted(script, `no folder for its files: ${messageOf(error)}`, error);
  }
}

/** Whether a script writes its output to a file; else stdout is its output. */
function writesFile({ args }: PlanScript, { engine }: Pick<CallInput, 'engine'>): boolean {
  return args.some((item) => holdsPlaceholder(item, 'output_file', engine));
}

/** The program and its arguments; one template item is one argument, whatever it is replaced with. */
export function commandOf(
  script: PlanScript,
  { file, pinned }: Pick<FoundScript, 'file' | 'pinned'>,
  call: Pick<CallInput, 'input' | 'taskKey' | 'idempotencyKey' | 'engine'>,
  files: ScriptFiles,
): string[] {
  const values: Record<string, string> = {
    ...files,
    payload: JSON.stringify(call.input),
    task_key: call.taskKey ?? '',
    idempotency_key: call.idempotencyKey,
    pinned,
  };
  const args = script.args.map((item) => fillPlaceholders(item, values, call.engine));
  const interpreter = script.interpreter.map((word) => word.replaceAll('{pinned}', () => pinned));
  return [...interpreter, file, ...args];
}

function namesOf(call: CallInput): Record<string, string> {
  return {
    ABILITY_TASK_KEY: call.taskKey ?? '',
    ABILITY_STEP: call.path,
    ABILITY_ENVIRONMENT: call.environment.name,
    ABILITY_IDEMPOTENCY_KEY: call.idempotencyKey,
  };
}

function refuseBadEnd(outcome: ProcessOutcome, script: PlanScript, call: CallInput, pinned: string): void {
  const tail = call.log.tailOf('stderr');
  const said = tail ? `\n${tail}` : '';
  const details = { stderr: tail };
  switch (outcome.ended) {
    case 'exit':
      if (outcome.exitCode === 0) return;
      throw new CallFailure({
        code: 'script.exit',
        message: `${script.path} ended with exit code ${outcome.exitCode}${said}`,
        details: { exit_code: outcome.exitCode, ...details },
        ...(isMissingBeside(tail, pinned) && { suggestion: BESIDE }),
      });
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

/** What a script looks for beside itself and does not find was not pinned. */
function isMissingBeside(stderr: string, pinned: string): boolean {
  return (
    /\b(ENOENT|MODULE_NOT_FOUND|ModuleNotFoundError|[Nn]o such file|[Cc]an't open|not found)\b/.test(stderr) &&
    stderr.includes(pinned)
  );
}

const BESIDE =
  'A script runs from a copy of what was pinned with it. Name what it reads beside itself under `files`, or reach for it from ABILITY_ROOT; `ability lint` names such places.';

async function readOutput(file: string, script: PlanScript, call: CallInput): Promise<Buffer> {
  const found = await stat(file).catch(() => undefined);
  if (!found) throw missing(script, 'output file', call);
  if (!found.isFile()) throw broken(script, 'which is no file', call);
  const bytes = found.size;
  if (bytes > call.outputBytes) {
    throw new CallFailure({
      code: 'output.too_large',
      message: `${script.path} wrote ${bytes} bytes; its output may have ${call.outputBytes}`,
    });
  }
  const written = await readFile(file);
  if (written.toString('utf8').trim() === '') throw missing(script, 'output', call);
  return written;
}

function parseOutput(bytes: Buffer, script: PlanScript, call: CallInput, reading: Reading): Json {
  if (bytes.length > call.outputBytes) {
    const message = `${script.path} printed more than the ${call.outputBytes} bytes its output may have`;
    throw new CallFailure({ code: 'output.too_large', message });
  }
  const text = readUtf8(bytes, reading);
  if (text.trim() === '') return null;
  let value: Json;
  try {
    value = readJson(text, reading);
  } catch (error) {
    if (error instanceof AbilityError) throw error;
    throw broken(script, `which is not JSON (${withoutQuote(messageOf(error))}): ${call.log.excerpt(text, 200)}`, call);
  }
  refuseUnsafeKeys(value, 'script.output_invalid');
  return value;
}

function broken(script: PlanScript, what: string, call: CallInput): CallFailure {
  const stderr = call.log.tailOf('stderr');
  const suggestion = writesFile(script, call)
    ? 'Write one JSON value to the file given as {output_file}.'
    : 'Print one JSON value to stdout, and everything else to stderr.';
  return new CallFailure({
    code: 'script.output_broken',
    message: `${script.path} gave an output ${what}${stderr ? `\n${stderr}` : ''}`,
    details: { stderr },
    suggestion,
  });
}

function missing(script: PlanScript, what: string, call: CallInput): CallFailure {
  const tail = call.log.tailOf('stderr');
  return new CallFailure({
    code: 'script.output_missing',
    message: `${script.path} ended with exit code 0 but wrote no ${what}${tail ? `\n${tail}` : ''}`,
    details: { stderr: tail },
    suggestion: 'Write the result as JSON to the file given as {output_file}.',
  });
}

function notStarted(script: PlanScript, reason: string, cause?: unknown): CallFailure {
  return new CallFailure(
    {
      code: 'script.start_failed',
      message: `${script.path} could not be started: ${reason}`,
      suggestion: /\bEACCES\b/.test(reason)
        ? 'Where .system is on a disk mounted noexec, write `interpreter`; else check the interpreter and the shebang.'
        : 'Check the interpreter, the shebang and the size of the input.',
    },
    { cause },
  );
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
