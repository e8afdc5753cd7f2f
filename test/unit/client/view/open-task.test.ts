import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { WorkflowNotFoundError } from '@temporalio/client';
import { describe, expect, test } from 'vitest';
import type { Connection } from '../../../../src/client/connection/connect.js';
import { openOwn, openToRead } from '../../../../src/client/view/open-task.js';
import { deleteIdOf, WORKFLOWS } from '../../../../src/contracts/names.js';

const CLIENT = fileURLToPath(new URL('../../../../src/client', import.meta.url));
const sources = readdirSync(CLIENT, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => ({ name, text: readFileSync(`${CLIENT}/${name}`, 'utf8') }));

/** A session of the project `own`, on a Temporal where every key has this memo and these attributes. */
function sessionOf(memo: object, searchAttributes: object, onOther?: Connection['onOther']): Connection {
  const description = { memo, searchAttributes, runId: 'r2', raw: { workflowExecutionInfo: { firstRunId: 'r1' } } };
  const getHandle = (...args: unknown[]) => ({ args, describe: async () => description });
  return { project: 'own', temporal: { workflow: { getHandle } }, onOther } as unknown as Connection;
}
const task = { ability: 'a' };

describe('a task is opened for a change', () => {
  test('if it belongs to the own project: the run that was read, and the runs that continue it', async () => {
    const opened = await openOwn(sessionOf(task, { AbilityProject: ['own'] }), 'k');
    expect(opened?.run).toMatchObject({ args: ['k', 'r2'] });
    expect(opened?.execution).toMatchObject({ args: ['k', undefined, { firstExecutionRunId: 'r1' }] });
  });

  test.each([
    ['another project', { AbilityProject: ['other'] }, /belongs to the project other, and this is the project own/],
    ['no project', {}, /belongs to a project that its start does not name/],
    ['something that is not a name', { AbilityProject: [5] }, /does not name/],
    ['an empty list', { AbilityProject: [] }, /does not name/],
  ])('not if it names %s', async (_, attributes, message) => {
    await expect(openOwn(sessionOf(task, attributes), 'k')).rejects.toMatchObject({
      code: 'task.other_project',
      message: expect.stringMatching(message),
      suggestion: expect.stringContaining('--project'),
    });
  });

  test('not if it is not a task, whichever project started it', async () => {
    for (const memo of [{}, { ability: 5 }]) {
      const error = openOwn(sessionOf(memo, { AbilityProject: ['own'] }), 'k');
      await expect(error).rejects.toMatchObject({ code: 'task.not_found' });
    }
  });

  test('not if another project has deleted it with its history', async () => {
    const unknown = { describe: () => Promise.reject(new WorkflowNotFoundError('not there', 'k', undefined)) };
    const sessionWith = (project: string, status: string) => {
      const description = {
        type: WORKFLOWS.delete,
        status: { name: status },
        searchAttributes: { AbilityProject: [project] },
      };
      const deletion = { describe: async () => description, result: async () => ({}) };
      const getHandle = (id: string) => (id === deleteIdOf('k') ? deletion : unknown);
      return { project: 'own', temporal: { workflow: { getHandle } } } as unknown as Connection;
    };
    for (const status of ['RUNNING', 'COMPLETED']) {
      for (const id of ['k', 'k/step']) {
        const opened = openOwn(sessionWith('other', status), id);
        await expect(opened).rejects.toMatchObject({ code: 'task.other_project' });
        expect(await openOwn(sessionWith('own', status), id)).toBeUndefined();
      }
    }
  });

  // A command that bypasses this check would change the tasks of other projects.
  test('in no other way', () => {
    const senders = sources.filter(({ text }) =>
      /\.(signal|cancel|terminate|executeUpdate|startUpdate)[<(]/.test(text),
    );
    expect(senders.map(({ name }) => name).sort()).toEqual([
      'approvals/decide.ts',
      'approvals/grants.ts',
      'change/control-task.ts',
      'change/request-input-change.ts',
      'checks/check-server.ts',
      'sessions/sessions.ts',
      'start/attach-task.ts',
      'start/create-task.ts',
    ]);
    for (const { name, text } of senders) {
      if (name.endsWith('/check-server.ts')) continue;
      if (name.endsWith('/sessions.ts')) {
        const reached = [...text.matchAll(/getHandle(?:<[^(]*>)?\(\s*([\w.]+)/g)].map(([, id]) => id);
        expect(new Set(reached)).toEqual(new Set(['sessionIdOf', 'id']));
      } else if (name.endsWith('/grants.ts')) {
        // A grant of this project, which is no task.
        const reached = [...text.matchAll(/getHandle\(([^)]*\))/g)].map(([, id]) => id);
        expect([reached, text.includes('if (!(await placeOfGrant(connection, id)))')]).toEqual([
          ['grantIdOf(connection.project, id)'],
          true,
        ]);
      } else if (name.endsWith('/attach-task.ts')) expect(text).toContain('throw keyOfOther(');
      else if (name.endsWith('/create-task.ts')) {
        // Only the very run that it has started.
        const reached = [...text.matchAll(/getHandle\(([^)]*)\)/g)].map(([, run]) => run);
        expect(
          reached.filter((run) => !/^id, (undefined, \{ firstExecutionRunId: runId \}|runId)$/.test(run ?? '')),
        ).toEqual([]);
      } else {
        expect(text).toContain('openOwn(connection, ');
        expect(text).not.toContain('getHandle(');
      }
    }
  });
});

describe('the project of a task that is read is reported if it is another one', () => {
  test.each([
    [task, ['other'], [['k', 'other']]],
    [task, ['own'], []],
    [task, undefined, [['k', '']]],
    [{}, ['other'], []],
  ])('%j of %j', async (memo, project, expected) => {
    const calls: string[][] = [];
    const connection = sessionOf(memo, project ? { AbilityProject: project } : {}, (...args) => void calls.push(args));
    await openToRead(connection, 'k');
    expect(calls).toEqual(expected);
  });
});
