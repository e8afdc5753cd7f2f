import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { atTerminal, CTRL_C, type Exchange } from '../fixtures/at-terminal.js';
import { ability } from '../fixtures/called-command.js';
import { makeProject, operation, type ProjectFolder, projectFile } from '../fixtures/project-folder.js';

let project: ProjectFolder;
const request = (name: string) => {
  const plan = [{ id: 'w', ability_id: 'notes.write', input: { name } }];
  return JSON.stringify({
    prompt: 'Write it',
    provider: { scripted: [{ plan }, { plan: [], answer: 'It is written.' }] },
  });
};

beforeAll(() => {
  project = makeProject({
    'ability.yaml': projectFile(),
    ...operation('notes.write', "writeFileSync(input.name, ''); return 1;", { effects: 'write_additive' }),
    'registry/hooks/PromptSubmit.yaml':
      'hooks: [{ id: r, blocking: true, handler: { script: { path: scripts/risk.mjs } } }]',
    'scripts/risk.mjs': "console.log(JSON.stringify({ hook_signals: { risk_alert: 'This touches all notes' } }));",
    'yes.json': request('one'),
    'no.json': request('two'),
    'left.json': request('three'),
  });
});
afterAll(async () => {
  await ability(['down'], { cwd: project.root });
  project.remove();
});

const QUESTION = 'Go on? (yes or no)';
async function typing(args: string[], ...exchanges: Exchange[]) {
  const { exitCode, screen } = await atTerminal(['agent', ...args], project.root, exchanges);
  return { exitCode, screen: stripVTControlCharacters(screen).replaceAll('\r', '') };
}

describe('ability agent at a terminal', () => {
  test('reports the risk and the calls, and continues after a yes; --yes is not enough (R-002-44)', async () => {
    const { exitCode, screen } = await typing(['--request', 'yes.json', '--yes'], [QUESTION, 'yes\r']);
    expect(exitCode).toBe(0);
    expect(screen).toContain('plan 1\n  w  notes.write');
    expect(screen).toContain('warning This touches all notes\n  notes.write  {"name":"one"}');
    expect(screen).toMatch(/done\n {2}w {2}succeeded {2}notes\.write {2}\S+\.t1\.1\nIt is written\./);
    expect(existsSync(join(project.root, 'one'))).toBe(true);
  });

  test('a no, or Ctrl-C, runs nothing (R-002-44)', async () => {
    const no = await typing(['--request', 'no.json'], [QUESTION, 'no\r']);
    expect(no).toMatchObject({ exitCode: 4, screen: expect.stringContaining('planner.declined') });
    const left = await typing(['--request', 'left.json'], [QUESTION, CTRL_C]);
    expect(left).toMatchObject({ exitCode: 130, screen: expect.not.stringContaining('internal.error') });
    expect(['two', 'three'].filter((name) => existsSync(join(project.root, name)))).toEqual([]);
  });
});
