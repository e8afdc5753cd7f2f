import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { TASK_EVENTS } from '../../../src/contracts/task-events.js';
import { ROUTES } from '../../../src/doors/http/routes/all.js';

const page = readFileSync(join(import.meta.dirname, '../../../docs/http.md'), 'utf8');

describe('docs/http.md', () => {
  test('lists every route with the right that it requires, and no other route', () => {
    const [, table = ''] = /<!-- routes -->\n([\s\S]*)<!-- \/routes -->/.exec(page) ?? [];
    const documented = [...table.matchAll(/^\| `([A-Z]+ \S+)` \| (?:`(\w+)`|its own)? ?\|/gm)].map(
      ([, route, right]) => [route, right ?? null],
    );
    expect(documented).toEqual(
      ROUTES.map(({ method, path, right }) => [`${method} ${path}`, typeof right === 'function' ? null : right]),
    );
  });

  test.each(TASK_EVENTS)('has a row for the event %s', (event) => {
    expect(page).toMatch(new RegExp(`^\\| .*\`${event}\``, 'm'));
  });
});
