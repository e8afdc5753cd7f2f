/** The welcome mail. No mail leaves; some addresses behave like real ones that make trouble. */
import { setTimeout as pause } from 'node:timers/promises';

const SLOW_MS = 3000;

/**
 * Sends a welcome mail, after the account was made: a mail that fails does not undo a sign-up, but it is an error.
 *
 * `*@bounce.example.test` cannot be delivered; `*@slow.example.test` takes 3 s.
 */
export async function sendWelcome(email, log) {
  const domain = email.slice(email.lastIndexOf('@') + 1);
  if (domain === 'slow.example.test') await pause(SLOW_MS);
  if (domain === 'bounce.example.test') log('signup', 'error', 'welcome mail could not be delivered', { email });
  else log('signup', 'info', 'welcome mail sent', { email });
}
