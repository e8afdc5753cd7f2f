import { createHash } from 'node:crypto';
import type { JsonObject } from '../../../contracts/json.js';
import { schemaLine } from '../../schema-line.js';
import { renderDefinition } from '../render-definition.js';

/** Begins the line by which an import knows its own file again. */
const MARK = '# ability import hooks: sha256 ';
const SOURCE = '# Taken over from ';

/** The file of a phase, with a line that shows whether people have edited it since. */
export function renderHooks(path: string, registry: string, source: string, hooks: JsonObject[]): string {
  const body = renderDefinition({ hooks }, []);
  const head = [
    schemaLine({ kind: 'hooks', path, registry }),
    `${SOURCE}${source}. The same import again replaces this file, unless it was edited.`,
    `${MARK}${digestOf(body)}`,
  ];
  return `${head.join('\n')}\n${body}`;
}

/** Whether a file is as an import wrote it. */
export function isAsImported(text: string): boolean {
  const at = text.indexOf(MARK);
  if (at < 0) return false;
  const end = text.indexOf('\n', at);
  return end > 0 && text.slice(at + MARK.length, end) === digestOf(text.slice(end + 1));
}

/** Whether a file was taken over from these settings, and not from others whose import has the same name. */
export function isFrom(source: string, text: string): boolean {
  return text.includes(`\n${SOURCE}${source}. `);
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
