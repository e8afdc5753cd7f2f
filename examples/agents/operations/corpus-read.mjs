/** corpus.read: lines of a document of a corpus, to screen it. */
import { readFileSync } from 'node:fs';
import { answer } from './call.mjs';
import { fileIn, folderOf } from './workspace.mjs';

await answer(({ corpus, document, from_line = 1, lines = 60 }) => {
  const all = readFileSync(fileIn(folderOf(corpus), document), 'utf8')
    .replace(/\n$/, '')
    .split('\n');
  const shown = all.slice(from_line - 1, from_line - 1 + lines);
  return {
    document,
    total_lines: all.length,
    lines: shown.map((text, at) => ({ line: from_line + at, text: text.slice(0, 2_000) })),
  };
});
