// Prints every text that users may read, one a line with its place, so that they can be reviewed as one list:
// `npm run messages`, or `npm run messages -- WORD` for those with a word. Texts of errors, findings, help and notes; what is in braces is filled in.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** Names under which a text reaches users, and functions that print one. */
const NAMED =
  /\b(?:message|suggestion|means|why|fix|next|title|reason|said|summary|purpose|note)\b\s*[:=]\s*$|\b(?:note|print|description|describe|summary|addHelpText|option|argument|refuse|fail|usage|warn)\((?:[^()'"`]*,)?\s*$|\?\s*$|:\s*$|\breturn\s*$|=>\s*$|,\s*$/;

/** The texts of a file: literals of two words or more that stand where users read them. */
function textsIn(file) {
  const source = readFileSync(join(ROOT, file), 'utf8');
  const found = [];
  const literal = /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`/g;
  for (const match of source.matchAll(literal)) {
    const text = match[1] ?? match[2] ?? match[3];
    if (text === undefined || !/^[A-Z`$<{(-]/.test(text) || !/[a-z]+[\s\S]* [a-z]+/.test(text)) continue;
    const before = source.slice(Math.max(0, match.index - 120), match.index);
    if (/\bfrom\s*$|import\(\s*$/.test(before) || !NAMED.test(before)) continue;
    const line = source.slice(0, match.index).split('\n').length;
    const plain = text
      .replaceAll(/\$\{(?:[^{}]|\{[^{}]*\})*\}/g, '{}')
      .replaceAll(/\s*\n\s*/g, ' ')
      .replaceAll(/\\(['"`])/g, '$1');
    found.push({ file, line, text: plain });
  }
  return found;
}

const words = process.argv.slice(2).map((word) => new RegExp(`\\b${word}\\b`, 'i'));
const files = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => `src/${name}`)
  .sort();
for (const { file, line, text } of files.flatMap(textsIn)) {
  if (words.every((word) => word.test(text))) console.log(`${file}:${line}\t${text}`);
}
