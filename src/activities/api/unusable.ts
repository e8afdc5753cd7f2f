import { CallFailure } from '../call-failure.js';

/** The failure of an input that cannot be sent as the definition says. Nothing was sent. */
export function unusable(name: string, why: string, suggestion?: string): CallFailure {
  return new CallFailure({ code: 'input.invalid', message: `\`${name}\` ${why}`, suggestion });
}
