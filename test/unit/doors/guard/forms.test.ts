import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runGuard } from '../../../../src/doors/guard/run-guard.js';
import { makeProject, type ProjectFolder } from '../../../fixtures/project-folder.js';
import { BYPASSES, FORM_FILES, type Form, HARMLESS, HARMLESS_TOOLS } from './forms.js';
import { claudeCall, FILES } from './guarded-project.js';

let project: ProjectFolder;
beforeAll(() => {
  project = makeProject({ ...FILES, ...FORM_FILES });
  symlinkSync(join(project.root, '.system'), join(project.root, 'state'));
  symlinkSync(join(project.root, 'registry'), join(project.root, 'r'));
  mkdirSync(join(project.root, 'node_modules'));
});
afterAll(() => project.remove());

async function answerOf({ call }: Form): Promise<{ answer: Form['expected']; said: string }> {
  const { tool, input } = typeof call === 'string' ? { tool: 'Bash', input: { command: call } } : call;
  const given = JSON.parse(JSON.stringify(input).replaceAll('ROOT', project.root)) as object;
  const text = JSON.stringify(claudeCall(tool, given, project.root));
  const env = { HOME: '/home/nobody', PATH: '/usr/bin' };
  const { exit, stdout, stderr } = await runGuard({
    tool: 'claude',
    root: project.root,
    environment: undefined,
    env,
    text,
  });
  const isAsked = stdout.includes('"permissionDecision":"ask"');
  return { answer: exit === 2 || isAsked ? 'no' : 'pass', said: `${stderr}${isAsked ? stdout : ''}` };
}

const nameOf = ({ call }: Form): string =>
  typeof call === 'string' ? call : `${call.tool} ${JSON.stringify(call.input)}`;

describe('no form of a command or call leads past the guard (R-002-57, R-002-58, R-000-96)', () => {
  test.each(BYPASSES.map((form) => [form.why, nameOf(form), form] as const))('%s: %s', async (_, _name, form) => {
    const { answer, said } = await answerOf(form);
    expect(answer).toBe('no');
    expect(said).not.toContain('guard failed');
  });
});

describe('ordinary commands and calls pass', () => {
  test.each([...HARMLESS, ...HARMLESS_TOOLS].map((form) => [nameOf(form), form] as const))('%s', async (_, form) => {
    expect(await answerOf(form)).toEqual({ answer: 'pass', said: '' });
  });
});

test('the table has 300 forms to stop, each once, and 40 ordinary commands', () => {
  const names = BYPASSES.map(nameOf);
  expect(new Set(names).size).toBe(names.length);
  expect(names.length >= 300).toBe(true);
  expect(HARMLESS.length).toBe(40);
});
