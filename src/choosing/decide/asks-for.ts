import type { FocusContext } from '../../contracts/routing.js';
import { STOP_WORDS, setOf } from '../words.js';
import { isConsent, saidIn } from './said-text.js';
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

/** Words of conversation. A message of nothing else asks for nothing, so any other word makes it more. */
const TALK =
  setOf(`hi hello hey hallo moin bonjour salut good morning evening afternoon night thank thanks you thx ty cheers merci danke ok okay k cool
  nice great perfect awesome lol haha yes yep yeah no nope nah sure got it sounds alright bye see cya job well done the best never mind
  nvm forget hm hmm uh ah eh wow oh so much a lot very all everyone there team again for that help now works was really helpful is enough
  youre are`);
/** Words that refer to something earlier, and what is to be done with it. */
const REFERRING =
  setOf(`please pls plz then and actually just can could would will u go ahead with do run start make send try delegate hand give take pass
  let have use this those them last latest same other first second one thing task stuff something over off via by through using to in
  an your sub subagent subagents agent agents handle care of instead me`);

/** Whether a message requests a sub-agent. Source: R-003-21, R-003-23. */
export function wantsSubAgent(text: string): boolean {
  const said = saidIn(text);
  return VIA.test(said) && (!isAbout(said) || /^\W*(?:can|could|may)\b/i.test(said));
}

const MOST_WORDS = 14;

export function actOf(text: string): Act {
  const words = wordsOf(saidIn(text));
  if (words.every((word) => TALK.has(word))) return 'talks';
  const refers = words.length <= MOST_WORDS && words.every((word) => TALK.has(word) || REFERRING.has(word));
  return refers ? 'refers' : 'asks';
}

/** Whether it has a word that is neither grammar nor conversation nor a way to put off an answer. */
export function hasContent(said: string): boolean {
  return wordsOf(said).some((word) => ![STOP_WORDS, TALK, REFERRING, PUTS_OFF].some((words) => words.has(word)));
}

const PUTS_OFF = setOf(
  `wait hang hold moment sec later maybe whatever whichever skip leave usual think check decide choose pick changed idea clue care dunno idk sorry`,
);

function wordsOf(said: string): string[] {
  const plain = said.toLowerCase().replaceAll(/['’]/g, '');
  return plain.match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
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

/** The call whose retry was offered, and whether the message agrees to it; undefined: it does not answer that. */
export function answerToRetry({ text, focus }: { text: string; focus: FocusContext }) {
  const { kind, expects } = focus.pending ?? {};
  const agreed = isConsent(text);
  if (kind !== 'tool_retry' || !expects || !('extensionId' in expects)) return undefined;
  if (agreed === undefined || answersLater(text, focus)) return undefined;
  const { extensionId, capabilityId } = expects;
  return { agreed, target: { extensionId, capabilityId } };
}
