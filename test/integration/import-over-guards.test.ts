import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ability, abilityJson } from '../fixtures/called-command.js';
import { makeProject } from '../fixtures/project-folder.js';

const FILE = 'registry/hooks/claude/PreAbilityCall.yaml';
const AGENT = { CLAUDECODE: '1' };

function settings(...scripts: string[]): string {
  const hooks = scripts.map((script) => ({ type: 'command', command: `node .claude/hooks/${script}` }));
  return JSON.stringify({ hooks: { PreToolUse: [{ matcher: 'Bash', hooks }] } });
}

function guarded() {
  const project = makeProject({
    '.claude/hooks/one.cjs': 'process.exit(2);\n',
    '.claude/hooks/two.cjs': 'process.exit(2);\n',
    '.claude/settings.json': settings('one.cjs', 'two.cjs'),
    'sub/.claude/settings.json': settings('two.cjs'),
  });
  const options = (env = {}) => ({ cwd: project.root, env });
  return {
    project,
    guards: () => readFileSync(join(project.root, FILE), 'utf8'),
    imports: (args: string[], env = {}) =>
      abilityJson(['import', 'hooks', '--no-run', '--tools', ...args], options(env)),
    prints: (args: string[]) => ability(['import', 'hooks', '--no-run', '--tools', ...args], options()),
  };
}

test('an import that removes guards reports which; other settings with the same name remove none', async () => {
  const { project, guards, imports, prints } = guarded();
  try {
    expect(await imports(['.claude/settings.json'])).toMatchObject({ exitCode: 0, json: { removed: [], changed: [] } });
    const before = guards();
    // Another folder of the same project: its import would have the same name, but is a different import.
    const other = await imports(['sub/.claude/settings.json']);
    expect(other).toMatchObject({ exitCode: 2, json: { error: { code: 'import.not_ours' } } });
    expect(guards()).toBe(before);
    expect(await imports(['sub/.claude/settings.json', '--name', 'sub'])).toMatchObject({ exitCode: 0 });
    project.write({ '.claude/settings.json': settings('two.cjs') });
    expect((await prints(['.claude/settings.json', '--dry-run'])).stdout).toMatch(/Would be removed: one/);
    expect(guards()).toBe(before);
    expect((await prints(['.claude/settings.json'])).stdout).toMatch(/Now removed: one/);
    expect(guards()).not.toContain('id: one');
  } finally {
    project.remove();
  }
});

test('R-002-62: an agent can add guards by an import, but neither remove nor change one', async () => {
  const { project, guards, imports } = guarded();
  try {
    expect(await imports(['.claude/settings.json'], AGENT)).toMatchObject({ exitCode: 0 });
    const before = guards();
    expect(await imports(['.claude/settings.json'], AGENT)).toMatchObject({ exitCode: 0, json: { files: [] } });
    const refused = { exitCode: 4, json: { error: { code: 'import.by_agent' } } };
    project.write({ '.claude/settings.json': settings('two.cjs') });
    expect(await imports(['.claude/settings.json'], AGENT)).toMatchObject(refused);
    expect(await imports(['sub/.claude/settings.json', '--overwrite'], AGENT)).toMatchObject(refused);
    project.write({ '.claude/settings.json': settings('one.cjs', 'two.cjs').replace('"Bash"', '"Write"') });
    expect(await imports(['.claude/settings.json', '--overwrite'], AGENT)).toMatchObject(refused);
    project.write({ '.claude/settings.json': '{"hooks":{}}' });
    expect(await imports(['.claude/settings.json'], AGENT)).toMatchObject(refused);
    expect(guards()).toBe(before);
    project.write({ '.claude/hooks/three.cjs': 'process.exit(2);\n' });
    project.write({ '.claude/settings.json': settings('one.cjs', 'two.cjs', 'three.cjs') });
    expect(await imports(['.claude/settings.json'], AGENT)).toMatchObject({ exitCode: 0 });
    expect(guards()).toContain('id: three');
  } finally {
    project.remove();
  }
});
