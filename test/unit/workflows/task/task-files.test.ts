import { describe, expect, test } from 'vitest';
import type { FileValue } from '../../../../src/contracts/files.js';
import type { Plan } from '../../../../src/contracts/plan.js';
import type { TaskStart } from '../../../../src/contracts/task.js';
import { TaskFiles } from '../../../../src/workflows/task/task-files.js';

const file = (letter: string, bytes = 10): FileValue => ({
  $file: letter.repeat(64),
  name: letter,
  bytes,
  media_type: 'text/plain',
});
const [A, B, C] = [file('a'), file('b'), file('c')];
const open = (start: Partial<TaskStart> = {}, files?: Plan['files']): TaskFiles =>
  new TaskFiles({ input: {}, ...start } as TaskStart, { files } as Plan);

describe('the files of a task', () => {
  test('are those that its calls made', () => {
    const files = open({}, {});
    expect(files.within({ a: A })).toBeUndefined();
    files.add('make', { one: A, many: [B] });
    expect(files.within({ x: [A, A, { y: C }], z: B })).toEqual([A.$file, B.$file]);
    expect(files.listed.map(({ step, name }) => [step, name])).toEqual([
      ['make', 'one'],
      ['make', 'many'],
    ]);
  });

  test('include its input only if the schema asks for files, and never in a called task', () => {
    const input = { x: A };
    expect(open({ input }, { input: true }).within(A)).toEqual([A.$file]);
    expect(open({ input }, {}).within(A)).toBeUndefined();
    const at = [['x']];
    expect(open({ input: { x: A, free: B } }, { input: true, at }).within([A, B])).toEqual([A.$file]);
    expect(open({ input, child: { ability: 'x', left_ms: 1 } }, { input: true }).within(A)).toBeUndefined();
    const child = open({ input, child: { ability: 'x', left_ms: 1, files: [A.$file] } }, { input: true });
    expect([child.within(A), child.listed]).toEqual([[A.$file], []]);
  });

  test('include those that a called task made and returned', () => {
    const files = open({}, {});
    files.adopt(
      'child',
      [
        { step: 'x', name: 'n', file: A },
        { step: 'y', name: 'n', file: B },
        { step: 'z', name: 'n', file: C, called: true },
        { step: '', name: 'in', file: file('d') },
      ],
      { out: A, forged: C },
    );
    expect(files.within([A, B, C, file('d')])).toEqual([A.$file]);
    expect(files.listed.map(({ step, called }) => [step, called])).toEqual([
      ['child/x', undefined],
      ['child/y', true],
      ['child/z', true],
    ]);
  });

  test('are carried over to its next run, and to a retry of what it has done', () => {
    const carried = { files: [{ step: 'a', name: 'n', file: A }] } as unknown as TaskStart['carried'];
    expect(open({ carried, input: { x: B } } as Partial<TaskStart>, { input: true }).within([A, B])).toEqual([A.$file]);
    const progress = { a: { status: 'succeeded' as const, made: [{ step: 'a', name: 'n', file: A }] } };
    expect(open({ progress }, {}).within(A)).toEqual([A.$file]);
  });
});

describe('the room for files', () => {
  test('counts the same bytes once, and those of called tasks', () => {
    const files = open({}, { task_bytes: 25 });
    expect(files.room).toBeUndefined();
    files.add('a', { x: A, y: A });
    expect([files.room, files.isTooMuch]).toEqual([15, false]);
    files.adopt('child', [{ step: 'x', name: 'n', file: B }], null);
    expect([files.room, files.isTooMuch]).toEqual([5, false]);
    files.add('b', { z: C });
    expect([files.room, files.isTooMuch]).toEqual([0, true]);
  });

  test('is that of its caller in a called task', () => {
    const files = open({ child: { ability: 'x', left_ms: 1, file_room: 7 } }, { task_bytes: 100 });
    expect(files.room).toBe(7);
  });
});
