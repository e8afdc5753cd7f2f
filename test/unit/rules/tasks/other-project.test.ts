import { expect, test } from 'vitest';
import type { Tombstone } from '../../../../src/contracts/deletion.js';
import {
  beingDeleted,
  isTask,
  keyOfOther,
  otherProject,
  projectOf,
  taskDeleted,
} from '../../../../src/rules/tasks/task-refusals.js';

test.each([
  [{ AbilityProject: ['acme'] }, 'acme'],
  [{ AbilityProject: [] }, ''],
  [{ AbilityProject: [7] }, ''],
  [{}, ''],
])('a workflow with the attributes %j belongs to the project %j', (searchAttributes, project) => {
  expect(projectOf({ searchAttributes })).toBe(project);
});

test.each([
  [{ ability: 'deploy' }, true],
  [{ ability: 7 }, false],
  [{}, false],
  [undefined, false],
])('a workflow with the memo %j is a task: %s', (memo, is) => {
  expect(isTask({ memo, searchAttributes: {} })).toBe(is);
});

test.each([
  ['a command', otherProject],
  ['a new task', keyOfOther],
])('%s is refused with the project that has the task, if it is known', (_, refusal) => {
  const known = refusal('t-1', 'other', 'acme');
  expect([known.code, known.details]).toEqual(['task.other_project', { project: 'other' }]);
  expect(known.message).toContain('the project other,');
  expect(refusal('t-1', '', 'acme').message).toContain('a project that its start does not name');
});

const tombstone = {
  task_key: 't-1',
  ability_id: 'deploy',
  environment: 'prod',
  deleted_at: '2026-01-01T00:00:00.000Z',
  deleted_by: { name: 'ann', source: 'claimed' },
  purged: true,
} as unknown as Tombstone;

test('a deleted task is reported with the person who deleted it, without a project if it is the current one', () => {
  const { code, message, details } = taskDeleted(tombstone);
  expect(code).toBe('task.deleted');
  expect(message).toContain('t-1 (deploy in prod) was deleted by ann (claimed)');
  expect(details).toStrictEqual({
    ability_id: 'deploy',
    environment: 'prod',
    deleted_at: '2026-01-01T00:00:00.000Z',
    deleted_by: { name: 'ann', source: 'claimed' },
    purged: true,
  });
  expect(beingDeleted('t-1').code).toBe('task.deleted');
});

test('a deleted task of another project is reported with that project', () => {
  const { message, details } = taskDeleted(tombstone, 'other');
  expect(message).toContain('(deploy in prod of the project other)');
  expect(details).toMatchObject({ project: 'other' });
});
