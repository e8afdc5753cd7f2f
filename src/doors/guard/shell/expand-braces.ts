import { MARK } from './marks.js';

/** More than these are not looked at one by one. */
const MOST = 64;

/** The words of `a{b,c}`; a range such as `{1..3}` is unknown. */
export function expandBraces(word: string): string[] {
  const braces = /\{([^{}]*(?:,|\.\.)[^{}]*)\}/.exec(word);
  if (!braces) return [word];
  const [whole, inner = ''] = braces;
  const [before, after] = [word.slice(0, braces.index), word.slice(braces.index + whole.length)];
  if (!inner.includes(',')) return expandBraces(`${before}${MARK.unknown}${after}`);
  const words = inner.split(',').flatMap((part) => expandBraces(`${before}${part}${after}`));
  return words.length > MOST ? [`${before}${MARK.unknown}`] : words;
}
