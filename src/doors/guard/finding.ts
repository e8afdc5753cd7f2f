import type { Bypass } from './guard-index.js';

/** A part of a call of an agent's tool that bypasses the runtime. */
export interface Finding {
  about: keyof Bypass;
  what: string;
  ability?: string;
  instead: string;
}

export function roundAbility(what: string, ability: string): Finding {
  return {
    about: 'abilities',
    ability,
    what: `${what} of the ability ${ability}`,
    instead: `Run \`ability run ${ability}\` instead, which runs its guards; \`ability show ${ability}\` shows its input.`,
  };
}

/** A finding about a decision or a key, which are reserved for people. */
export function forPeople(what: string): Finding {
  return { about: 'decisions', what, instead: 'Ask the person you work for to do it, in a shell of their own.' };
}
