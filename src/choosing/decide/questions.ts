import type { Choice, FocusContext } from '../../contracts/routing.js';

/** One short question, with two answers to choose from where possible. Source: R-003-16, R-003-24. */
export interface Question {
  question: string;
  options: Choice[];
}

/** "Do you mean X or Y?" of the newest two requests; else another question. */
export function questionAbout(candidates: FocusContext['candidates'], otherwise: string): Question {
  const known = new Map(
    candidates.map(({ title, message_id }): [string, Choice] => [title, { label: title, means: { message_id } }]),
  );
  const options = [...known.values()].slice(-2);
  return options.length === 2 ? eitherOr(options) : { question: otherwise, options: [] };
}

/** "Do you mean X or Y?" of abilities, or "Do you mean X?" of one. */
export function questionOfAbilities(ids: readonly string[]): Question {
  const [first, ...others] = ids.slice(0, 2).map((id): Choice => ({ label: id, means: { ability_id: id } }));
  if (!first) return { question: 'What should be done?', options: [] };
  if (others.length > 0) return eitherOr([first, ...others]);
  const options = [
    { ...first, label: 'yes' },
    { label: 'no', means: null },
  ];
  return { question: `Do you mean ${first.label}?`, options };
}

/** "Do you mean X or Y?" of what can be chosen anyway. */
export function eitherOr(choices: readonly Choice[]): Question {
  const options = choices.slice(0, 2);
  return { question: `Do you mean ${options.map(({ label }) => label).join(' or ')}?`, options };
}
