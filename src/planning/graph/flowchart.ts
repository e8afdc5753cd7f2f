import { showUnseenCharacters } from '../../rules/shown-text.js';

const SHAPES = {
  call: ['["', '"]'],
  workflow: ['[["', '"]]'],
  approval: ['{{"', '"}}'],
  value: ['[/"', '"/]'],
  end: ['(["', '"])'],
  choice: ['{"', '"}'],
  wait: ['("', '")'],
  point: ['(("', '"))'],
} as const;

export type Shape = keyof typeof SHAPES;

/** An arrow without its target. */
export interface Arrow {
  from: string;
  label?: string;
  dotted?: boolean;
}

/** Longer lines would make a node wider than the page. */
const LONGEST_LINE = 80;

/** Writes a Mermaid flowchart. Node names are generated and texts escaped, so authors cannot inject syntax. */
export class Flowchart {
  private readonly lines = ['flowchart TD'];
  private readonly arrows: string[] = [];
  private readonly classes = new Map<string, string[]>();
  private depth = 1;
  private count = 0;

  /** Draws a node, one line per text. @returns its name. */
  node(shape: Shape, text: readonly string[], className?: string): string {
    const [open, close] = SHAPES[shape];
    const name = this.nextName('n');
    this.write(`${name}${open}${text.map(escapeLabel).join('<br/>')}${close}`);
    if (className !== undefined) this.classes.set(className, [...(this.classes.get(className) ?? []), name]);
    return name;
  }

  connect(arrows: readonly Arrow[], to: string): void {
    for (const { from, label, dotted } of arrows) {
      const line = dotted ? '-.->' : '-->';
      const text = label === undefined ? '' : `|"${escapeLabel(label)}"|`;
      this.arrows.push(`  ${from} ${line}${text} ${to}`);
    }
  }

  /** Draws a group around the nodes that `draw` adds. @returns its name and the result of `draw`. */
  group<T>(title: string, draw: () => T): { name: string; inside: T } {
    const name = this.nextName('g');
    this.write(`subgraph ${name} ["${escapeLabel(title)}"]`);
    this.depth += 1;
    const inside = draw();
    this.depth -= 1;
    this.write('end');
    return { name, inside };
  }

  /** The whole chart. @param styles the style of each class. */
  toText(styles: Readonly<Record<string, string>>): string {
    const looks = [...this.classes].flatMap(([name, nodes]) => {
      const style = styles[name];
      return style === undefined ? [] : [`  classDef ${name} ${style}`, `  class ${nodes.join(',')} ${name}`];
    });
    return [...this.lines, ...this.arrows, ...looks].join('\n');
  }

  private write(line: string): void {
    this.lines.push('  '.repeat(this.depth) + line);
  }

  private nextName(prefix: string): string {
    this.count += 1;
    return `${prefix}${this.count}`;
  }
}

/** Cuts at 80 characters, and escapes characters special to Mermaid, HTML or Markdown. */
export function escapeLabel(text: string): string {
  const line = showUnseenCharacters(text.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim());
  const characters = [...line];
  const short = characters.length > LONGEST_LINE ? [...characters.slice(0, LONGEST_LINE - 1), '…'] : characters;
  return short.join('').replaceAll(/["#&<>`|$\\[\](){}]/g, (character) => `#${character.charCodeAt(0)};`);
}
