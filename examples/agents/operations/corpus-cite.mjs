/** corpus.cite: a quotation, letter by letter, with where it is from. Only what is in the document can be quoted. */
import { readFileSync } from 'node:fs';
import { answer } from './call.mjs';
import { fileIn, folderOf } from './workspace.mjs';

await answer(({ corpus, document, from_line, to_line }) => {
  const all = readFileSync(fileIn(folderOf(corpus), document), 'utf8')
    .replace(/\n$/, '')
    .split('\n');
  if (to_line < from_line || to_line > all.length)
    throw new Error(`${document} has ${all.length} lines, not ${from_line} to ${to_line}`);
  const quote = all.slice(from_line - 1, to_line).join('\n');
  if (quote.trim() === '') throw new Error(`The lines ${from_line} to ${to_line} of ${document} are empty`);
  return { document, from_line, to_line, quote };
});
