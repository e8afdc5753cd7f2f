import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ENGINE } from '../../src/contracts/names.js';
import { END_STATES } from '../../src/contracts/states.js';
import { SANDBOX_FLAG } from '../../src/contracts/traces.js';
import { bundleFor, WORKFLOW_BUNDLE } from '../../src/worker/create-workers.js';
import { readHistoryFile } from '../../src/worker/replay/read-history-file.js';
import { type ReplayEnd, replayHistories } from '../../src/worker/replay/replay-history.js';

const FOLDER = fileURLToPath(new URL('../histories', import.meta.url));
const FILES = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.json'));

/** The result of replaying each recorded history with the workflows of a build; one worker replays them all. */
async function replayAll(workflowBundle?: string): Promise<Map<string, ReplayEnd>> {
  const recorded = FILES.map((file) => ({ ...readHistoryFile(join(FOLDER, file)), name: file }));
  const ends = new Map<string, ReplayEnd>();
  for await (const end of replayHistories(recorded, { workflowBundle })) ends.set(end.name, end);
  return ends;
}

/** The constructs of which this engine must have a history. */
const CONSTRUCTS = `
approval call changed-then-run child comment-on-deny concurrency concurrency-newest concurrency-refused
concurrency-token concurrency-waiting continue-as-new continue-as-new-failed continue-as-new-files
continue-as-new-last-turn continue-as-new-link continue-on-error created-then-run deleted delivery delivery-refused end expression-hooks
fail fast-operation files finally-on-group firing firing-refused foreach-last-turn foreach-parallel foreach-sequential if-skipped let
link moved on-error operation outside parallel parallel-cut pause-resume payload-in-store plan-apart race race-cut
race-cut-allowed refused refused-outside repeat repeat-last-turn retry-if retry-on-group script-before-creation
script-hooks shown-guards switch template timeout-cut
timeout-on-group undo undo-of-unusable-answer wait-signal wait-time wait-until
`;

test('this engine has a history of every end state of a task', () => {
  const ends = FILES.filter((file) => file.startsWith(`engine-${ENGINE}`)).map(
    (file) => JSON.parse(readFileSync(join(FOLDER, file), 'utf8')).status,
  );
  expect(new Set(ends.filter((end) => end !== undefined))).toEqual(new Set(END_STATES));
});

test.each(CONSTRUCTS.trim().split(/\s+/))('this engine has a history of %s', (name) => {
  expect(FILES).toContain(join(`engine-${ENGINE}`, `${name}.json`));
});

test('no recorded history contains a path or a host of the machine it was made on', () => {
  for (const file of FILES) {
    const text = readFileSync(join(FOLDER, file), 'utf8');
    const payloads = [...text.matchAll(/"data": "([^"]+)"/g)].map(([, data]) =>
      Buffer.from(data ?? '', 'base64').toString(),
    );
    for (const part of [text, ...payloads]) expect(part).not.toMatch(/"(\/(home|root|work|tmp|Users)\/|file:\/\/)/);
  }
});

describe('a recorded history', () => {
  let ends: Map<string, ReplayEnd>;
  beforeAll(async () => {
    ends = await replayAll();
  });

  test.each(FILES)('%s replays with the current interpreter', (file) => {
    expect(ends.get(file)).toMatchObject({ status: 'ok' });
  });
});

describe('while traces are written (issue 15, item 6)', () => {
  const bundle = join(tmpdir(), `traced-${process.pid}-${Date.now()}.cjs`);
  let ends: Map<string, ReplayEnd>;
  beforeAll(async () => {
    writeFileSync(bundle, (bundleFor(WORKFLOW_BUNDLE, [SANDBOX_FLAG]) as { code: string }).code);
    ends = await replayAll(bundle);
  });
  afterAll(() => rmSync(bundle, { force: true }));

  test.each(FILES)('%s replays as well', (file) => {
    expect(ends.get(file)).toMatchObject({ status: 'ok' });
  });
});
