import type { FocusContext } from '../../contracts/routing.js';
import { isConsent } from './consent.js';
import { isWordless, saidIn } from './said-text.js';
import { isAbout } from './signals.js';

/** Whether a message makes a request, refers to something earlier, or is mere conversation. */
export type Act = 'asks' | 'refers' | 'talks';

const SUB_AGENT = /\b(?:sub-?\s?agents?|subagents?)\b/i;
/** "do that via sub-agent", "delegate this", "hand it over". Source: R-003-21. */
const VIA = new RegExp(
  String.raw`(?<!\b(?:not|no|never|without|stop|don['’]?t)\s+)(?:${[
    String.raw`\b(?:via|with|by|through|using|use|to|in|as|spawn|spin up|start|let|have|give)\s+(?:it\s+to\s+)?(?:a|an|the|your|some|another)?\s*(?:[\w-]+\s+)?(?:sub-?\s?agents?)\b`,
    String.raw`(?<!\b(?:the|a|an|our|my|this|that)\s+)\bdelegat(?:e|ing)\b`,
    String.raw`\b(?:can|could|may)\s+(?:a|the|your|some|another)\s+(?:[\w-]+\s+)?(?:sub-?\s?agents?)\b`,
    String.raw`\bhand\s+(?:this|that|it)\s+(?:over|off)\b`,
  ].join('|')})`,
  'i',
);

/** Nothing but words that refer to something earlier, with polite words around them. */
const REFERRING = new RegExp(
  `^[^\\p{L}\\p{N}_]*(?:${[
    '(?:(?:ok|okay|yes|yeah|sure|please|now|then|so|and|actually|just|pls|plz|alright|great|cool|good|perfect)\\b[^\\p{L}\\p{N}_]*)*',
    '(?:(?:can|could|would|will) (?:you|u)\\s+)?(?:please\\s+)?',
    '(?:go ahead(?: (?:with|and do))?|do|run|start|make|send|try|delegate|hand|give|take|pass|let|have|use)?\\s*',
    '(?:that|this|it|so|those|them|the (?:last|latest|same|other|first|second) (?:one|thing|task)|the (?:task|thing|stuff)|something|one)?\\s*',
    '(?:(?:over|off|via|with|by|through|using|to|in|a|an|the|your|sub-?\\s?agents?|agents?|do|handle|take care of|it|that|this|again|now|please|pls|plz|instead|for me|then|thanks|thx)\\b[^\\p{L}\\p{N}_]*)*',
  ].join('')})[^\\p{L}\\p{N}_]*$`,
  'iu',
);

const CHAT =
  /^\W*(?:hi|hello|hey|hallo|moin|bonjour|salut|good (?:morning|evening|afternoon|night)|thanks?|thank you|thx|ty|cheers|merci|danke|ok(?:ay)?|k|cool|nice|great|perfect|awesome|lol|haha+|yes|yep|yeah|no|nope|nah|sure|got it|sounds good|alright|bye|see you|cya|good job|well done|you(?:'| a)?re (?:great|the best)|never ?mind|nvm|forget it|hm+|uh+|wow|oh|so|much|a lot|very|all|everyone|there|team|again|for (?:that|the help|now)|it works(?: now)?)(?:\W+(?:hi|hello|hey|thanks?|thank you|thx|ok(?:ay)?|cool|nice|great|perfect|yes|no|sure|got it|so much|a lot|very much|all|everyone|there|team|again|for (?:that|the help|now)|it works(?: now)?|that|was|really|helpful|is|good|enough|bye))*\W*$/iu;

/** Whether a message requests a sub-agent. Source: R-003-21, R-003-23. */
export function wantsSubAgent(text: string): boolean {
  const said = saidIn(text);
  return VIA.test(said) && (!isAbout(said) || /^\W*(?:can|could|may)\b/i.test(said));
}

const MAX_CHARACTERS = 120;

export function actOf(text: string): Act {
  const said = saidIn(text);
  if (isWordless(said)) return 'talks';
  const plain = said.replaceAll(/\s+/g, ' ').trim();
  // Messages that only talk or refer are short, and these expressions are slow on long texts.
  if (plain.length > MAX_CHARACTERS) return 'asks';
  if (CHAT.test(plain)) return 'talks';
  return plain.split(' ').length <= 14 && REFERRING.test(plain) ? 'refers' : 'asks';
}

/** The request without the words for the sub-agent; empty if it refers to something earlier. */
export function withoutSubAgent(text: string): string {
  const rest = saidIn(text).replace(VIA, ' ').replace(SUB_AGENT, ' ').trim();
  return actOf(rest) === 'asks' ? rest : '';
}

/** A yes or no after another request and a question in reply to it. Source: R-003-23, R-003-29. */
export function answersLater(text: string, { pending, lane }: FocusContext): boolean {
  if (!pending || isConsent(text) === undefined) return false;
  const since = Date.parse(pending.since);
  const later = lane.window.slice(0, -1).filter(({ at }) => Date.parse(at) > since);
  const other = later.findIndex((message) => message.role === 'user' && actOf(message.text) === 'asks');
  return other >= 0 && later.slice(other).some(({ role, text: said }) => role === 'assistant' && /\?\W*$/.test(said));
}
