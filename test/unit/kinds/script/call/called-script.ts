import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { CallLog } from '../../../../../src/activities/call/call-log.js';
import { PinnedScripts } from '../../../../../src/activities/processes/pinned-scripts.js';
import { callScript } from '../../../../../src/kinds/script/call/call-script.js';
import { SecretSource } from '../../../../../src/planning/secrets/secret-source.js';
import { FolderStore } from '../../../../../src/server/store/folder-store.js';
import { RunningGroups } from '../../../../../src/worker/running-groups.js';
import { callFiles } from '../../../../fixtures/memory-files.js';
import { temporaryProject } from '../../../temporary-project.js';

export const digestOf = (content: string): string => createHash('sha256').update(content).digest('hex');

/**
 * Runs a shell script as a call would. @param script other parts of its plan. @param call other parts of the call.
 * @param groups by which its processes are found; absent: as a worker finds them.
 */
export async function callShell(content: string, script: object = {}, call: object = {}, groups?: object) {
  const { root } = temporaryProject({ 's/main.sh': content });
  const scripts = new PinnedScripts(root, join(root, '.system/pinned'), new FolderStore(join(root, '.system/store')));
  const implementation = {
    id: 'i',
    kind: 'script',
    script: {
      path: 's/main.sh',
      digest: digestOf(content),
      interpreter: ['sh'],
      args: [],
      env: { pass: ['PATH'], set: {}, secrets: {} },
      ...script,
    },
  };
  const { signal } = new AbortController();
  const files = callFiles();
  const input = {
    input: {},
    taskKey: 't-1',
    ability: 'a.b',
    path: 'a/b',
    idempotencyKey: 't-1/a/b',
    environment: { name: 'dev', protected: false, vars: { region: 'eu' } },
    timeoutMs: 20_000,
    outputBytes: 1_000_000,
    inputSchema: {},
    outputSchema: null,
    signal,
    stop: signal,
    secrets: new SecretSource(root, 'dev', { PATH: process.env.PATH ?? '' }),
    begin: async () => {},
    log: new CallLog(undefined, '', 1),
    files,
    outputFiles: undefined,
    ...call,
  };
  try {
    const dependencies = { root, groups: groups ?? new RunningGroups(join(root, 'running')), scripts };
    return await callScript(implementation as never, input as never, dependencies as never);
  } finally {
    await input.files.close();
  }
}
