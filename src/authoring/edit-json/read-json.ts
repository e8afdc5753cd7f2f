/** A JSON value with its position in the text; comments are allowed and skipped. */
export type JsonNode =
  | { kind: 'object'; start: number; end: number; members: { key: string; value: JsonNode }[] }
  | { kind: 'array'; start: number; end: number; items: JsonNode[] }
  | { kind: 'text'; start: number; end: number; value: string }
  | { kind: 'other'; start: number; end: number };

/** Maximum nesting; settings are never deeper. */
const MAX_DEPTH = 100;

/** JSON with comments, as in settings files. @throws SyntaxError with the line; also for a duplicate key. */
export function readJson(text: string): JsonNode {
  const reader = new JsonReader(text);
  const node = reader.value(0);
  reader.blanks();
  if (reader.at < text.length) throw reader.fault('there is something behind the value');
  return node;
}

class JsonReader {
  at = 0;

  constructor(private readonly text: string) {}

  fault(what: string): SyntaxError {
    return new SyntaxError(`line ${this.text.slice(0, this.at).split('\n').length}: ${what}`);
  }

  blanks(): void {
    const blank = /(?:[ \t\r\n\uFEFF]|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*/y;
    blank.lastIndex = this.at;
    blank.exec(this.text);
    this.at = blank.lastIndex;
  }

  value(depth: number): JsonNode {
    if (depth > MAX_DEPTH) throw this.fault('it is nested too deeply');
    this.blanks();
    const letter = this.text[this.at];
    if (letter === '{') return this.object(depth);
    if (letter === '[') return this.array(depth);
    const start = this.at;
    if (letter === '"') {
      const value = this.string();
      return { kind: 'text', start, end: this.at, value };
    }
    const plain = /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.])/y;
    plain.lastIndex = start;
    if (!plain.exec(this.text)) throw this.fault('here a value should begin');
    this.at = plain.lastIndex;
    return { kind: 'other', start, end: this.at };
  }

  private string(): string {
    const string = /"(?:[^"\\\n\r\t]|\\.)*"/y;
    string.lastIndex = this.at;
    const found = string.exec(this.text);
    if (!found) throw this.fault('a text is not closed');
    this.at = string.lastIndex;
    try {
      return JSON.parse(found[0]) as string;
    } catch {
      throw this.fault('a text has an escape that JSON does not know');
    }
  }

  private object(depth: number): JsonNode {
    const start = this.at;
    const members: { key: string; value: JsonNode }[] = [];
    this.listed('}', () => {
      if (this.text[this.at] !== '"') throw this.fault('here a key should begin');
      const key = this.string();
      if (members.some((member) => member.key === key)) throw this.fault(`\`${key}\` is there twice`);
      this.blanks();
      if (this.text[this.at] !== ':') throw this.fault('here a colon should be');
      this.at += 1;
      members.push({ key, value: this.value(depth + 1) });
    });
    return { kind: 'object', start, end: this.at, members };
  }

  private array(depth: number): JsonNode {
    const start = this.at;
    const items: JsonNode[] = [];
    this.listed(']', () => items.push(this.value(depth + 1)));
    return { kind: 'array', start, end: this.at, items };
  }

  private listed(close: string, item: () => void): void {
    this.at += 1;
    this.blanks();
    if (this.text[this.at] === close) {
      this.at += 1;
      return;
    }
    for (;;) {
      this.blanks();
      item();
      this.blanks();
      const letter = this.text[this.at];
      this.at += 1;
      if (letter === close) return;
      if (letter !== ',') {
        this.at -= 1;
        throw this.fault(`here a comma or ${close} should be`);
      }
    }
  }
}
