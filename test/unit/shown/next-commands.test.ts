import { expect, test } from 'vitest';
import type { TaskStory } from '../../../src/contracts/story.js';
import { decisionCommands, nextCommands } from '../../../src/shown/next-commands.js';
import { exampleApproval, exampleStep, exampleStory } from '../doors/cli/output/story/example-story.js';

const commandsOf = (more: Partial<TaskStory>) => nextCommands(exampleStory(more)).map(({ command }) => command);
const AGAIN = 'ability task get t-1 | ability run signup --env staging --input -';

test('a created task is run', () => {
  expect(commandsOf({ status: 'created' })).toEqual(['ability task run t-1', 'ability task cancel t-1']);
});

test('an open task is watched or stopped', () => {
  expect(commandsOf({})).toEqual(['ability task watch t-1', 'ability task cancel t-1']);
});

test('a task that waits for people is decided on, each approval by its id', () => {
  const approvals = [exampleApproval(), exampleApproval({ id: 'done', status: 'approved' })];
  const [yes, no] = nextCommands(exampleStory({ status: 'waiting_approval', approvals }));
  expect(yes).toEqual({
    command: 'ability approve t-1 --approval ask-1 --as NAME',
    purpose: 'say yes to "Release?"',
  });
  expect(no).toEqual({ command: 'ability deny t-1 --approval ask-1 --as NAME', purpose: 'say no' });
});

test('an approval that asks for fields is granted with those that are required', () => {
  const fields = { ticket: { type: 'string' as const }, note: { type: 'string' as const, optional: true } };
  const [yes, no] = decisionCommands('t-1', exampleApproval({ fields }));
  expect(yes?.command).toBe('ability approve t-1 --approval ask-1 --as NAME --set ticket=STRING');
  expect(no?.command).not.toMatch(/--set/);
});

test('a failed task is explained, its log is read, and it is run again', () => {
  const error = { code: 'script.exit', message: 'x', step: 'seed', details: { path: 'group/seed' } };
  const steps = [exampleStep({ path: 'group/seed' })];
  expect(commandsOf({ status: 'failed', error, steps })).toEqual([
    'ability explain script.exit',
    'ability task logs t-1 group/seed',
    AGAIN,
  ]);
});

test("an author's own code has no explanation, and a step that never ran has no log", () => {
  const error = { code: 'mine.own', message: 'x', step: 'seed' };
  expect(commandsOf({ status: 'failed', error, steps: [exampleStep({ attempts: 0 })] })).toEqual([AGAIN]);
});

test('a task with an unknown outcome is not run again', () => {
  const error = { code: 'outcome.unknown', message: 'x', step: 'seed' };
  expect(commandsOf({ status: 'unknown', error })).toEqual([
    'ability explain outcome.unknown',
    'ability task logs t-1 seed',
  ]);
});

test('an expired task is created again', () => {
  expect(commandsOf({ status: 'expired' })).toEqual([AGAIN.replace('ability run', 'ability task create')]);
});

test('a succeeded task is read', () => {
  expect(commandsOf({ status: 'succeeded' })).toEqual(['ability task result t-1']);
});

test('a direct run has no key to use in a command', () => {
  expect(commandsOf({ task_key: null, status: 'running' })).toEqual([]);
  expect(commandsOf({ task_key: null, status: 'failed', error: { code: 'script.exit', message: 'x' } })).toEqual([
    'ability explain script.exit',
  ]);
});

test('a task of which only the record is left can only be run again', () => {
  expect(commandsOf({ status: 'created', source: 'record' })).toEqual([AGAIN]);
});

test('a possible retry is suggested, with the step to begin with', () => {
  const error = { code: 'mine.own', message: 'x', step: 'seed' };
  const of = (retry: TaskStory['retry']) => commandsOf({ status: 'failed', error, steps: [exampleStep()], retry });
  expect(of({ from: 'seed' })).toEqual(['ability task logs t-1 seed', 'ability task retry t-1 --from seed', AGAIN]);
  expect(of({ from: null })).toContain('ability task retry t-1');
  expect(of(null)).toEqual(['ability task logs t-1 seed', AGAIN]);
});

test('the log of a failure in a called task is that of the called task', () => {
  const error = { code: 'mine.own', message: 'x', step: 'build', details: { task: 't-1/release', path: 'build' } };
  expect(commandsOf({ status: 'failed', error })).toContain('ability task logs t-1/release build');
});

test('running calls can be followed', () => {
  const steps = [exampleStep({ status: 'running' }), exampleStep({ path: 'hosts/*/x', status: 'running' })];
  expect(commandsOf({ steps })[0]).toBe('ability task logs t-1 seed -f');
});

test('--as is suggested only to a user who may not decide, or who made the request', () => {
  const commandOf = (more: object, user: string) => decisionCommands('t-1', exampleApproval(more), user)[0]?.command;
  expect(commandOf({ self_approval: true }, 'bob')).toBe('ability approve t-1 --approval ask-1');
  expect(commandOf({ approvers: ['leads'], people: ['bob'] }, 'bob')).not.toContain('--as');
  expect(commandOf({ approvers: ['leads'], people: ['bob'] }, 'eve')).toContain('--as NAME');
  const own = { self_approval: false, requested_by: { name: 'bob', source: 'claimed' } };
  expect(commandOf(own, 'bob')).toContain('--as NAME');
});

test('if proof is required, --as is not suggested, since a name proves nothing', () => {
  const approval = exampleApproval({ approvers: ['leads'], people: ['bob'], proof: 'required' });
  for (const { command } of decisionCommands('t-1', approval, 'eve')) expect(command).not.toContain('--as');
});

test('an agent that reads the commands sees no --as', () => {
  const approvals = [exampleApproval({ self_approval: false })];
  const story = exampleStory({ status: 'waiting_approval', approvals });
  expect(nextCommands(story)[0]?.command).toContain('--as NAME');
  for (const { command } of nextCommands(story, null)) expect(command).not.toContain('--as');
});

test('text that is special to a shell is quoted', () => {
  const fields = { kind: { type: 'string' as const, enum: ['a', 'b'] } };
  expect(decisionCommands('t-1', exampleApproval({ fields }))[0]?.command).toMatch(/ --set 'kind=a\|b'$/);
});

test('if only a corrected definition helps, this is stated first', () => {
  const story = exampleStory({ status: 'failed', steps: [], retry: { from: 'seed', corrected: true } });
  const retry = nextCommands(story).find(({ command }) => command.includes('task retry'));
  expect(retry?.purpose).toBe('correct the definition, then try it again from seed on');
});

test('if something was not undone, a retry is suggested that asks first, unless the undo was denied', () => {
  const notUndone = (status: 'failed' | 'denied') => ({
    not_undone: [{ path: 'seed', call: 'db.drop', status, error: { code: 'x', message: 'y' } }],
  });
  const purposeOf = (status: 'failed' | 'denied') => {
    const story = exampleStory({ status: 'failed', steps: [], retry: { from: 'seed' }, ...notUndone(status) });
    return nextCommands(story).find(({ command }) => command.includes('task retry'));
  };
  expect(purposeOf('failed')).toEqual({
    command: 'ability task retry t-1',
    purpose: 'try it again; it asks first what stands of what was not undone',
  });
  expect(purposeOf('denied')?.command).toBe('ability task retry t-1 --from seed');
});
