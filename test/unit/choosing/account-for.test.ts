import { describe, expect, test } from 'vitest';
import type { AbilityPool } from '../../../src/choosing/ability-pool.js';
import { accountFor, accountInPool } from '../../../src/choosing/account-for.js';

const NOTE = {
  texts: ['notes.delete', 'Deletes one note, if it was not archived before.', 'Delete one note by its id'],
  places: ['dev', 'modules/notes'],
  input: { note_id: 'n-42' },
  verbs: [],
  takes: 'changes',
} as const;
const MACHINES = {
  texts: ['machines.list', 'Lists the machines.'],
  places: ['dev'],
  input: {},
  verbs: [],
  takes: 'reads',
} as const;

test.each([
  'delete the note n-42',
  'Please delete note n-42 in dev.',
  'can you delete note id n-42 please?',
  "hi, I'd like you to delete the note with the note_id n-42, thanks",
  'run notes.delete with note_id=n-42',
  'delete note "n-42" for me now',
])('a plain order is accounted for to its last word: %s (R-003-20)', (text) => {
  expect(accountFor(text, NOTE)).toMatchObject({ unused: [], limits: [], isOrder: true, isAbout: true, isFar: false });
});

/** Forbidden, withdrawn, postponed, conditional, quoted, of something else, in another language, no order. */
test.each([
  ["don't delete note n-42", ["don't"]],
  ['do not delete note n-42', ['not']],
  ['never delete note n-42', ['never']],
  ['delete note n-42. Never mind that', ['Never', 'mind', 'that']],
  ['delete note n-42 - no, wait', ['-', 'no', 'wait']],
  ['delete note n-42 on Monday', ['Monday']],
  ['delete note n-42 after the backup', ['after', 'backup']],
  ['if the tests pass, delete note n-42', ['if', 'tests', 'pass']],
  ['delete note n-42 once QA agrees', ['once', 'QA', 'agrees']],
  ['delete note n-42 if it was not archived before', ['if', 'it', 'was', 'not', 'before']],
  ['unless Bob objects, delete note n-42', ['unless', 'Bob', 'objects']],
  ['open a ticket: delete note n-42', ['open', 'ticket']],
  ['"delete note n-42"', ['"delete  "']],
  ['delete note n-42 and n-43', ['n-43']],
  ['delete note n-42 in prod', ['prod']],
  ['delete all notes like n-42', ['all', 'like']],
  ['delete note n-42, then restart the server', ['then', 'restart', 'server']],
  ['borra la nota n-42', ['borra', 'la', 'nota']],
  ['nicht löschen: note n-42', ['nicht', 'löschen']],
  ['delete note n-42?', ['?']],
])('what is not wholly understood is left over: %s (R-003-20, R-003-15)', (text, unused) => {
  expect(accountFor(text, NOTE).unused).toEqual(unused);
});

test.each([
  'I deleted the note n-42',
  'bob has already deleted note n-42',
  'the delete of note n-42 went fine',
  'I wonder how to delete note n-42',
  'deleting note n-42',
  'deletes note n-42',
  'note n-42',
  'delete',
  'stop!!',
])('no order: %s', (text) => {
  expect(accountFor(text, NOTE)).toMatchObject({ isOrder: false });
});

test.each([
  ['list the machines', []],
  ['show me the machines please', []],
  ['what machines are there right now?', []],
  ['list machines in zone a', ['zone']],
  ['list machines a', []],
  ['list machines of Bob', ['Bob']],
  ['list machines since 2026-01-01', ['2026-01-01']],
  ['which machines does a@b.example own', ['a@b.example']],
  ['list the machines named "db"', ['"db"']],
  ['list machines until yesterday', ['yesterday']],
])('a name, number, address, quoted text, place or time that is not used limits a read: %s', (text, limits) => {
  expect(accountFor(text, MACHINES).limits).toEqual(limits);
});

test('a name with a digit is one of the ability if its id or summary has it; elsewhere it is a value', () => {
  const texts = ['signup_e2e_test', 'Run the E2E regression of signup.', 'Refunds such as order C-3381.'];
  const test_ = { ...NOTE, texts, input: {} };
  expect(accountFor('run the E2E regression of signup', test_).unused).toEqual([]);
  expect(accountFor('run the signup regression of order C-3381', test_).unused).toEqual(['C-3381']);
});

test('the verb of an id is the first word of its last part, and no other word of it begins an order', () => {
  const purge = { ...NOTE, texts: ['cache.users.purge', 'Empty what is kept of people.'], input: {} };
  expect(accountFor('purge what is kept of people', purge).isOrder).toBe(true);
  expect(accountFor('cache what is kept of people', purge).isOrder).toBe(false);
});

test.each(['do not list the machines', 'never list machines', 'list machines without errors'])(
  'a negation limits a read, so that it is asked about: %s',
  (text) => expect(accountFor(text, MACHINES).limits).not.toEqual([]),
);

describe('the choices of an input', () => {
  const pool = (input: string, choices: string[]): AbilityPool =>
    ({
      environment: 'dev',
      scope: undefined,
      abilities: new Map([
        [
          'service.restart',
          {
            id: 'service.restart',
            text: { texts: { summary: ['Restart a service.'] } },
            definition: {
              operation_key: 'service.restart',
              summary: 'Restart a service.',
              effects: 'destructive',
              input_schema: { type: 'object', properties: { [input]: { type: 'string', enum: choices } } },
            },
          },
        ],
      ]),
    }) as unknown as AbilityPool;

  test.each(['checkout', 'checkout service'])('a service alone orders nothing: %s', (text) => {
    const of = accountInPool(pool('service', ['checkout', 'billing']), 'service.restart', text);
    expect(of.isOrder).toBe(false);
  });

  test('an action begins an order', () => {
    expect(accountInPool(pool('action', ['stop', 'start']), 'service.restart', 'stop service').isOrder).toBe(true);
  });
});

test('a letter that names something is no article, also if the ability is about that', () => {
  const zones = { ...MACHINES, texts: ['machines.list', 'Lists the machines of a zone.'] };
  expect(accountFor('list the machines in zone a', zones)).toMatchObject({ unused: ['a'] });
  expect(accountFor('list the machines of a zone', zones)).toMatchObject({ unused: [], limits: [] });
});
