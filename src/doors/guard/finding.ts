import type { Bypass } from './guard-index.js';

/** A part of a call of an agent's tool that bypasses the runtime. */
export interface Finding {
  /** Which part of `policy.bypass` decides about it. */
  about: keyof Bypass;
  what: string;
  /** The bypassed ability; left out if there is none. */
  ability?: string;
  /** The alternative. */
  instead: string;
}

/** The finding about something that belongs to an ability. */
export function roundAbility(what: string, ability: string): Finding {
  return {
    about: 'abilities',
    ability,
    what: `${what} of the ability ${ability}`,
    instead: `Run \`ability run ${ability}\` instead, which asks its guards; \`ability show ${ability}\` shows its input.`,
  };
}

/** The finding about a decision or a key, which are for people. */
export function forPeople(what: string): Finding {
  return { about: 'decisions', what, instead: 'Ask the person you work for to do it, in a shell of their own.' };
}
