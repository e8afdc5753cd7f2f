import type { ConsentQuestion } from '../../../contracts/agent-runtime.js';
import { AbilityError } from '../../../contracts/problem.js';
import { plainText } from '../output/plain-text.js';
import type { Context } from '../program/context.js';
import { askText } from './ask.js';
import { readCaller } from './read-caller.js';

/**
 * Shows risks and what would be called, and asks the person at the terminal.
 *
 * @returns undefined where there is none to ask; agents agree to nothing.
 * @throws Cancelled at Ctrl-C.
 */
export async function agreeAtTerminal(
  context: Context,
  { risks, calls }: ConsentQuestion,
): Promise<boolean | undefined> {
  const { terminal, flags } = context;
  if (!terminal.canAsk() || flags.json || readCaller(context.env) === 'agent') return undefined;
  for (const risk of risks) terminal.note(`${terminal.style('yellow', 'warning')} ${plainText(risk, '  ')}`);
  for (const { ability_id, input } of calls)
    terminal.note(`  ${ability_id}  ${plainText(JSON.stringify(input), '  ')}`);
  const asking = { ...context, flags: { ...flags, yes: false } };
  const said = await askText(asking, undefined, {
    flag: '--agree',
    message: 'Go on? (yes or no)',
    check: refuseOthers,
  });
  return isYes(said);
}

function isYes(said: string): boolean {
  return /^\s*y(es)?\s*$/i.test(said);
}

function refuseOthers(said: string): void {
  if (isYes(said) || /^\s*no?\s*$/i.test(said)) return;
  throw new AbilityError({ code: 'usage.invalid', message: 'It is yes or no', suggestion: 'Type one of them.' });
}
