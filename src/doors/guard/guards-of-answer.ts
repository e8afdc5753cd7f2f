import type { AbilityGuard } from '../../contracts/session.js';
import { oneLine } from '../../rules/shown-text.js';
import type { GuardAnswer } from './ask-abilities.js';
import type { Finding } from './finding.js';
import type { Bypass } from './guard-index.js';

/** So many are noted of one call, and so many characters of each text. */
const MOST = 20;
const MOST_CHARACTERS = 500;

/**
 * What a session is sent of an answer: who was asked, and what went round an ability, each once.
 *
 * The words of the call stay out of it, since they may hold what must not be in a history.
 */
export function guardsOf(
  findings: readonly Finding[],
  answers: readonly GuardAnswer[],
  bypass: Bypass,
): AbilityGuard[] {
  const round = findings
    .filter(({ about }) => bypass[about] !== 'off')
    .map(({ about, ability = '*', instead }): AbilityGuard => {
      const decision = bypass[about] === 'deny' ? 'deny' : 'allow';
      const source = `policy.bypass.${about}`;
      return { ability_id: ability, decision, reason: REASONS[about], suggestion: short(instead), source };
    });
  const asked = answers.map(({ ability, decision, reason, suggestion, hook = '*' }): AbilityGuard => {
    const advice = suggestion === undefined ? {} : { suggestion: short(suggestion) };
    return { ability_id: ability, decision, reason: short(reason), ...advice, source: `PreAbilityCall.${hook}` };
  });
  return [...new Map([...round, ...asked].map((guard) => [JSON.stringify(guard), guard])).values()].slice(0, MOST);
}

const REASONS: Record<keyof Bypass, string> = {
  abilities: "A call of the agent's tool went round the ability.",
  registry: "A call of the agent's tool would have changed what is registered.",
  decisions: "A call of the agent's tool was for people alone.",
};

function short(text: string): string {
  return oneLine(text).slice(0, MOST_CHARACTERS);
}
