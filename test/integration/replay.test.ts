import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { historyFromJSON } from '@temporalio/common/lib/proto-utils.js';
import { DefaultLogger, Runtime, Worker } from '@temporalio/worker';
import { describe, expect, test } from 'vitest';
import { WORKFLOW_BUNDLE } from '../../src/worker/create-workers.js';
import { buildMutant } from '../fixtures/mutated-workflows.js';

const FOLDER = fileURLToPath(new URL('../histories', import.meta.url));
const FILES = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.json'));

Runtime.install({ logger: new DefaultLogger('ERROR') });

/** Replays a recorded history. @returns what differs, or undefined when nothing does. */
async function replay(file: string, codePath = WORKFLOW_BUNDLE): Promise<string | undefined> {
  const { workflowId, history } = JSON.parse(readFileSync(join(FOLDER, file), 'utf8'));
  try {
    await Worker.runReplayHistory({ workflowBundle: { codePath } }, historyFromJSON(history), workflowId);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

test('histories of every end of the example are there', () => {
  const ends = FILES.map((file) => JSON.parse(readFileSync(join(FOLDER, file), 'utf8')).status);
  expect(new Set(ends)).toEqual(new Set(['succeeded', 'failed', 'denied', 'cancelled']));
});

test('no recorded history holds a path or a host of the machine it was made on', () => {
  for (const file of FILES) {
    const text = readFileSync(join(FOLDER, file), 'utf8');
    const payloads = [...text.matchAll(/"data": "([^"]+)"/g)].map(([, data]) =>
      Buffer.from(data ?? '', 'base64').toString(),
    );
    for (const part of [text, ...payloads]) expect(part).not.toMatch(/"(\/(home|root|work|tmp|Users)\/|file:\/\/)/);
  }
});

describe('a history that was recorded', () => {
  test.each(FILES)('%s replays with the interpreter as it is', async (file) => {
    expect(await replay(file)).toBeUndefined();
  });

  test('does not replay with an interpreter that was changed incompatibly: the gate shuts', async () => {
    const mutant = await buildMutant('incompatible', {
      file: 'workflows/task.js',
      find: 'await guardTask(run, halt);',
      replace: 'await sleep(10); await guardTask(run, halt);',
    });
    const results = await Promise.all(FILES.map((file) => replay(file, mutant)));
    const differing = results.filter((result) => result !== undefined);
    expect(differing).toHaveLength(FILES.length);
    expect(differing[0]).toMatch(/[Nn]ondeterminism|Nondeterminism error/);
  });
});
