import { SecretFinder } from './secret-finder.js';

const MASK = '***';

export class Masker {
  private readonly secrets = new Set<string>();
  /** Created on first use: most calls have no secrets, or print nothing. */
  private finder: SecretFinder | undefined;

  constructor(secrets: readonly string[] = []) {
    for (const secret of secrets) this.hide(secret);
  }

  hide(secret: string): void {
    if (this.secrets.has(secret)) return;
    this.secrets.add(secret);
    this.finder = undefined;
  }

  /** Maximum length of a secret's form in a text, in characters; 0 without secrets. */
  get widest(): number {
    return this.secrets.size === 0 ? 0 : this.found().widest;
  }

  /** Masks the known secrets in a text, and keeps its line breaks. */
  mask(text: string): string {
    if (this.secrets.size === 0) return text;
    let masked = '';
    let from = 0;
    for (const [start, end] of this.found().find(text)) {
      masked += text.slice(from, start) + text.slice(start, end).replaceAll(/[^\r\n]+/g, MASK);
      from = end;
    }
    return from === 0 ? text : masked + text.slice(from);
  }

  /** Where a secret may begin that the end of the text cuts off; undefined if nowhere. */
  openAt(text: string): number | undefined {
    return this.secrets.size === 0 ? undefined : this.found().openAt(text);
  }

  /** Masks the known secrets in all strings of a value, also in keys. */
  maskDeep(value: unknown): unknown {
    if (this.secrets.size === 0) return value;
    if (typeof value === 'string') return this.mask(value);
    if (Array.isArray(value)) return value.map((item) => this.maskDeep(item));
    if (value === null || typeof value !== 'object') return value;
    const masked = new Map<string, unknown>();
    for (const [key, item] of Object.entries(value)) masked.set(freeName(this.mask(key), masked), this.maskDeep(item));
    return Object.fromEntries(masked);
  }

  private found(): SecretFinder {
    this.finder ??= new SecretFinder([...this.secrets]);
    return this.finder;
  }
}

/** Makes masked keys unique. */
function freeName(name: string, taken: ReadonlyMap<string, unknown>): string {
  if (!name.includes(MASK)) return name;
  let free = name;
  for (let count = 2; taken.has(free); count += 1) free = `${name} ${count}`;
  return free;
}
