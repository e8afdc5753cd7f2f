import type { RouteTarget } from '../../contracts/routing.js';
import type { Question } from './questions.js';
import type { Proposal } from './targets.js';

const FOCUS = { refersTo: 'focus_anchor', refersToReason: 'It is what was asked last' } as const;
const LATEST = { refersTo: 'latest', refersToReason: 'It is about the latest message alone' } as const;

/** Something is delegated, called or proposed. */
export function act(
  decision: Proposal['decision'],
  target: RouteTarget,
  confidence: number,
  rationale: string,
): Proposal {
  return { decision, target, confidence, rationale, references: FOCUS, question: null, options: [] };
}

/** Nothing is called. */
export function respond(confidence: number, rationale: string): Proposal {
  return { decision: 'respond', target: null, confidence, rationale, references: LATEST, question: null, options: [] };
}

/** One question comes first. */
export function clarify(rationale: string, ask: Question, confidence = 0.5): Proposal {
  return { decision: 'clarify', target: null, confidence, rationale, references: LATEST, ...ask };
}
