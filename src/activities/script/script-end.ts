import type { PlanScript } from '../../contracts/plan.js';
import { CallFailure } from '../call/call-failure.js';
import type { CallInput } from '../call/call-input.js';
import type { ProcessOutcome } from './run-process.js';

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
