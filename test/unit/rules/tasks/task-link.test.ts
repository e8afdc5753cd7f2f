import { expect, test } from 'vitest';
import { linksTo } from '../../../../src/rules/tasks/task-link.js';

test.each([
  ['http://ui.test', 't-1', 'http://ui.test/namespaces/default/workflows/t-1'],
  ['http://ui.test//', 't-1', 'http://ui.test/namespaces/default/workflows/t-1'],
  ['http://ui.test', 't-1/a b', 'http://ui.test/namespaces/default/workflows/t-1%2Fa%20b'],
])('in the Temporal UI at %s, %s is at %s', (ui, task, link) => {
  expect(linksTo({ ui, page: null }, 'default', task)).toEqual({ temporal: link, page: null });
});

test('on the page, a task is at its key', () => {
  expect(linksTo({ ui: null, page: 'https://page.test' }, 'default', 't-1/a b')).toEqual({
    temporal: null,
    page: 'https://page.test/tasks/t-1%2Fa%20b',
  });
});
