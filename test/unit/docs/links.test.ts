import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const read = (file: string): string => readFileSync(`${ROOT}/${file}`, 'utf8');
const filesIn = (folder: string, ending: string): string[] =>
  readdirSync(`${ROOT}/${folder}`, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(ending))
    .map((name) => `${folder}/${name}`);
const sources = filesIn('src', '.ts');
const pages = ['README.md', ...filesIn('docs', '.md')];

/** The anchors that GitHub makes from headings. */
function anchorsOf(text: string): Set<string> {
  const headings = [...text.matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) => heading);
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}

describe('the reasons in comments', () => {
  test('name no document that is not in the repository', () => {
    const outside = /\b(?:answers, \d|design, section|exact shapes, section|issue \d+, |feasibility, \d)/;
    expect(sources.filter((file) => outside.test(read(file)))).toEqual([]);
  });

  test('link to pages and headings that exist', () => {
    const broken = sources.flatMap((file) =>
      [...read(file).matchAll(/\bdocs\/([\w/-]+\.md)(?:#([\w-]+))?/g)]
        .filter(([, name = '', anchor]) => !isThere(`docs/${name}`, anchor))
        .map(([link]) => `${file}: ${link}`),
    );
    expect(broken).toEqual([]);
  });
});

describe('the links in the pages', () => {
  test.each(pages)('%s: lead to files and headings that exist', (page) => {
    const text = read(page).replaceAll(/^```[\s\S]*?^```$/gm, '');
    const broken = [...text.matchAll(/\]\((?![a-z]+:)([^)#\s]*)(?:#([\w-]+))?\)/g)].filter(
      ([, name = '', anchor]) => !isThere(name === '' ? page : join(dirname(page), name), anchor),
    );
    expect(broken.map(([link]) => link)).toEqual([]);
  });
});

function isThere(file: string, anchor: string | undefined): boolean {
  if (!existsSync(`${ROOT}/${file}`)) return false;
  return anchor === undefined || anchorsOf(read(file)).has(anchor);
}
