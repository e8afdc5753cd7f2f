import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { agent, modelProgram, models } from '../fixtures/agents.js';
import { operation, projectFile } from '../fixtures/project-folder.js';
import { type RunningProject, runProject } from '../fixtures/running-project.js';
import { newRunAfter, startTemporal, type TestServer } from '../fixtures/temporal-server.js';

const TURNS = 24;
let server: TestServer;
let project: RunningProject;

beforeAll(async () => {
  server = await startTemporal({ settings: newRunAfter(60) });
  project = await runProject(
    {
      'ability.yaml': projectFile('{ dev: {} }', models({ counts: 'context: 4000', steady: '' })),
      ...operation(
        'note.add',
        'appendFileSync("notes", `${input.n}\\n`); return { n: input.n, pad: "p".repeat(300) };',
        {
          effects: 'write_additive',
        },
      ),
      ...modelProgram(
        'counts',
        `const all = Number((/counted (\\d+)/.exec(messages.findLast(({ role }) => role === 'assistant')?.content ?? '') ?? [])[1] ?? 0);
         if (all < ${TURNS}) return ask('note_add', { n: all }, 'counted ' + (all + 1));
         return JSON.stringify({ all, first: messages[0].content, seen: messages.length, note });`,
      ),
      ...agent('counter', 'model: counts\noperations: [note.add]\nlimits: { max_turns: 100 }'),
      ...modelProgram('steady', `return told.length < 100 ? ask('note_add', { n: told.length }) : 'done';`),
      ...agent('steady', 'model: steady\noperations: [note.add]\nlimits: { max_turns: 200, max_calls: 200 }'),
    },
    server,
  );
});
afterAll(async () => {
  await project.stop();
  await server.stop();
});

const notes = (): string[] => {
  const file = join(project.root, 'notes');
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
};

describe('an agent of many turns', () => {
  test('continues as a new run with the whole conversation, within its context, and repeats no call', async () => {
    const result = await project.run('counter', { request: 'Count to the end.' });
    expect(result).toMatchObject({ status: 'succeeded', agent: { turns: TURNS + 1, calls: TURNS } });
    expect(notes()).toEqual(Array.from({ length: TURNS }, (_, n) => String(n)));
    const answer = JSON.parse(result.output as string);
    expect(answer).toMatchObject({ all: TURNS, first: 'Count to the end.' });
    expect(result.steps).toMatchObject([
      { path: 'turns', items: { total: TURNS + 1, succeeded: TURNS + 1 } },
      { path: 'turns/*/model', turns: TURNS + 1 },
      { path: 'turns/*/calls', items: { total: TURNS, succeeded: TURNS } },
      { path: 'turns/*/calls/*/note_add', turns: TURNS },
    ]);
    const { temporal } = project.connection;
    const { raw } = await temporal.workflow.getHandle(result.task_key as string).describe();
    expect(raw.workflowExecutionInfo?.firstRunId).not.toBe(raw.workflowExecutionInfo?.execution?.runId);
  });
});
