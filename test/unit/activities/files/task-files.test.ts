import { describe, expect, test } from 'vitest';
import { holdFiles, withFiles } from '../../../../src/activities/files/task-files.js';
import type { FileValue, TaskFile } from '../../../../src/contracts/files.js';
import type { Progress } from '../../../../src/contracts/task.js';
import { MemoryFiles } from '../../../fixtures/memory-files.js';
import { examplePlan } from '../../rules/example-plan.js';

const file = (letter: string, bytes = 5): FileValue => ({
  $file: letter.repeat(64),
  name: 'a.txt',
  bytes,
  media_type: 'text/plain',
});
const made = (step: string, letter: string): TaskFile => ({ step, name: 'out', file: file(letter) }) as TaskFile;
const progress = (...paths: string[]): Progress =>
  Object.fromEntries(paths.map((path) => [path, { output: 1 }])) as unknown as Progress;

describe('the files that a task holds', () => {
  const held = async (files: object | undefined, input: object, kept?: Progress) => {
    const store = new MemoryFiles();
    const plan = { ...examplePlan(), ...(files && { files }) };
    await holdFiles({ plan, input: input as never, progress: kept }, 't-2', store);
    return store.held;
  };

  test('are those of its input, once each', async () => {
    const input = { one: file('a'), two: file('a'), more: [file('b')] };
    expect(await held({ input: true }, input)).toEqual([
      ['t-2', 'a'.repeat(64)],
      ['t-2', 'b'.repeat(64)],
    ]);
  });

  test('are checked for each size that the input states', async () => {
    expect(await held({ input: true }, { one: file('a', 5), two: file('a', 6) })).toHaveLength(2);
  });

  test('are none if the input takes no files', async () => {
    expect(await held({}, { one: file('a') })).toEqual([]);
    expect(await held(undefined, { one: file('a') })).toEqual([]);
  });

  test('are those of the steps that it takes over', async () => {
    const kept = withFiles(progress('a', 'b'), [made('a', 'c')]);
    expect(await held({}, {}, kept)).toEqual([['t-2', 'c'.repeat(64)]]);
  });
});

describe('the files of a step that is taken over', () => {
  test('stay with it, and those inside it go to the nearest step that is kept', () => {
    const files = [made('a', 'a'), made('group/b', 'b'), made('group/b/c', 'c'), made('group/d', 'd')];
    const kept = withFiles(progress('a', 'group', 'group/b', 'e'), files);
    const names = Object.fromEntries(
      Object.entries(kept).map(([path, entry]) => [path, entry.made?.map(({ file: { $file } }) => $file[0])]),
    );
    expect(names).toEqual({ a: ['a'], group: ['d'], 'group/b': ['b', 'c'], e: undefined });
    expect(kept['a']).toMatchObject({ output: 1 });
    expect(kept['e']).toEqual({ output: 1 });
  });

  test.each([
    ['of the input', made('', 'a')],
    ['of a step that is not kept', made('other/b', 'a')],
  ])('do not include those %s', (_, one) => {
    const before = progress('a');
    expect(withFiles(before, [one])).toBe(before);
  });
});
