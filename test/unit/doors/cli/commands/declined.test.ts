import { beforeEach, expect, test, vi } from 'vitest';
import { viewOwnTask } from '../../../../../src/client/index.js';
import { EXIT } from '../../../../../src/contracts/states.js';
import { main } from '../../../../../src/doors/cli/main.js';
import { SILENT_TERMINAL } from '../../../../fixtures/silent-terminal.js';
import { temporaryProject } from '../../../temporary-project.js';
import { exampleApproval } from '../output/story/example-story.js';

const { approval } = vi.hoisted(() => ({ approval: { current: undefined as unknown } }));

vi.mock('../../../../../src/client/index.js', async (original) => ({
  ...(await original<object>()),
  keepingRuntime: (_: unknown, action: () => unknown) => action(),
  connect: async () => ({ close: async () => {} }),
  viewOwnTask: vi.fn(),
  findLastApproved: async () => null,
  readApprovals: async () => [approval.current],
  listApprovals: async () => [approval.current],
}));
vi.mock('../../../../../src/doors/cli/input/ask.js', async (original) => ({
  ...(await original<object>()),
  isConfirmed: async () => false,
}));

beforeEach(() => {
  approval.current = { ...exampleApproval({ id: 'ask-1', path: 'ask' }), task_key: 'k', task_ability: 'x' };
  vi.mocked(viewOwnTask).mockResolvedValue({ result: { status: 'running' } } as never);
});

test.each([
  ['task delete k', 'Nothing was deleted', { task_key: 'k' }],
  ['approve k', 'Nothing was decided', { task_key: 'k' }],
  ['deny k', 'Nothing was decided', { task_key: 'k' }],
  ['approve --like ask-1', 'Nothing was decided', {}],
])('`ability %s --json` with the answer "no" prints one JSON value', async (command, message, more) => {
  const { root } = temporaryProject();
  const [values, notes]: [unknown[], string[]] = [[], []];
  const terminal = {
    ...SILENT_TERMINAL,
    printJson: (value: unknown) => void values.push(value),
    note: (text: string) => void notes.push(text),
  };
  const args = [...command.split(' '), '--json'];
  expect(await main({ args, cwd: root, env: {}, terminal })).toBe(EXIT.interrupted);
  const error = { code: 'wait.interrupted', message, location: null, suggestion: null };
  expect(values).toEqual([{ status: 'error', ...more, error }]);
  expect(notes.at(-1)).toBe(`${message}.`);
});
