import { AbilityError } from '../contracts/problem.js';
import { attempt } from '../text/attempt.js';

/**
 * Where people reach the page that `ability serve` serves, as `ABILITY_PAGE_ADDRESS` says; null: it does not.
 * @throws AbilityError `config.invalid`. Source: docs/page.md#its-address.
 */
export function pageAddress({ ABILITY_PAGE_ADDRESS: text = '' }: NodeJS.ProcessEnv): string | null {
  if (text === '') return null;
  const url = attempt(() => new URL(text));
  if (url && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`) return url.origin;
  throw new AbilityError({
    code: 'config.invalid',
    message: `ABILITY_PAGE_ADDRESS is ${text}, which is no address of a page`,
    suggestion:
      'Set it to the address of `ability serve` as browsers reach it, without a path: https://ability.acme.test.',
  });
}
