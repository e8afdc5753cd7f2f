import { availableParallelism } from 'node:os';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findThread, listThreads } from '../../src/worker/workflow-threads.js';
import { shellOperation, workflow } from '../fixtures/project-folder.js';
import { type RunningProject, runProject } from '../fixtures/running-project.js';

const FILES = {
  'ability.yaml': 'format: 1\nproject: threads\nenvironments: { dev: {}, test: {}, prod: {} }\n',
  ...shellOperation('util.echo', 'printf \'%s\' "$1"', { args: ['"${{ input.text }}"'], output: 'text' }),
  ...workflow(
    'app.ask',
    'steps: [{ id: echo, call: util.echo, with: { text: "${{ input.text }}" } }]\noutput: ${{ steps.echo.output }}',
  ),
};
const PLACES = ['local', 'cloud'] as const;

let project: RunningProject;
beforeAll(async () => {
  project = await runProject(FILES, { placements: PLACES });
});
afterAll(() => project.stop());

const served = () => listThreads().flat().sort();
const ask = (environment: string, text: string) => project.run('app.ask', { text }, { environment });

describe('the threads that execute workflows', () => {
  test('are the ones of this build, for the SDK that it was built from only', () => {
    expect(findThread()).toMatch(/dist\/workflow-thread-[\d.]+\.cjs$/);
    expect(findThread('0.0.1')).toBeUndefined();
  });

  test('are as many as processors at most, and execute the workflows of all workers between them', async () => {
    expect(served()).toHaveLength(6);
    expect(listThreads().length).toBeLessThanOrEqual(availableParallelism());
    const results = await Promise.all(['dev', 'test', 'prod'].map((name) => ask(name, name)));
    expect(results.map(({ output }) => output)).toEqual([{ text: 'dev' }, { text: 'test' }, { text: 'prod' }]);
  });

  test('are not shared by two workers of a queue, which may have the same run', async () => {
    const before = served();
    const other = await runProject(FILES, { placements: PLACES });
    const both = listThreads();
    await other.stop();
    for (const queues of both) expect(new Set(queues).size).toBe(queues.length);
    expect(served()).toEqual(before);
  });

  test('go from workers that ended to the next ones, with nothing left of what was before', async () => {
    await ask('dev', 'one');
    const before = listThreads().length;
    await project.stopWorkers();
    expect(served()).toEqual([]);
    expect(listThreads()).toHaveLength(before);
    await project.restartWorkers();
    expect(listThreads()).toHaveLength(before);
    expect((await ask('dev', 'two')).output).toEqual({ text: 'two' });
  });
});
