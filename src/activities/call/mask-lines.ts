import type { Masker } from '../../planning/secrets/masking/masker.js';
import type { LogLine } from './log-lines.js';

/** Lines before and after: a secret may continue from or into them. */
export interface Around {
  before: readonly LogLine[];
  after: readonly LogLine[];
}

/** Masks secrets in lines, including secrets that span several lines of a stream. */
export function maskLines(lines: readonly LogLine[], { before, after }: Around, masker: Masker): LogLine[] {
  const { widest } = masker;
  if (widest === 0) return [...lines];
  const masked = new Map<LogLine, string>();
  for (const [stream, own] of byStream(lines)) {
    const earlier = nearest([...before].reverse(), stream, widest).reverse();
    const all = [...earlier, ...own, ...nearest(after, stream, widest)];
    const parts = masker.mask(all.map(({ text }) => text).join('\n')).split('\n');
    // Masking keeps line breaks, and a text may contain some.
    let at = 0;
    for (const line of all) {
      const end = at + line.text.split('\n').length;
      masked.set(line, parts.slice(at, end).join('\n'));
      at = end;
    }
  }
  return lines.map((line) => ({ ...line, text: masked.get(line) ?? line.text }));
}

/** Number of lines before the first one that may contain the start of an incomplete secret. */
export function countWhole(lines: readonly LogLine[], before: readonly LogLine[], masker: Masker): number {
  const { widest } = masker;
  if (widest === 0) return lines.length;
  const held = [...byStream(lines)].flatMap(([stream, own]) => {
    const all = [...nearest([...before].reverse(), stream, widest).reverse(), ...own];
    const open = masker.openAt(all.map(({ text }) => text).join('\n'));
    if (open === undefined) return [];
    let end = -1;
    const line = all.find(({ text }) => {
      end += text.length + 1;
      return end > open;
    });
    // A line whose beginning is already written can no longer be held back.
    return line ? [Math.max(0, lines.indexOf(line))] : [];
  });
  return Math.min(lines.length, ...held);
}

function byStream(lines: readonly LogLine[]): Map<LogLine['stream'], LogLine[]> {
  const streams = new Map<LogLine['stream'], LogLine[]>();
  for (const line of lines) {
    const own = streams.get(line.stream);
    if (own) own.push(line);
    else streams.set(line.stream, [line]);
  }
  return streams;
}

/** The first lines of a stream, up to the length of the longest secret. */
function nearest(lines: readonly LogLine[], stream: LogLine['stream'], widest: number): LogLine[] {
  const found: LogLine[] = [];
  let size = 0;
  for (const line of lines) {
    if (size >= widest) break;
    if (line.stream !== stream) continue;
    found.push(line);
    size += line.text.length + 1;
  }
  return found;
}
