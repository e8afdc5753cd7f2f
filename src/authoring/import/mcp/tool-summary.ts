import { isJsonObject, type JsonObject } from '../../../contracts/json.js';

/** A summary stands in lists and routing documents. */
const MOST_CHARACTERS = 200;

/** Characters that are not seen or break a line. */
const NOT_PLAIN = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\s]+/gu;

/**
 * One line about a tool: the first sentence of its description, else its title, else its name.
 *
 * `notes`: whether its description says more than that.
 */
export function summaryOf(tool: JsonObject): { summary: string; notes: boolean } {
  const { name, title, description, annotations } = tool;
  const shown = isJsonObject(annotations) ? annotations.title : '';
  const whole = plain(description);
  const summary = firstSentence(whole) || plain(title) || plain(shown) || `The tool ${plain(name)}.`;
  return {
    summary: cut(summary),
    notes: typeof description === 'string' && whole !== '' && description !== cut(summary),
  };
}

function plain(text: unknown): string {
  return typeof text === 'string' ? text.replaceAll(NOT_PLAIN, ' ').trim() : '';
}

/** Up to the first stop that a new sentence follows. */
function firstSentence(text: string): string {
  const end = text.slice(0, MOST_CHARACTERS * 2).search(/(?<!\b(?:e\.g|i\.e|etc|vs))[.!?] +[\p{Lu}\p{Nd}`"'*-]/u);
  return end < 0 ? text : text.slice(0, end + 1);
}

function cut(text: string): string {
  if (text.length <= MOST_CHARACTERS) return text;
  const words = Array.from(text)
    .slice(0, MOST_CHARACTERS - 3)
    .join('')
    .replace(/ \S*$/, '');
  return `${words}...`;
}
