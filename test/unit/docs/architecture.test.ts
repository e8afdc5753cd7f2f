import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { ARROWS, BEHIND_DOORS } from '../check-imports.js';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const read = (file: string): string => readFileSync(`${ROOT}/${file}`, 'utf8');
const page = read('docs/architecture.md');

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
    const free = new Set([
      'workflows -> rules',
      'disk -> contracts',
      'rules -> kinds',
      'kinds -> text',
      'text -> contracts',
    ]);
    const arrows = Object.entries(ARROWS).filter(([room]) => !room.includes('/'));
    const allowed = [...arrows, ['doors', BEHIND_DOORS] as const].flatMap(([from, to]) =>
      to.map((room) => `${from} -> ${room}`),
    );
    expect(drawn.filter((arrow) => !free.has(arrow)).sort()).toEqual(allowed.sort());
  });
});
