import type { TypedSearchAttributes } from '@temporalio/common';
import { describe, expect, test } from 'vitest';
import type { NewTask } from '../../../../src/client/start/new-task.js';
import { startRequest } from '../../../../src/client/start/start-request.js';
import type { OwnDefinitions } from '../../../../src/planning/resolve/own-definitions.js';
import { callerOf } from '../../../fixtures/caller.js';
import { serverWith } from './fake-temporal.js';

const OWN: OwnDefinitions = {
  digest: 'abcdef'.repeat(10),
  version: 3,
  placement: 'cloud',
  module: 'users.api',
  summary: 'Copies.',
};
const USER = { name: 'alice', source: 'claimed' } as const;

function requestOf(more: Partial<NewTask> = {}, definitions?: OwnDefinitions) {
  const wanted = {
    ability: 'backup',
    environment: 'staging',
    input: { n: 1 },
    caller: callerOf({ user: USER }),
    run: true,
  };
  return startRequest(serverWith(definitions ? { definitions } : {}).connection, { ...wanted, ...more });
}

const attributesOf = async (...of: Parameters<typeof requestOf>): Promise<Record<string, unknown>> => {
  const { typedSearchAttributes } = (await requestOf(...of)).options;
  const pairs = (typedSearchAttributes as TypedSearchAttributes).getAll();
  return Object.fromEntries(pairs.map(({ key, value }) => [key.name, value]));
};

describe('the arguments of a start', () => {
  test('are the input and what is claimed, without members for absent values', async () => {
    expect((await requestOf()).args).toStrictEqual([{ n: 1 }, { user: { name: 'alice' }, start_by: '60s' }]);
  });

  test('are all that the caller says', async () => {
    const { args } = await requestOf({
      caller: callerOf({
        user: { ...USER, agent: 'probe' },
        caller: 'agent',
        session: 's-1',
        scope: 'modules/users',
        intent: 'weekly',
      }),
      ...{ inRun: 'r-1', run: false, leaves: true, retry: { task: 't-0', from: 'a' } },
      ...{ plan: { plan: 'p' }, registry: 'd' },
    });
    expect(args[1]).toStrictEqual({
      ...{ user: { name: 'alice', agent: 'probe' }, caller: 'agent', session: 's-1', scope: 'modules/users' },
      ...{ intent: 'weekly', run: 'r-1', create: true, retry: { task: 't-0', from: 'a' } },
      ...{ plan: { plan: 'p' }, registry: 'd' },
    });
  });

  test('have the beginning of the digest of the definitions here, unless the worker must have them', async () => {
    expect((await requestOf({}, OWN)).args[1]).toMatchObject({ definitions: 'abcdefabcdef' });
    const { args } = await requestOf({ registry: OWN.digest }, OWN);
    expect(args[1]).toMatchObject({ registry: OWN.digest });
    expect(args[1]).not.toHaveProperty('definitions');
  });
});

describe('the memo of a task', () => {
  const least = { ability: 'backup', environment: 'staging', requested_by: 'alice' };

  test('has no members for absent values', async () => {
    expect((await requestOf()).memo).toStrictEqual(least);
  });

  test('names the version, the agent, the intent, the trace, the handle and the task that it retries', async () => {
    const trace = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
    const caller = callerOf({ user: { ...USER, agent: 'probe' }, trace, intent: 'weekly' });
    const { memo, options } = await requestOf({ caller, handle: 'h', retry: { task: 't-0', from: null } }, OWN);
    expect(memo).toStrictEqual({
      ...{ ...least, version: 3, agent: 'probe', intent: 'weekly', trace, handle: 'h', retry_of: 't-0' },
    });
    expect(options.memo).toEqual(memo);
  });
});

describe('the attributes of a task', () => {
  const attributes = { AbilityProject: 'acme', AbilityEnvironment: 'staging' };

  test('name its project, state and environment', async () => {
    expect(await attributesOf()).toStrictEqual({ ...attributes, AbilityStatus: 'running' });
    expect(await attributesOf({ run: false })).toStrictEqual({ ...attributes, AbilityStatus: 'created' });
  });

  test('name its first module and its session, if there are any', async () => {
    expect(await attributesOf({ caller: callerOf({ session: 's-1' }) }, OWN)).toMatchObject({
      ...{ AbilityModule: 'users.api', AbilitySession: 's-1' },
    });
  });
});

test('a task is started where the definitions here place it, or where a worker is', async () => {
  expect((await requestOf({}, OWN)).options.taskQueue).toBe('acme-staging-cloud');
  expect((await requestOf()).options.taskQueue).toBe('acme-staging-local');
  const { connection } = serverWith();
  connection.served?.delete('acme-staging-local');
  const wanted = { ability: 'backup', environment: 'staging', input: {}, caller: callerOf(), run: true };
  expect((await startRequest(connection, wanted)).options.taskQueue).toBe('acme-staging-cloud');
});

test('a task that may wait for its worker is started where it is placed, even if none is there', async () => {
  const { connection } = serverWith({ definitions: OWN });
  connection.served?.clear();
  const wanted = { ability: 'backup', environment: 'staging', input: {}, caller: callerOf(), run: true };
  expect((await startRequest(connection, { ...wanted, unserved: true })).options.taskQueue).toBe('acme-staging-cloud');
  const other = serverWith().connection;
  other.served?.clear();
  expect((await startRequest(other, { ...wanted, unserved: true })).options.taskQueue).toBe('acme-staging-local');
});

test('a task shows in the Temporal UI for whom it runs, and what it does', async () => {
  const { options } = await requestOf({}, OWN);
  expect(options).toMatchObject({ staticSummary: 'backup in staging, for alice', staticDetails: 'Copies.' });
  expect((await requestOf({ run: false })).options.staticSummary).toBe('backup in staging, created for alice');
  expect((await requestOf()).options).not.toHaveProperty('staticDetails');
});

test.each([
  ['alice', 'alice'],
  ['schedule:nightly', 'schedule:nightly'],
  ['', 'staging'],
  [' ', 'staging'],
  ['x'.repeat(100), 'x'.repeat(64)],
  ['ü'.repeat(40), 'ü'.repeat(32)],
  [`${'x'.repeat(63)}ü`, 'x'.repeat(63)],
])('a task of %j has the fairness key %j', async (name, key) => {
  const { priority } = (await requestOf({ caller: callerOf({ user: { ...USER, name } }) })).options;
  expect(priority).toEqual({ fairnessKey: key });
});
