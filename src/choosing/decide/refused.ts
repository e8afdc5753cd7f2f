import { asks } from '../request-of.js';
import { isVerb } from './action.js';

const BEFORE =
  '^\\W*(?:(?:please|pls|plz|ok|okay|no|wait|hey|hang on|hold on|actually|but|and|so|also|just|guys|team|still|again|then|now|ah|oh)\\b\\W*)*';
/** Negations, except for "don't forget to" and the like, which request what follows. */
const NOT =
  "(?:(?:do not|don['’]?t|never)\\b(?!\\s+(?:ever\\s+)?(?:forget|hesitate|fail|wait|miss|worry|you|u|we)\\b))";
const MODAL_NOT =
  "(?:(?:should|must|may|can|could|shall|need|ought|are|is|have|has|do|does)\\s*(?:not|n['’]?t)|cannot|shant|shouldnt|mustnt|cant|neednt|arent|isnt)";

const REFUSALS: readonly RegExp[] = [
  `${BEFORE}(?:${NOT}|(?:hold off|not yet|nvm|never ?mind|forget (?:about )?it)\\b)`,
  // "stop the server" is a request; "stop", "cancel that" and "stop sending mails" are refusals.
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
  // Negations in German, Dutch and French.
  "\\b(?:nicht|kein(?:e[nmrs]?)?|niemals|niet)\\b|\\bn(?:e\\s+|['’])[\\p{L}-]+\\s+pas\\b",
].map((source) => new RegExp(source, 'iu'));

const CLAUSES = /,\s+|\s+(?=(?:but|instead)\b)|\s+(?:and|but)\s+(?=(?:not|never|do not|don['’]?t|dont)\b)/iu;
/** "..., not to production": refuses only this clause. */
const EXCEPT = /^\W*(?:(?:but|and)\s+)?(?:not|never)\b/iu;

/** Removes refusals; keeps the other clauses of the same sentence. */
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
  // Reasons follow a refusal; only a request among them counts.
  return clauses.filter((clause, at) => !refused[at] && (at < first || isRequest(withoutTurn(clause)))).join(', ');
}

function isRequest(clause: string): boolean {
  const [first = ''] = clause.match(/[\p{L}-]+/u) ?? [];
  return isVerb(first) || asks(clause);
}

function isRefused(clause: string): boolean {
  return REFUSALS.some((refusal) => refusal.test(clause));
}

function withoutTurn(clause: string): string {
  return clause.replace(/^\W*(?:(?:just|only|but|instead|rather|and|then|simply)\b\W*)+/iu, '');
}
