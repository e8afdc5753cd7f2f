import { expect, test } from 'vitest';
import { taskLink } from '../../../../src/rules/tasks/task-link.js';

test.each([
  ['http://ui.test', 't-1', undefined, 'http://ui.test/namespaces/default/workflows/t-1'],
  ['http://ui.test//', 't-1', undefined, 'http://ui.test/namespaces/default/workflows/t-1'],
  ['http://ui.test', 't-1/a b', undefined, 'http://ui.test/namespaces/default/workflows/t-1%2Fa%20b'],
  ['http://ui.test', 't-1', 'r/1', 'http://ui.test/namespaces/default/workflows/t-1/r%2F1'],
])('at %s, the page of %s with the run %s is %s', (ui, task, run, link) => {
  expect(taskLink(ui, 'default', task, run)).toBe(link);
});
