import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { retryTask } from '../../src/client/index.js';
import { agent, modelProgram, models } from '../fixtures/agents.js';
import { retryBy } from '../fixtures/caller.js';
import { operation, projectFile } from '../fixtures/project-folder.js';
import { type RunningProject, runProject } from '../fixtures/running-project.js';

let project: RunningProject;

beforeAll(async () => {
  project = await runProject({
    'ability.yaml': projectFile('{ dev: {} }', models({ breaks: '' })),
    ...operation('note.add', 'appendFileSync("notes", `${input.n}\\n`); return { n: input.n };', {
      effects: 'write_additive',
    }),
    ...modelProgram(
      'breaks',
      `if (told.length === 2) {
         if (!existsSync('mended')) process.exit(4);
       }
       return told.length < 4 ? ask('note_add', { n: told.length }) : JSON.stringify({ results: told.length, seen: messages.length });`,
    ),
    ...agent('noter', 'model: breaks\noperations: [note.add]'),
  });
  project.write({
    'scripts/models/breaks.mjs': `import { existsSync } from 'node:fs';\n${readFileSync(join(project.root, 'scripts/models/breaks.mjs'), 'utf8')}`,
  });
});
afterAll(() => project.stop());

const notes = (): string[] => {
  const file = join(project.root, 'notes');
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
};

describe('an agent that failed', () => {
  test('is retried from where it stopped, with the whole conversation, and repeats no call', async () => {
    const first = await project.run('noter', { request: 'Note four things.' });
    expect(first).toMatchObject({
      status: 'failed',
      error: { code: 'script.exit', step: 'model' },
      agent: { calls: 2 },
    });
    expect(notes()).toEqual(['0', '1']);
    project.write({ mended: 'yes' });
    const { id } = await retryTask(project.connection, first.task_key as string, {
      ...retryBy(),
      run: true,
    });
    const end = await project.wait(id);
    expect(end).toMatchObject({ kind: 'ended', result: { status: 'succeeded', agent: { calls: 4 } } });
    if (end.kind === 'ended') expect(JSON.parse(end.result.output as string)).toMatchObject({ results: 4 });
    expect(notes()).toEqual(['0', '1', '2', '3']);
  });
});
