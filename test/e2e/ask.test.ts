import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { atTerminal, CTRL_C, type Exchange } from '../fixtures/at-terminal.js';
import { ability, abilityJson } from '../fixtures/called-command.js';
import { makeProject, operation, type ProjectFolder, projectFile } from '../fixtures/project-folder.js';

let project: ProjectFolder;

beforeAll(() => {
  project = makeProject({
    'ability.yaml': projectFile(),
    ...operation('notes.delete', 'return { deleted: input.note_id };', {
      effects: 'write_idempotent',
      yaml: 'use_cases: ["Delete one note by its id"]\ninput_schema: { type: object, required: [note_id], properties: { note_id: { type: string } } }',
    }),
  });
});
afterAll(async () => {
  await ability(['down'], { cwd: project.root });
  project.remove();
});

async function typing(args: string[], ...exchanges: Exchange[]) {
  const { exitCode, screen } = await atTerminal(args, project.root, exchanges);
  return { exitCode, screen: stripVTControlCharacters(screen).replaceAll('\r', '') };
}
const sessionsOf = async () => {
  const { json } = await abilityJson(['task', 'list'], { cwd: project.root });
  return json.map(({ ability_id, status }: { ability_id: string; status: string }) => `${ability_id} ${status}`);
};

describe('ability ask at a terminal', () => {
  test('asks for missing input, shows the plan, and runs it after a yes (R-003-05, R-003-20)', async () => {
    const { exitCode, screen } = await typing(
      ['ask', 'delete a note please'],
      ['What is the note_id for notes.delete?', 'n-42\r'],
      ['Run notes.delete with note_id="n-42" in dev? (write idempotent) (yes or no)', 'yes\r'],
    );
    expect(exitCode).toBe(0);
    expect(screen).toMatch(/notes\.delete {2}write idempotent\n {2}note_id {2}"n-42"/);
    expect(screen).toMatch(/succeeded {2}notes\.delete v1/);
    // Each question is asked once.
    expect(screen.split('\n').filter((line) => /^[◇◆].*What is the note_id/.test(line)).length).toBeLessThanOrEqual(2);
    expect(await sessionsOf()).toEqual(['notes.delete succeeded']);
  });

  test('a no, or Ctrl-C, runs nothing', async () => {
    const no = await typing(['ask', 'delete the note with note_id n-1'], ['(yes or no)', 'no\r']);
    expect(no).toMatchObject({ exitCode: 0, screen: expect.stringContaining('Nothing was run.') });
    const left = await typing(['ask', 'delete the note with note_id n-2'], ['(yes or no)', CTRL_C]);
    expect(left).toMatchObject({ exitCode: 130, screen: expect.not.stringContaining('internal.error') });
    expect(await sessionsOf()).toEqual(['notes.delete succeeded']);
  });
});
