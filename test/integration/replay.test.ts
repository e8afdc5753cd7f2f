import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { ENGINE } from '../../src/contracts/names.js';
import { END_STATES } from '../../src/contracts/states.js';
import { readHistoryFile } from '../../src/worker/replay/read-history-file.js';
import { type ReplayEnd, replayHistory } from '../../src/worker/replay/replay-history.js';
import { buildMutant } from '../fixtures/mutated-workflows.js';

const FOLDER = fileURLToPath(new URL('../histories', import.meta.url));
const FILES = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.json'));

/** Replays a recorded history, with the workflows of this build unless told otherwise. */
function replay(file: string, workflowBundle?: string): Promise<ReplayEnd> {
  return replayHistory(readHistoryFile(join(FOLDER, file)), { workflowBundle });
}

const UNGUARDED = [
  'changed-then-run',
  'concurrency-newest-2',
  'concurrency-token-4',
  'concurrency-waiting-4',
  'continue-as-new-2',
  'continue-as-new-waiting-2',
  'deleted',
  'deleted-2',
  'end-expired',
  'operation-2',
];

/** What this engine must have a history of. */
const CONSTRUCTS = `
approval call changed-then-run child concurrency concurrency-newest concurrency-refused concurrency-token concurrency-waiting continue-as-new continue-as-new-failed continue-as-new-last-turn continue-on-error created-then-run deleted end expression-hooks fail fast-operation
finally-on-group foreach-last-turn foreach-parallel foreach-sequential if-skipped let on-error operation parallel pause-resume
payload-in-store plan-apart race repeat repeat-last-turn retry-on-group script-hooks switch timeout-on-group undo wait-signal wait-time wait-until
`;

test('this engine has a history of every end of a task', () => {
  const ends = FILES.filter((file) => file.startsWith(`engine-${ENGINE}`)).map(
    (file) => JSON.parse(readFileSync(join(FOLDER, file), 'utf8')).status,
  );
  expect(new Set(ends.filter((end) => end !== undefined))).toEqual(new Set(END_STATES));
});

test.each(CONSTRUCTS.trim().split(/\s+/))('this engine has a history of %s', (name) => {
  expect(FILES).toContain(join(`engine-${ENGINE}`, `${name}.json`));
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
    expect(await replay(file)).toMatchObject({ status: 'ok' });
  });

  test('does not replay with an interpreter that was changed incompatibly: the gate shuts', async () => {
    const mutant = await buildMutant('incompatible', {
      file: 'workflows/task.js',
      find: 'await guardTask(run, halt);',
      replace: 'await sleep(10); await guardTask(run, halt);',
    });
    const results: ReplayEnd[] = [];
    for (const file of FILES) results.push(await replay(file, mutant));
    const same = FILES.filter((_, at) => results[at]?.status === 'ok');
    // Preflight, a lock, deletion, a task that nobody ran, and runs that end before or go on after the guards never
    // come to what was changed.
    expect(same.map((file) => basename(file, '.json')).sort()).toEqual(UNGUARDED);
    for (const result of results.filter(({ status }) => status !== 'ok')) {
      expect(result).toMatchObject({ status: 'differs', difference: { event_id: expect.any(Number) } });
    }
    expect(results[FILES.indexOf(join('engine-1', 'call.json'))]).toMatchObject({
      difference: { event_id: 5, step: 'one', wanted: 'start a timer' },
    });
  }, 180_000);
});
