import type { FocusContext } from '../../contracts/routing.js';

/** One short question, with two answers to choose from where possible. Source: R-003-16, R-003-24. */
export interface Question {
  question: string;
  options: string[];
}

/** "Do you mean X or Y?" of the newest two; else another question. */
export function questionAbout(candidates: FocusContext['candidates'], otherwise: string): Question {
  const titles = [...new Set(candidates.map(({ title }) => title))].slice(-2);
  return titles.length === 2 ? eitherOr(titles) : { question: otherwise, options: [] };
}

/** "Do you mean X or Y?" */
export function eitherOr(names: readonly string[]): Question {
  const options = names.slice(0, 2);
  return { question: `Do you mean ${options.join(' or ')}?`, options };
}
