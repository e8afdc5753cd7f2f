import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { fileURLToPath } from 'node:url';

const PLACE = /((?:file:\/\/)?\/[^\s()]+\.js):(\d+):(\d+)/g;

/**
 * The stack of an error with the places of the sources, where it names those of the bundled command line.
 *
 * Read only when there is an error to show: to have Node keep the maps would cost each command its start.
 */
export function readableStack(stack: string): string {
  return stack.replaceAll(PLACE, (place, file: string, line: string, column: string) => {
    const entry = mapOf(file)?.findEntry(Number(line) - 1, Number(column) - 1);
    if (!entry || !('originalSource' in entry)) return place;
    const source = entry.originalSource.replace(/^(\.\.\/)+/, '');
    return `${source}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
  });
}

function mapOf(file: string): SourceMap | undefined {
  try {
    const path = file.startsWith('file:') ? fileURLToPath(file) : file;
    return new SourceMap(JSON.parse(readFileSync(`${path}.map`, 'utf8')));
  } catch {
    // A file that was not bundled has no map of this kind; its own places are the best there are.
    return undefined;
  }
}
