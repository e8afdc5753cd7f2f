import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { newRecord } from '../../../src/activities/record/new-record.js';
import { RecordFolder } from '../../../src/activities/record/record-folder.js';
import { signSeal } from '../../../src/activities/seal.js';
import { digestOf } from '../../../src/rules/canonical.js';
import { errorOf } from '../error-of.js';
import { examplePlan } from '../rules/example-plan.js';

const plan = examplePlan();
const user = { name: 'ann', source: 'claimed' } as const;
const seal = signSeal(
  { plan: digestOf(plan), task: 't-1', input: digestOf({}), user, confirmations: [] },
  { keys: new Map([['k', Buffer.alloc(32, 1)]]) },
);
const created_at = '2030-01-01T12:00:00.000Z';
const record = newRecord({ plan, task: 't-1', host: 'here', seal, user, session: null, input: {}, created_at });

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'ability-records-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

test('the record of a key is made once', () => {
  const records = new RecordFolder(join(root, 'made', 'for it'));
  expect([records.create(record), records.create(record)]).toEqual([true, false]);
  expect(records.read('t-1')).toEqual(record);
});

test('a file in the place of the folder of all records is no holder of a key', () => {
  const place = join(root, 'implement');
  writeFileSync(place, '');
  const error = errorOf(() => new RecordFolder(place).create(record));
  expect(error).toMatchObject({ code: 'record.write_failed', message: expect.stringContaining(place) });
});

test('a folder of the key without a record is left as it is', () => {
  mkdirSync(join(root, 't-1'));
  const records = new RecordFolder(root);
  expect([records.create(record), records.read('t-1')]).toEqual([false, undefined]);
  expect(existsSync(join(root, 't-1', 'record.json'))).toBe(false);
});
