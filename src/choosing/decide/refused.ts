import { asks } from '../request-of.js';
import { isVerb } from './action.js';

/** Words before a request or a refusal that change nothing about it. */
const BEFORE =
  '^\\W*(?:(?:please|pls|plz|ok|okay|no|wait|hey|hang on|hold on|actually|but|and|so|also|just|guys|team|still|again|then|now|ah|oh)\\b\\W*)*';
/** "don't forget to" and "do not hesitate to" ask for what follows; so does "why don't you". */
const NOT =
  "(?:(?:do not|don['’]?t|never)\\b(?!\\s+(?:ever\\s+)?(?:forget|hesitate|fail|wait|miss|worry|you|u|we)\\b))";
const MODAL_NOT =
  "(?:(?:should|must|may|can|could|shall|need|ought|are|is|have|has|do|does)\\s*(?:not|n['’]?t)|cannot|shant|shouldnt|mustnt|cant|neednt|arent|isnt)";

/** How people say that something is not to be done. */
const REFUSALS: readonly RegExp[] = [
  `${BEFORE}(?:${NOT}|(?:hold off|not yet|nvm|never ?mind|forget (?:about )?it)\\b)`,
  // "stop the server" asks for something; "stop", "cancel that" and "stop sending mails" do not.
  `${BEFORE}(?:stop|cancel|abort|wait)(?:\\s+(?:it|that|this|everything|now|please|pls))*\\W*$`,
  `${BEFORE}(?:stop|quit|cease)\\s+(?!running|pending|hanging|failing|existing|remaining|idling|string|thing)\\w+ing\\b`,
  `${BEFORE}(?:wait|hold on|hang on|hold)\\s+(?:with|off|on)\\b`,
  `${BEFORE}(?:can|could|would|will)\\s+(?:you|u|we)\\s+(?:please\\s+|pls\\s+)?(?:not|never)\\b`,
  `\\b(?:i|we)\\s+(?:do not|don['’]?t|did not|didn['’]?t|never)\\s+(?:want|need|ask|mean|wish|intend|agree)(?:ed)?\\b`,
  `\\b(?:i|we)['’]?d\\s+rather\\s+(?:not|(?:you|u|we)\\s+(?:didn['’]?t|did not))\\b`,
  `${BEFORE}(?:better|rather|preferably)\\s+not\\b|\\blet['’]?s\\s+not\\b|\\bunder\\s+no\\s+circumstances\\b`,
  `\\bno\\s+(?:need|reason|point)\\b|\\bleave\\b.{0,40}\\balone\\b`,
  `\\b(?:nobody|no ?one|none of (?:us|you))\\s+(?:should|must|may|can|shall|is to|has to|needs to)\\b`,
  `\\b(?:you|u)\\s+${MODAL_NOT}\\b|\\bwe\\s+(?:should|must|shall|may)\\s*(?:not|n['’]?t)\\b`,
  // Not English: that something is not done.
  "\\b(?:nicht|kein(?:e[nmrs]?)?|niemals|niet)\\b|\\bn(?:e\\s+|['’])[\\p{L}-]+\\s+pas\\b",
].map((source) => new RegExp(source, 'iu'));

/** Between clauses of a sentence. */
const CLAUSES = /,\s+|\s+(?=(?:but|instead)\b)|\s+(?:and|but)\s+(?=(?:not|never|do not|don['’]?t|dont)\b)/iu;
/** "..., not to production": only the part before it is requested. */
const EXCEPT = /^\W*(?:(?:but|and)\s+)?(?:not|never)\b/iu;

/** Without the sentences that ask for something not to be done; what such a sentence asks besides is kept. */
export function withoutRefused(said: string): string {
  return said
    .split(/(?<=[.!?;])\s+|\n+/)
    .map(wantedOf)
    .filter((sentence) => sentence !== '')
    .join('\n');
}

function wantedOf(sentence: string): string {
  const clauses = sentence.split(CLAUSES);
  const refused = clauses.map((clause, at) => isRefused(clause) || (at > 0 && EXCEPT.test(clause)));
  const first = refused.indexOf(true);
  if (first < 0) return sentence;
  // A refusal is followed by its reasons; only a request in them counts.
  return clauses.filter((clause, at) => !refused[at] && (at < first || isAsked(withoutTurn(clause)))).join(', ');
}

function isAsked(clause: string): boolean {
  const [first = ''] = clause.match(/[\p{L}-]+/u) ?? [];
  return isVerb(first) || asks(clause);
}

function isRefused(clause: string): boolean {
  return REFUSALS.some((refusal) => refusal.test(clause));
}

/** "just", "but", "instead": words that turn from the refusal to the request. */
function withoutTurn(clause: string): string {
  return clause.replace(/^\W*(?:(?:just|only|but|instead|rather|and|then|simply)\b\W*)+/iu, '');
}
