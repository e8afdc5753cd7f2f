/** Words of consent, refusal and politeness; in lower case, without accents. */
const YES =
  'y|yes|yep|yup|yeah|yea|ya|sure|ok|okay|go|go ahead|go for it|do it|do so|confirm|confirmed|agreed|absolutely|definitely|of course|ja|jawohl|oui|si|da';
const NO =
  "n|no|nope|nah|stop|cancel|abort|nein|no+e|non|don't|dont|do not|(?:don't|dont|do not) do (?:it|that|this)|no way|rather not|better not";
const POLITE = 'please|pls|plz|thanks|thank you|thx|ty|bitte|danke|merci|gracias|por favor';
const AGAIN =
  '(?:try|retry|do|run|send) ?(?:it |that |this )?(?:again|once more)|retry(?: it| that)?|again|once more|try|do it|go ahead|run it';

const AGREES = only(YES);
const REFUSES = only(NO);
const RETRIES = only(`${YES}|${AGAIN}`);

/** Matches only these words and polite ones, with at least one of these words. */
function only(words: string): RegExp {
  return new RegExp(`^(?:(?:${POLITE})[ ,.!]+)*(?:${words})(?:[ ,.!]+(?:${words}|${POLITE}))*$`);
}

/** Consent is short; a longer text says something else, and would take long to match. Characters. */
const LONGEST = 60;

/** Whether a text is nothing but consent (true) or refusal (false); undefined: it is neither, or both. */
export function agreesTo(text: string, consent = AGREES): boolean | undefined {
  if (text.trim().length > LONGEST) return undefined;
  const plain = plainAnswer(text);
  if (consent.test(plain)) return true;
  return REFUSES.test(plain) ? false : undefined;
}

/** As {@link agreesTo}, for an offered retry: also "try again". */
export function isConsent(text: string): boolean | undefined {
  return agreesTo(text, RETRIES);
}

/** For comparing answers: in lower case, without accents, quotation marks, brackets around it and signs at its end. */
export function plainAnswer(text: string): string {
  return text
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll('’', "'")
    .replaceAll(/[“”"`]/g, '')
    .toLowerCase()
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/^[\s(]+|[\s).!,]+$/g, '');
}
