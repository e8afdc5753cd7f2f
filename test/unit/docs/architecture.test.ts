import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { ARROWS } from '../check-imports.js';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const read = (file: string): string => readFileSync(`${ROOT}/${file}`, 'utf8');
const page = read('docs/architecture.md');
const sources = readdirSync(`${ROOT}/src`, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => `src/${name}`);

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

describe('docs/architecture.md', () => {
  test('has a row for each room, and no other', () => {
    const rows = [...page.matchAll(/^\| `([a-z]+)` \|/gm)].map(([, room]) => room);
    const rooms = readdirSync(`${ROOT}/src`, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    expect(rows.sort()).toEqual(rooms.map(({ name }) => name).sort());
  });

  test('draws the arrows that the test of the imports allows', () => {
    const drawn = [...page.matchAll(/^ {2}([a-z]+) --> ([a-z &]+)$/gm)].flatMap(([, from = '', to = '']) =>
      to.split(' & ').map((room) => `${from} -> ${room}`),
    );
    const free = new Set(['workflows -> rules', 'disk -> contracts', 'rules -> text', 'text -> contracts']);
    const allowed = Object.entries(ARROWS).flatMap(([from, to]) => to.map((room) => `${from} -> ${room}`));
    expect(drawn.filter((arrow) => !free.has(arrow)).sort()).toEqual(allowed.sort());
  });
});

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

function isThere(file: string, anchor: string | undefined): boolean {
  if (!existsSync(`${ROOT}/${file}`)) return false;
  return anchor === undefined || anchorsOf(read(file)).has(anchor);
}
