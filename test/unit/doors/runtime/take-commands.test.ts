import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { RegistryLoader } from '../../../../src/definitions/load-registry.js';
import type { AnswerLine, CommandRequest } from '../../../../src/doors/runtime/command-protocol.js';
import { commandTaker } from '../../../../src/doors/runtime/take-commands.js';
import { packageVersion } from '../../../../src/server/installation.js';
import { log } from '../../../../src/worker/logger.js';
import { temporaryProject } from '../../temporary-project.js';

const { level } = log;
beforeAll(() => {
  log.level = 'silent';
});
afterAll(() => {
  log.level = level;
});

test('a command that fails unexpectedly is reported with exit code 1, and the runtime goes on', async () => {
  const { root } = temporaryProject();
  const loader = new RegistryLoader(root);
  const runtime = { project: loader.load().project.project } as never;
  const run = () => Promise.reject(new TypeError('fault'));
  const handle = commandTaker({ runtime, loader, use: run }, run);
  const server = createServer(handle).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const wanted: CommandRequest = {
    version: packageVersion(),
    args: ['why', 'k', '--json'],
    cwd: root,
    env: {},
    timezone: process.env.TZ ?? null,
    elapsedMs: 0,
    stdout: { isTTY: false },
    stderr: { isTTY: false },
  };
  const sent = request({ port: (server.address() as AddressInfo).port, method: 'POST', agent: false });
  sent.write(`${JSON.stringify(wanted)}\n`);
  const [response] = await once(sent, 'response');
  const lines = (await response.toArray()).join('').trim().split('\n');
  sent.destroy();
  const [first, out, ...rest] = lines.map((line: string) => JSON.parse(line) as AnswerLine);
  expect(first).toEqual({ taken: true });
  expect(JSON.parse(out.out)).toMatchObject({ status: 'error', error: { code: 'internal.error' } });
  expect(rest).toEqual([{ exit: 1 }]);
});
