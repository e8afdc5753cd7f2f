import type { Choice, FocusContext, RouteTarget } from '../../contracts/routing.js';
import type { Proposal } from './targets.js';

/** A short question, if possible with two options. Source: R-003-16, R-003-24. */
export interface Question {
  question: string;
  options: Choice[];
}

/** "Do you mean X or Y?" for the newest two requests; with fewer, the other question. */
export function questionAbout(candidates: FocusContext['candidates'], otherwise: string): Question {
  const known = new Map(
    candidates.map(({ title, message_id }): [string, Choice] => [title, { label: title, means: { message_id } }]),
  );
  const options = [...known.values()].slice(-2);
  return options.length === 2 ? eitherOr(options) : { question: otherwise, options: [] };
}

/** "Do you mean X or Y?" for two abilities, "Do you mean X?" for one. */
export function questionOfAbilities(id: string, other?: string): Question {
  const choice = (label: string, ability_id: string): Choice => ({ label, means: { ability_id } });
  if (other !== undefined) return eitherOr([choice(id, id), choice(other, other)]);
  return { question: `Do you mean ${id}?`, options: [choice('yes', id), { label: 'no', means: null }] };
}

export function eitherOr(choices: readonly Choice[]): Question {
  const options = choices.slice(0, 2);
  return { question: `Do you mean ${options.map(({ label }) => label).join(' or ')}?`, options };
}

const FOCUS = { refersTo: 'focus_anchor', refersToReason: 'It is what was asked last' } as const;
const LATEST = { refersTo: 'latest', refersToReason: 'It is about the latest message alone' } as const;

/** Proposes to delegate or to call. */
export function act(target: RouteTarget, confidence: number, rationale: string): Proposal {
  const decision = 'agentId' in target ? 'delegate' : 'abilityId' in target ? 'workflow' : 'tool';
  return { decision, target, confidence, rationale, references: FOCUS, question: null, options: [] };
}

/** Proposes to answer without a call. */
export function respond(confidence: number, rationale: string): Proposal {
  return { decision: 'respond', target: null, confidence, rationale, references: LATEST, question: null, options: [] };
}

export function clarify(rationale: string, ask: Question, confidence = 0.5): Proposal {
  return { decision: 'clarify', target: null, confidence, rationale, references: LATEST, ...ask };
}

/** The question if a request should be delegated, but no agent can take it. */
export const NO_AGENT: Question = {
  question: 'No agent is registered here that could take it. What should be done instead?',
  options: [],
};
