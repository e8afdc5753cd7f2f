/** corpus.search: the text files of a folder that have most of the words, with the lines where they are. */
import { readFileSync } from 'node:fs';
import { answer } from './call.mjs';
import { fileIn, filesIn, folderOf } from './workspace.mjs';

const MOST_FILES = 5_000;
const MOST_LINES = 10;
const TEXT = /\.(txt|md)$/i;

await answer(({ corpus, words, max = 10 }) => {
  const folder = folderOf(corpus);
  const wanted = [...new Set(words.map((word) => word.toLowerCase()))];
  const documents = filesIn(folder, MOST_FILES).filter((path) => TEXT.test(path));
  const found = documents.flatMap((document) => read(folder, document, wanted));
  found.sort((a, b) => b.score - a.score || (a.document < b.document ? -1 : 1));
  return { documents: found.slice(0, max), searched: documents.length };
});

function read(folder, document, wanted) {
  const lines = readFileSync(fileIn(folder, document), 'utf8').split('\n');
  const has = new Set();
  const hits = lines.flatMap((text, at) => {
    const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
    const here = wanted.filter((word) => words.includes(word));
    for (const word of here) has.add(word);
    return here.length > 0 ? [{ line: at + 1, text: text.slice(0, 300), words: here.length }] : [];
  });
  if (hits.length === 0) return [];
  const best = hits.toSorted((a, b) => b.words - a.words || a.line - b.line).slice(0, MOST_LINES);
  return [
    {
      document,
      title: titleOf(lines),
      score: has.size,
      words: [...has],
      lines: best.map(({ line, text }) => ({ line, text })),
    },
  ];
}

function titleOf(lines) {
  return (lines.find((line) => line.trim() !== '') ?? '').replace(/^#+\s*/, '').slice(0, 200);
}
