import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, test } from 'vitest';
import { endWithJson, start } from '../fixtures/command-line.js';
import { makeProject } from '../fixtures/project-folder.js';

test('a command whose time is up exits with 6, even if an unresponsive server keeps its process alive', async () => {
  const project = makeProject();
  const silent = createServer(() => {}).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const address = `127.0.0.1:${(silent.address() as AddressInfo).port}`;
  try {
    const args = ['task', 'watch', 'some', '--timeout', '1s', '--address', address, '--json'];
    const { exitCode, signal, stdout, stderr } = await start(args, { cwd: project.root });
    const { json } = endWithJson(args, { exitCode, signal, stdout: String(stdout), stderr: String(stderr) });
    expect([exitCode, json.error.code, String(stderr)]).toEqual([6, 'wait.timeout', '']);
  } finally {
    silent.close();
    project.remove();
  }
}, 60_000);
