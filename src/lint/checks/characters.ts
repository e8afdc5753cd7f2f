import type { Finding } from '../../contracts/findings.js';
import { findingOf } from '../../planning/finding-of.js';
import type { LintedProject } from '../linted-project.js';

/** Characters without a shape, and those that turn the order of reading around; joiners belong to scripts and emoji. */
const HIDDEN = /[\u00AD\u180E\u200B\u2060\u202A-\u202E\u2066-\u2069]|(?<!^)\uFEFF/g;

/** Letters of Cyrillic and Greek that look like Latin ones. */
const LOOKALIKES = 'аеорсухіјѕԁһԛԝАВЕКМНОРСТХІЈЅοαΑΒΕΖΗΙΚΜΝΟΡΤΥΧ';

const MIXED = new RegExp(`(?<![\\p{L}\\p{N}_])[A-Za-z0-9_${LOOKALIKES}]+(?![\\p{L}\\p{N}_])`, 'gu');

const LOOKALIKE = new RegExp(`[${LOOKALIKES}]`, 'u');

/** Finds characters that make a text something else than it looks. */
export function* checkCharacters({ sources }: LintedProject): Generator<Finding> {
  for (const { text, locateOffset } of sources) {
    if (!/\P{ASCII}/u.test(text)) continue;
    for (const { 0: character, index } of text.matchAll(HIDDEN)) {
      const code = `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
      yield findingOf('lint.hidden_character', `This text holds an invisible character, ${code}`, locateOffset(index));
    }
    for (const { 0: word, index } of text.matchAll(MIXED)) {
      if (!/[A-Za-z]/.test(word)) continue;
      const at = word.search(LOOKALIKE);
      if (at < 0) continue;
      const message = `The letter ${at + 1} of \`${word}\` is not the Latin one that it looks like`;
      yield findingOf('lint.lookalike_letter', message, locateOffset(index));
    }
  }
}
