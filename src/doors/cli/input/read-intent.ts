import { AbilityError } from '../../../contracts/problem.js';

const MOST_CHARACTERS = 1000;

/** What a task is for, as one line of at most 1000 characters. @throws AbilityError `usage.invalid`. */
export function readIntent(text: string): string {
  const intent = text.trim().replaceAll(/\s+/g, ' ');
  if (intent === '') throw refusal('--intent is empty');
  if (intent.length <= MOST_CHARACTERS) return intent;
  throw refusal(`--intent has ${intent.length} characters; it may have ${MOST_CHARACTERS}`);
}

function refusal(message: string): AbilityError {
  const suggestion = "Say in a few words what the task is for: --intent 'rotate the certificate before Friday'.";
  return new AbilityError({ code: 'usage.invalid', message, suggestion });
}
