import type { ConsentQuestion } from '../../../contracts/agent-runtime.js';
import { usageError } from '../../../contracts/problem.js';
import { readCaller } from '../../../operations/read-caller.js';
import { unlessRefused } from '../../../text/attempt.js';
import { defined } from '../../../text/defined.js';
import { plainText } from '../output/plain-text.js';
import type { Context } from '../program/context.js';

/** The user left a question with Ctrl-C, before anything was done. */
export class Cancelled extends Error {}

interface Question<T> {
  /** The flag that answers it; an error names it where no prompt is possible. */
  flag: string;
  message: string;
  /** The default without a prompt; absent: the flag is required. */
  fallback?: T | undefined;
}

export interface TextQuestion extends Question<string> {
  initial?: string;
  /** @throws AbilityError for an invalid answer. */
  check?(answer: string): void;
}

/** Only at a terminal, and not with `--yes` or `--json`. */
export function canAsk({ flags, terminal }: Context): boolean {
  return terminal.canPrompt() && !flags.yes && !flags.json;
}

/**
 * True without a person at the keyboard or with `--yes`. @param signal ends the prompt. Source: docs/guide.md#tasks.
 * @throws AbilityError `usage.invalid` if there is a person, but no screen for the question.
 */
export async function isConfirmed(
  { flags, terminal }: Context,
  message: string,
  signal?: AbortSignal,
): Promise<boolean> {
  if (flags.yes) return true;
  if (!terminal.canPrompt()) {
    if (!terminal.hasKeyboard()) return true;
    throw usageError(
      `The question "${message}" cannot be asked: stderr is no terminal, TERM is dumb, or CI is set`,
      'Pass --yes to go on without the question.',
    );
  }
  const { confirm, isCancel } = await import('@clack/prompts');
  // Return alone is no consent.
  const answer = await confirm({ message, initialValue: false, ...terminal.questions(), ...(signal && { signal }) });
  signal?.throwIfAborted();
  return !isCancel(answer) && answer;
}

/** The flag's value, the user's answer, or the default. @throws Cancelled, AbilityError `usage.invalid`. */
export async function askText(context: Context, given: string | undefined, question: TextQuestion): Promise<string> {
  const { message, initial, check } = question;
  if (given !== undefined || !canAsk(context)) {
    const answer = given ?? needed(question);
    check?.(answer);
    return answer;
  }
  const { isCancel, text } = await import('@clack/prompts');
  const start = initial ?? question.fallback;
  const answer = await text({
    message,
    ...context.terminal.questions(),
    ...(start !== undefined && { initialValue: start }),
    validate: (typed) => faultOf(typed ?? '', check),
  });
  if (isCancel(answer)) throw new Cancelled();
  return answer;
}

/** The purpose of a new ability: the flag's value, or an answer at a terminal. @throws Cancelled. */
export async function askSummary(context: Context, given: string | undefined): Promise<string | undefined> {
  if (!canAsk(context)) return given;
  return askText(context, given, { flag: '--summary', message: 'What is it for, in one sentence?' });
}

/** Like {@link askText}, for one of several choices. */
export async function askChoice<T extends string>(
  context: Context,
  given: T | undefined,
  choices: readonly T[],
  question: Question<T>,
): Promise<T> {
  if (given !== undefined) return given;
  if (!canAsk(context)) return needed(question, choices);
  const { isCancel, select } = await import('@clack/prompts');
  const options = choices.map((value) => ({ value: value as string, label: value as string }));
  const { message, fallback: initialValue } = question;
  const answer = await select({ message, options, ...context.terminal.questions(), ...defined({ initialValue }) });
  if (isCancel(answer)) throw new Cancelled();
  return choices.find((choice) => choice === answer) ?? needed(question);
}

function needed<T>({ flag, fallback }: Question<T>, choices: readonly string[] = []): T {
  if (fallback !== undefined) return fallback;
  const one = choices.length > 0 ? ` ${choices.slice(0, -1).join(', ')} or ${choices.at(-1)}` : '';
  throw usageError(
    `${flag} is required without an interactive terminal`,
    `Pass ${flag}${one}; \`--help\` has examples.`,
  );
}

function faultOf(answer: string, check: TextQuestion['check']): string | undefined {
  if (answer.trim() === '') return 'An answer is required';
  return unlessRefused(
    () => void check?.(answer),
    ({ message, suggestion = '' }) => `${message}. ${suggestion}`,
  );
}

/** @returns undefined without a person at a terminal, as agents cannot agree. @throws Cancelled at Ctrl-C. */
export async function agreeAtTerminal(
  context: Context,
  { risks, calls }: ConsentQuestion,
): Promise<boolean | undefined> {
  const { terminal, flags } = context;
  if (!terminal.canPrompt() || flags.json || readCaller(context.env) === 'agent') return undefined;
  for (const risk of risks) terminal.note(`${terminal.style('yellow', 'warning')} ${plainText(risk, '  ')}`);
  for (const { ability_id, input } of calls)
    terminal.note(`  ${ability_id}  ${plainText(JSON.stringify(input), '  ')}`);
  const asking = { ...context, flags: { ...flags, yes: false } };
  const question = { flag: '--agree', message: 'Go on? (yes or no)', check: refuseOthers };
  return isYes(await askText(asking, undefined, question));
}

function isYes(said: string): boolean {
  return /^\s*y(es)?\s*$/i.test(said);
}

function refuseOthers(said: string): void {
  if (isYes(said) || /^\s*no?\s*$/i.test(said)) return;
  throw usageError('The answer is yes or no', 'Type one of them.');
}
