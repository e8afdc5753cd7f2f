import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { changeInput, runTask, startSession } from '../../src/client/index.js';
import type { AbilityError } from '../../src/contracts/problem.js';
import { operation, projectFile, workflow } from '../fixtures/project-folder.js';
import { type RunningProject, runProject } from '../fixtures/running-project.js';

const GUARD = `
import { appendFileSync, readFileSync } from 'node:fs';
const { event_type, ability_id, module_id, payload } = JSON.parse(readFileSync(0, 'utf8'));
appendFileSync('seen.txt', JSON.stringify([event_type, ability_id, module_id]) + '\\n');
const hook_signals = payload.mood ? { mood: payload.mood } : {};
console.log(JSON.stringify({ guard_decision: 'allow', hook_signals }));`;

describe('the scope of a task', () => {
  let project: RunningProject;
  const seen = (): unknown[] =>
    readFileSync(join(project.root, 'seen.txt'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));

  beforeAll(async () => {
    project = await runProject({
      'ability.yaml': projectFile('{ dev: {} }'),
      'registry/hooks/PreAbilityCreate.yaml':
        'hooks: [{ id: before, blocking: true, handler: { script: { path: hooks/guard.mjs } } }]\n',
      'registry/hooks/PreAbilityCall.yaml':
        'hooks: [{ id: at_call, blocking: true, handler: { script: { path: hooks/guard.mjs } } }]\n',
      'registry/hooks/PostAbilityCall.yaml': 'hooks: [{ id: after, handler: { script: { path: hooks/guard.mjs } } }]\n',
      'hooks/guard.mjs': GUARD,
      'seen.txt': '',
      ...operation('op.own', 'return 1;', { yaml: 'scope: { modules: [users.api, users.db] }' }),
      ...operation('op.free', 'return 1;'),
      ...workflow('outer', 'steps: [{ id: inner, call: inner, with: {} }]'),
      ...workflow('inner', 'steps: [{ id: one, call: op.free, with: {} }]'),
    });
  });
  afterAll(() => project.stop());
  const fresh = (): void => project.write({ 'seen.txt': '' });

  test('is the module of the event, for the guards before its creation, before its calls and after them (R-002-17)', async () => {
    fresh();
    const { status } = await project.run('op.free', {}, { scope: 'modules/users' });
    expect(status).toBe('succeeded');
    expect(seen()).toEqual([
      ['PreAbilityCreate', 'op.free', 'modules/users'],
      ['PreAbilityCall', 'op.free', 'modules/users'],
      ['PostAbilityCall', 'op.free', 'modules/users'],
    ]);
  });

  test('never replaces the module that a definition states', async () => {
    fresh();
    await project.run('op.own', {}, { scope: 'elsewhere' });
    expect(new Set(seen().map((each) => (each as string[])[2]))).toEqual(new Set(['users.api']));
  });

  test('applies to the tasks that it calls; a task without a scope has no module', async () => {
    const modules = (): Set<unknown> => new Set(seen().map((each) => (each as unknown[])[2]));
    fresh();
    expect((await project.run('outer', {}, { scope: 'modules/users' })).status).toBe('succeeded');
    expect(modules()).toEqual(new Set(['modules/users']));
    fresh();
    await project.run('op.free');
    expect(modules()).toEqual(new Set([null]));
  });

  test('stays when the input is changed, and is in the record', async () => {
    const { id } = await project.create('op.free', {}, { scope: 'modules/users', run: false });
    fresh();
    const by = { name: 'ada', source: 'claimed' } as const;
    await changeInput(project.connection, id, { set: { n: 1 }, unset: [], by });
    await runTask(project.connection, id);
    await project.wait(id);
    expect(seen()).toContainEqual(['PreAbilityCall', 'op.free', 'modules/users']);
    expect(new Set(seen().map((each) => (each as string[])[2]))).toEqual(new Set(['modules/users']));
    expect(readFileSync(join(project.connection.paths.records, id, 'tool_call.md'), 'utf8')).toContain('modules/users');
  });

  test('gets the unknown signals of its guards, as the scope of a session does (R-002-47)', async () => {
    const { task_key } = await project.run('op.own', { mood: 'calm' }, { scope: 'modules/moods' });
    const { session_id: session } = await startSession(project.connection, {
      environment: 'dev',
      scope: 'integration',
      user: { name: 'ada', source: 'claimed' },
    });
    await project.run('op.own', { mood: 'tense' }, { scope: 'modules/moods', session });
    const lines = readFileSync(join(project.root, 'modules/moods/workdocs/hook-signals.md'), 'utf8').trim().split('\n');
    const shape = lines.map((line) => line.replace(/^- \S+ /, '').replaceAll('\\', ''));
    expect(shape).toEqual([
      `${task_key} before {"mood":"calm"}`,
      `${task_key} at_call {"mood":"calm"}`,
      `${session} before {"mood":"tense"}`,
      `${session} at_call {"mood":"tense"}`,
    ]);
  });

  test.each(['../other', '/etc', '.system', 'a//b'])('%s is not a scope, and no task is created', async (scope) => {
    const refused = await project.create('op.own', {}, { scope }).catch((error: AbilityError) => error);
    expect(refused).toMatchObject({ code: 'usage.invalid' });
  });
});
