import type { CallInput } from '../../../src/activities/call/call-input.js';
import { CallLog } from '../../../src/activities/call/call-log.js';
import { SecretSource } from '../../../src/planning/secrets/secret-source.js';
import { callFiles } from '../../fixtures/memory-files.js';

/** The first attempt of a call with a generous time-out. @param more overrides parts of it. */
export function exampleCall(more: Partial<CallInput> = {}): CallInput {
  const { signal } = new AbortController();
  return {
    input: {},
    taskKey: 't-1',
    ability: 'a.b',
    path: 'a',
    idempotencyKey: 't-1/a',
    environment: { name: 'dev', protected: false, vars: {} },
    timeoutMs: 20_000,
    outputBytes: 1_000_000,
    inputSchema: {},
    outputSchema: null,
    signal,
    stop: signal,
    secrets: new SecretSource('/nowhere', 'dev', {}),
    begin: async () => {},
    log: new CallLog(undefined, '', 1),
    files: callFiles(),
    outputFiles: undefined,
    ...more,
  };
}
