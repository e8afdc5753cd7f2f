import { language } from '../state.js';
import en from './en.json' with { type: 'json' };
import zh from './zh.json' with { type: 'json' };

/** Names a text of the page; `{name}` in it is a place that a value fills. A translation is a file like `en.json`. */
export type TextKey = keyof typeof en;

const TEXTS: Record<'en' | 'zh', Record<TextKey, string>> = { en, zh };

/** A text in the language of the person, with its places filled. */
export function t(key: TextKey, values: Record<string, string | number> = {}): string {
  return TEXTS[language.value][key].replaceAll(/\{(\w+)\}/g, (place, name) => String(values[name] ?? place));
}

const UNITS = [
  ['d', 86_400],
  ['h', 3600],
  ['min', 60],
  ['s', 1],
] as const;

/** Such as `23 h`, `2 min`, `340 ms`. */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))} ms`;
  const seconds = ms / 1000;
  const [unit, size] = UNITS.find(([, seconds_]) => seconds >= seconds_) ?? UNITS[3];
  const value = seconds / size;
  return `${value < 10 && unit === 's' ? value.toFixed(1) : Math.floor(value)} ${unit}`;
}
