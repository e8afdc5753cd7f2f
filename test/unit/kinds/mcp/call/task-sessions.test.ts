import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CallLog } from '../../../../../src/activities/call/call-log.js';
import type { McpConnection } from '../../../../../src/kinds/mcp/call/connection.js';
import { TaskSessions } from '../../../../../src/kinds/mcp/call/task-sessions.js';
import { SecretSource } from '../../../../../src/planning/secrets/secret-source.js';
import { RunningGroups } from '../../../../../src/worker/running-groups.js';
import { makeProject, type ProjectFolder } from '../../../../fixtures/project-folder.js';
import { MCP_PROGRAMS } from '../../../../fixtures/servers/mcp-http-server.js';

let folder: ProjectFolder;
let sessions: TaskSessions;
let end: (task: string) => void;

beforeEach(() => {
  folder = makeProject();
});
afterEach(async () => {
  await sessions.close();
  folder.remove();
});

function open(idleMs = 60_000, max = 9): void {
  const ends = new Map<string, () => void>();
  const untilEnded = (task: string) => new Promise<void>((resolve) => ends.set(task, resolve));
  end = (task) => ends.get(task)?.();
  const host = { root: folder.root, groups: new RunningGroups(join(folder.root, 'running')) };
  sessions = new TaskSessions(host, untilEnded, { idleMs, max });
}

async function keep(root: string | undefined, text = 'x'): Promise<string> {
  const env = { pass: ['PATH'], set: {}, secrets: {} };
  const args = [MCP_PROGRAMS.stateful, join(folder.root, 'noted')];
  const server = { name: 'srv', session: 'task', transport: 'stdio', command: process.execPath, args, env } as const;
  const user = {
    ...{ environment: { name: 'dev' }, secrets: new SecretSource(folder.root, 'dev') },
    ...{ log: new CallLog(undefined, '', 1), stop: new AbortController().signal, timeoutMs: 20_000 },
    ...(root !== undefined && { root }),
  };
  const call = ({ client }: McpConnection) => client.callTool({ name: 'keep', arguments: { text } });
  const { content } = await sessions.use(server, user, call);
  return JSON.parse((content[0] as { text: string }).text).kept.join();
}
const noted = (event: string): number =>
  readFileSync(join(folder.root, 'noted'), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith(event)).length;
const LOST = { code: 'mcp.session_lost' };

describe('the session of a task', () => {
  test('is closed when it was idle for long, and is then lost; that of another task goes on', async () => {
    open(300);
    expect(await keep('a')).toBe('x');
    await expect.poll(() => noted('ended'), { timeout: 10_000 }).toBe(1);
    await expect(keep('a')).rejects.toMatchObject({ ...LOST, message: expect.stringContaining('without a call') });
    expect([await keep('b'), noted('begun'), sessions.open]).toEqual(['x', 2, 1]);
  });

  test('ends with the task; its key may be used again', async () => {
    open();
    expect(await keep('a', 'one')).toBe('one');
    expect(await keep('a', 'two')).toBe('one,two');
    end('a');
    await expect.poll(() => noted('ended'), { timeout: 10_000 }).toBe(1);
    expect(await keep('a', 'three')).toBe('three');
  });

  test('is not begun beyond the bound of a worker: nothing is called, and a later attempt may succeed', async () => {
    open(undefined, 1);
    await keep('a');
    await expect(keep('b')).rejects.toMatchObject({ code: 'unavailable.connection' });
    end('a');
    await expect.poll(() => sessions.open).toBe(0);
    expect(await keep('b')).toBe('x');
  });
});

test('a hook has a session of its own for each call', async () => {
  open();
  await keep('a', 'of the task');
  expect(await Promise.all([keep(undefined, 'one'), keep(undefined, 'two')])).toEqual(['one', 'two']);
  await expect.poll(() => noted('ended'), { timeout: 10_000 }).toBe(2);
  expect(await keep('a', 'still')).toBe('of the task,still');
});
