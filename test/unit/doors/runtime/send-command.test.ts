import { EventEmitter } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import type { CommandRequest } from '../../../../src/doors/runtime/command-protocol.js';
import { talk } from '../../../../src/doors/runtime/send-command.js';

const folder = mkdtempSync(join(tmpdir(), 'talk-'));
const path = join(folder, 's');
let server: Server | undefined;

afterEach(async () => {
  server?.closeAllConnections();
  await new Promise((resolve) => (server ? server.close(resolve) : resolve(undefined)));
  rmSync(path, { force: true });
  server = undefined;
});

const REQUEST: CommandRequest = {
  version: '1',
  args: ['run', 'x'],
  cwd: '/',
  env: {},
  timezone: null,
  elapsedMs: 0,
  stdout: { isTTY: false },
  stderr: { isTTY: false },
};

/** Answers with these lines, then calls `then`. */
async function answering(lines: object[], then: (response: ServerResponse, request: IncomingMessage) => void) {
  server = createServer((request, response) => {
    for (const line of lines) response.write(`${JSON.stringify(line)}\n`);
    then(response, request);
  });
  await new Promise<void>((resolve) => server?.listen(path, resolve));
}

class FakeProcess extends EventEmitter {
  readonly written: string[] = [];
  readonly pid = 1;
  readonly killed: string[] = [];
  readonly stdout = { write: (text: string) => this.written.push(`out ${text}`) };
  readonly stderr = { write: (text: string) => this.written.push(`err ${text}`) };

  kill(_: number, signal: string): void {
    this.killed.push(signal);
  }
}

async function ask(patienceMs?: number) {
  const caller = new FakeProcess();
  const end = await talk(path, REQUEST, caller, patienceMs);
  expect(caller.eventNames()).toEqual([]);
  return { end, written: caller.written };
}

test('output is passed on, with stdout at the end', async () => {
  await answering([{ taken: true }, { out: 'a' }, { err: 'b' }, { out: 'c' }, { exit: 4 }], (response) =>
    response.end(),
  );
  expect(await ask()).toEqual({ end: { kind: 'done', exit: 4 }, written: ['err b', 'out ac'] });
});

test('a runtime that is gone, refuses the command, does not answer or is not a runtime is bypassed', async () => {
  expect((await ask()).end).toEqual({ kind: 'declined' });
  await answering([{ passed: 'another version' }], (response) => response.end());
  expect((await ask()).end).toEqual({ kind: 'declined' });
  server?.removeAllListeners('request');
  server?.on('request', () => {});
  expect((await ask(20)).end).toEqual({ kind: 'declined' });
  server?.removeAllListeners('request');
  server?.on('request', (_, response) => response.writeHead(404).end('{"exit":0}\n'));
  expect((await ask()).end).toEqual({ kind: 'declined' });
});

test('an accepted command whose connection breaks is lost, and writes nothing to stdout', async () => {
  await answering([{ taken: true }, { out: 'half' }], (response) => setImmediate(() => response.destroy()));
  expect(await ask()).toEqual({ end: { kind: 'lost' }, written: [] });
});

test('a signal is passed on, and ends the process if the command does not handle it', async () => {
  const caller = new FakeProcess();
  await answering([{ taken: true }], (response, request) => {
    let text = '';
    request.setEncoding('utf8').on('data', (piece: string) => {
      const isFirst = text === '';
      text += piece;
      if (isFirst) response.write('{"err":"ready"}\n');
      else response.write(`{"unheard":"${JSON.parse(text.trim().split('\n').at(-1) as string).signal}"}\n`);
    });
  });
  caller.stderr.write = () => {
    setImmediate(() => caller.emit('SIGINT', 'SIGINT'));
    return 0;
  };
  await talk(path, REQUEST, caller);
  expect(caller.killed).toEqual(['SIGINT']);
});
