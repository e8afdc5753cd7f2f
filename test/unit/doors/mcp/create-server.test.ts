import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { expect, onTestFinished, test } from 'vitest';
import type { Connection } from '../../../../src/client/index.js';
import { CallQueue } from '../../../../src/doors/mcp/call-queue.js';
import { createServer } from '../../../../src/doors/mcp/create-server.js';
import { DoorSession } from '../../../../src/doors/mcp/door-session.js';
import type { McpDoor } from '../../../../src/doors/mcp/mcp-door.js';
import { skillOfProject } from '../../../../src/doors/mcp/skill-of-project.js';
import { rightsOf } from '../../../../src/rules/rights.js';
import { temporaryProject } from '../../temporary-project.js';

/** A client of a server whose calls fail to connect once `until` resolves. */
async function clientOf(until: () => Promise<unknown>) {
  const notes: string[] = [];
  const connect = async (): Promise<Connection> => {
    await until();
    throw new TypeError('no connection');
  };
  const loan = { connect, failed: () => {} };
  const skill = skillOfProject(temporaryProject().root);
  const door = {
    expose: [],
    skill,
    lend: () => loan,
    typed: (text: string) => text,
    note: (text: string) => notes.push(text),
  };
  const person = { name: 'alice', source: 'claimed' } as const;
  const visitor = {
    person,
    rights: rightsOf('read', 'run'),
    session: new DoorSession('s'),
    calls: new CallQueue(),
  } as const;
  const server = createServer(door as unknown as McpDoor, visitor);
  const [here, there] = InMemoryTransport.createLinkedPair();
  const client = new Client({ name: 'test', version: '1' });
  await server.connect(there);
  await client.connect(here);
  onTestFinished(() => client.close());
  return { client, notes };
}

const PROMPT = { name: 'session_prompt', arguments: { text: 'x' } };

test('the operator reads why a call failed', async () => {
  const { client, notes } = await clientOf(async () => {});
  await client.callTool(PROMPT);
  expect(notes).toEqual([expect.stringMatching(/^TypeError: no connection\n/)]);
});

test('a call that its caller cancels is no fault of the door', async () => {
  const cancelling = new AbortController();
  let go = () => {};
  const cancelled = new Promise<void>((resolve) => {
    go = resolve;
  });
  const { client, notes } = await clientOf(() => {
    cancelling.abort();
    return cancelled;
  });
  await expect(client.callTool(PROMPT, { signal: cancelling.signal })).rejects.toThrow();
  // A later call arrives after the cancellation.
  await client.listTools();
  go();
  await client.listTools();
  expect(notes).toEqual([]);
});
