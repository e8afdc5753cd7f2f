export class ShellText {
  /** Index of the next character. */
  at = 0;
  /** Why it cannot be read to its end; keeps the first reason. */
  fault: string | undefined;

  constructor(readonly text: string) {}

  /** The next character, or the one at this distance; undefined after the end. */
  letter(ahead = 0): string | undefined {
    return this.text[this.at + ahead];
  }

  fail(reason: string): void {
    this.fault ??= reason;
  }

  /** The text up to the closing character, including everything nested; moves past it. */
  until(close: string): string {
    const open = close === ')' ? '(' : '{';
    const from = this.at;
    for (let depth = 1; this.at < this.text.length; this.at += 1) {
      const letter = this.text[this.at] as string;
      if (letter === '\\') this.at += 1;
      else if (letter === "'" || letter === '"') this.skipQuoted(letter);
      else if (letter === open) depth += 1;
      else if (letter === close && --depth === 0) {
        this.at += 1;
        return this.text.slice(from, this.at - 1);
      }
    }
    this.fail('a bracket is not closed');
    return this.text.slice(from);
  }

  private skipQuoted(quote: string): void {
    for (this.at += 1; this.at < this.text.length && this.text[this.at] !== quote; this.at += 1) {
      if (quote === '"' && this.text[this.at] === '\\') this.at += 1;
    }
  }
}
