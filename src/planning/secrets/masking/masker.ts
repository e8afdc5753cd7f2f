import { SecretFinder } from './secret-finder.js';

const MASK = '***';

/** Masks known secrets in text for people. */
export class Masker {
  private readonly secrets = new Set<string>();
  /** Made when it is needed: most calls have no secret, or print nothing. */
  private finder: SecretFinder | undefined;

  constructor(secrets: readonly string[] = []) {
    for (const secret of secrets) this.hide(secret);
  }

  /** Masks a value from now on. */
  hide(secret: string): void {
    if (this.secrets.has(secret)) return;
    this.secrets.add(secret);
    this.finder = undefined;
  }

  /** A secret that is cut has no more than this many characters on one side of the cut. */
  get widest(): number {
    return this.secrets.size === 0 ? 0 : this.found().widest;
  }

  /** A text with the known secrets masked. Its line breaks stay where they are. */
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

  /** The possible start of a secret that ends beyond the text; undefined if there is none. */
  openAt(text: string): number | undefined {
    return this.secrets.size === 0 ? undefined : this.found().openAt(text);
  }

  /** A value with the known secrets masked in all its texts, names included. */
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

/** Two names that are masked would be one. */
function freeName(name: string, taken: ReadonlyMap<string, unknown>): string {
  if (!name.includes(MASK)) return name;
  let free = name;
  for (let count = 2; taken.has(free); count += 1) free = `${name} ${count}`;
  return free;
}
