import { FITS } from '../ranker.js';
import { actOf, answersLater } from './asks-for.js';
import { beforeWaiting, byFit } from './by-fit.js';
import { chooseAgent } from './choose-agent.js';
import { isConsent } from './consent.js';
import { act, clarify, NO_AGENT, questionAbout, questionOfAbilities, respond } from './propose.js';
import { saidIn } from './said-text.js';
import { signalIn } from './signals.js';
import type { Proposal, RouterInput } from './targets.js';

/**
 * Stage B without a model, deterministic: strong signals by a table, then the texts of the abilities.
 * Source: R-003-21, R-003-22, R-003-27; C-24, C-25; docs/choosing.md#deciding.
 */
export async function chooseByRules(input: RouterInput): Promise<Proposal> {
  const said = saidIn(input.text);
  const retried = retryOf(input);
  if (retried) return retried;
  const described = describesOption(input);
  if (described) return described;
  const { anchor, lane } = input.focus;
  if (!anchor) return withoutFocus(input, said);
  const anchored = lane.window.find(({ id }) => id === anchor.message_id)?.text ?? anchor.snippet;
  const about = anchored === input.text ? said : `${said}\n${saidIn(anchored)}`;
  return (await bySignal(input, about)) ?? (await byFit(input, about));
}

/** Repeats the question after an answer such as "the one that costs more". Source: R-003-04, R-003-16. */
function describesOption(input: RouterInput): Proposal | undefined {
  return DESCRIBES.test(input.text) ? beforeWaiting(input, MAX_WORDS_DESCRIBING) : undefined;
}

const DESCRIBES = /^\W*(?:(?:the|that|this)\s+(?:other\s+|\p{L}+er\s+|\p{L}+est\s+)?ones?|both|either|neither)\b/iu;
const MAX_WORDS_DESCRIBING = 12;

function retryOf({ focus, text }: RouterInput): Proposal | undefined {
  const { pending } = focus;
  if (pending?.kind !== 'tool_retry' || !('extensionId' in pending.expects)) return undefined;
  const agreed = answersLater(text, focus) ? undefined : isConsent(text);
  if (agreed === undefined) return undefined;
  const references = { refersTo: 'pending', refersToReason: 'It answers the retry that was offered' } as const;
  const { extensionId, capabilityId } = pending.expects;
  if (!agreed) return { ...respond(1, 'The retry was declined'), references };
  return { ...act('tool', { extensionId, capabilityId }, 1, 'The retry was agreed to'), references };
}

async function withoutFocus(input: RouterInput, said: string): Promise<Proposal> {
  const { candidates } = input.focus;
  if (candidates.length === 0 && actOf(said) === 'talks') {
    const [named] = await input.rank(said);
    if (named && named.score >= FITS) return clarify('It may name an ability', questionOfAbilities([named.abilityId]));
    return respond(0.9, 'Nothing is asked for');
  }
  const rationale =
    candidates.length > 0 ? 'It may be about several requests' : 'It refers to a request that is not known';
  return clarify(rationale, questionAbout(candidates, 'What should be done?'));
}

async function bySignal(input: RouterInput, about: string): Promise<Proposal | undefined> {
  const signal = signalIn(about);
  if (!signal) return undefined;
  const agentId = await chooseAgent(input, about);
  if (agentId !== undefined) return act('delegate', { agentId }, signal.confidence, signal.rationale);
  const fitting = await byFit(input, about);
  if (fitting.target !== null) return fitting;
  return clarify(`${signal.rationale}; no agent is registered`, NO_AGENT);
}
