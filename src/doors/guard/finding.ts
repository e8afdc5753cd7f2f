import type { Bypass } from './guard-index.js';

/** A part of a call of an agent's tool that bypasses the runtime. */
export interface Finding {
  about: keyof Bypass;
  what: string;
  ability?: string;
  instead: string;
  /** True if it only may be one: a person is asked. */
  isUnsure?: true;
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

/** A finding about what only the shell knows, and what may be anything. */
export function unsure(what: string): Finding {
  const instead = 'Write it out: run the part that computes it first, and use its output.';
  return { about: 'decisions', what: `${what} that is computed when it runs`, instead, isUnsure: true };
}
