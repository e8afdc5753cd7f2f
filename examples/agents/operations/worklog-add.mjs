/** worklog.add: adds an entry at the end of docs/IMPLEMENTATION_LOG.md of a repository, and makes the file where there is none. Source: R-003-26. */
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { answer } from './call.mjs';
import { folderOf, placeIn } from './workspace.mjs';

const PATH = 'docs/IMPLEMENTATION_LOG.md';

await answer(({ repository, title, text }) => {
  const file = placeIn(folderOf(repository), PATH);
  mkdirSync(dirname(file), { recursive: true });
  const before = existsSync(file) ? readFileSync(file, 'utf8') : '# Implementation log\n';
  const heading = `## ${new Date().toISOString().slice(0, 16).replace('T', ' ')} ${title}`;
  const entry = `\n${heading}\n\n${text.trim()}\n`;
  appendFileSync(file, existsSync(file) ? `${before.endsWith('\n') ? '' : '\n'}${entry}` : before + entry);
  return { path: PATH, heading };
});
