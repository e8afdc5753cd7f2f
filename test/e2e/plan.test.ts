import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ability, abilityJson } from '../fixtures/called-command.js';
import { LONG } from '../fixtures/extent.js';
import { makeProject, operation, type ProjectFolder, projectFile, workflow } from '../fixtures/project-folder.js';

let project: ProjectFolder;

beforeAll(() => {
  project = makeProject({
    'ability.yaml': projectFile(
      '{ dev: {}, prod: { protected: true, approve: [destructive], approvers: [bosses], quorum: 2 } }',
      'default_environment: dev\npeople: { bosses: [alice, bob] }\n',
    ),
    ...operation('util.echo', 'return input;', { yaml: 'hooks: { pre_call: [careful] }' }),
    ...operation('util.wipe', 'return {};', { effects: 'destructive' }),
    ...operation('util.secret', 'return {};', { script: ', env_profile: db' }),
    'registry/config/profiles.yaml': 'env_profiles: { db: { secrets: { PASSWORD: "env:PLAN_E2E_PASSWORD" } } }\n',
    'registry/hooks/PreAbilityCall.yaml':
      'hooks: [{ id: careful, handler: { expression: { confirm_if: "input.name == \'Ada\'", reason: Ada is dear. } } }, { id: in_sessions, blocking: true, match: { callers: [session] }, handler: { expression: { deny_if: "true", reason: No sessions. } } }]\n',
    ...workflow(
      'greet',
      `
input_schema: { type: object, required: [name], properties: { name: { type: string }, loud: { type: boolean, default: false } } }
steps:
  - { id: words, let: { text: "Hello \${{ input.name }}" } }
  - { id: shout, if: input.loud, call: util.echo, with: { name: "\${{ input.name }}" } }
  - { id: say, call: util.echo, with: { name: "\${{ input.name }}", text: "\${{ steps.words.output.text }}" } }
  - { id: after, if: steps.say.output.text != "", call: util.wipe, with: {} }
output: "\${{ steps.say.output.text }}"`,
    ),
    ...workflow('guarded', 'steps: [{ id: a, call: util.secret, with: {} }]'),
  });
});
afterAll(async () => {
  await ability(['down'], { cwd: project.root });
  project.remove();
});

const run = (args: string[], input?: string) =>
  ability(args, { cwd: project.root, ...(input !== undefined && { input }) });
const json = (args: string[], env: Record<string, string> = {}) => abilityJson(args, { cwd: project.root, env });

describe('ability plan', () => {
  test('shows a person what would happen, on one page, and starts nothing', async () => {
    const { exitCode, stdout, stderr } = await run(['plan', 'greet', '--set', 'name=Bob']);
    expect([exitCode, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^greet v1 in dev\n/);
    expect(stdout).toContain('- shout  call util.echo  skipped: `input.loud` is false');
    expect(stdout).toMatch(/▸ say {2}call util\.echo\n {6}with\n {8}name: Bob\n {8}text: Hello Bob\n/);
    expect(stdout).toContain('hook careful allows');
    expect(stdout).toContain('only if `steps.say.output.text != ""`, which depends on steps.say');
    expect(stdout).toMatch(/ability run greet --env dev --input '\{.*\}' --plan [0-9a-f]{64}\.[0-9a-f]{64}$/);
    expect(existsSync(join(project.root, '.system'))).toBe(false);
  });

  test('asks the hooks of the caller that the task would have: in a session, a session', async () => {
    const hooks = async (env?: Record<string, string>) =>
      (await json(['plan', 'util.wipe'], env)).json.steps[0].call.hooks;
    expect(await hooks()).toEqual([]);
    expect(await hooks({ ABILITY_SESSION: 's-1' })).toMatchObject([{ id: 'in_sessions', decision: 'deny' }]);
  });

  test('names the people who would be asked', async () => {
    const { stdout } = await run(['plan', 'greet', '--set', 'name=Ada', '--env', 'prod']);
    expect(stdout).toContain(
      'asks people: Ada is dear. (hook careful) 2 of bosses (alice, bob) decide; not the requester',
    );
    expect(stdout).toContain(
      'asks people: prod asks for approval of destructive calls. 2 of bosses (alice, bob) decide',
    );
  });

  test('prints one JSON value, the same each time', async () => {
    const args = ['plan', 'greet', '--input', '{"name": "Bob"}'];
    const [first, again] = [await json(args), await json(args)];
    expect(first).toMatchObject({ exitCode: 0, json: { format: 1, status: 'available', code: null } });
    expect(first.json).toMatchObject({ input: { name: 'Bob', loud: false }, placement: { where: 'local' } });
    expect(again.json).toEqual(first.json);
    expect(Object.keys(again.json)).toEqual(Object.keys(first.json));
  });

  test('takes its input from stdin or a file as `run` does, and refuses an invalid one with exit 2', async () => {
    expect((await run(['plan', 'greet', '--input', '-', '--json'], '{"name": "Eve"}')).stdout).toContain('Hello Eve');
    writeFileSync(join(project.root, 'in.json'), '{"name": "Eve"}');
    expect((await run(['plan', 'greet', '--input', '@in.json'])).stdout).toContain('Hello Eve');
    for (const wrong of [
      [],
      ['--set', 'loud=perhaps'],
      ['--input', '[1]'],
      ['--input', '{"__proto__": 1, "name": "x"}'],
    ]) {
      expect((await run(['plan', 'greet', ...wrong])).exitCode).toBe(2);
    }
    expect((await run(['plan', 'unknown'])).exitCode).toBe(2);
  });

  test('reports what preflight would refuse, with its code and exit 3, and never a secret', async () => {
    const missing = await json(['plan', 'guarded']);
    expect(missing).toMatchObject({ exitCode: 3, json: { status: 'unavailable', code: 'config.missing_credential' } });
    const there = await json(['plan', 'guarded'], { PLAN_E2E_PASSWORD: 'hush-hush-hush' });
    expect(there).toMatchObject({ exitCode: 0, json: { status: 'available' } });
    expect(there.stdout).not.toContain('hush-hush');
    const script = join(project.root, 'scripts/util.wipe.mjs');
    const before = readFileSync(script, 'utf8');
    project.write({
      'registry/low-level/util.wipe.yaml':
        'operation_key: util.wipe\nsummary: s\neffects: destructive\nimplementation: { kind: script, script: { path: scripts/gone.mjs } }\n',
    });
    const gone = await json(['plan', 'greet', '--set', 'name=x']);
    expect(gone).toMatchObject({ exitCode: 3, json: { status: 'unavailable', code: 'script.missing' } });
    project.write(operation('util.wipe', 'return {};', { effects: 'destructive' }));
    expect(readFileSync(script, 'utf8')).toBe(before);
  });
});

describe('ability run --plan', () => {
  const args = (...more: string[]) => ['run', 'greet', '--set', 'name=Bob', ...more];

  test(
    'runs a plan with any input under its digest, and only with the planned input under its reference',
    LONG,
    async () => {
      const planned = await json(['plan', 'greet', '--set', 'name=Bob']);
      const { digest, reference } = planned.json;
      writeFileSync(join(project.root, 'plan.json'), planned.stdout);
      const good = await json(args('--plan', reference));
      expect(good).toMatchObject({ exitCode: 0, json: { status: 'succeeded', output: 'Hello Bob', digest } });
      expect((await json(args('--plan', '@plan.json'))).exitCode).toBe(0);

      const other = await json(['run', 'greet', '--set', 'name=Eve', '--plan', reference]);
      expect(other).toMatchObject({ exitCode: 3, json: { status: 'unavailable', code: 'plan.changed' } });
      expect((await json(['run', 'greet', '--set', 'name=Eve', '--plan', digest])).exitCode).toBe(0);
    },
  );

  test('names the differences if the plan is at hand, and creates nothing', async () => {
    const planned = await json(['plan', 'greet', '--set', 'name=Bob']);
    const { digest, reference } = planned.json;
    writeFileSync(join(project.root, 'plan.json'), planned.stdout);
    const file = 'registry/high-level/greet.yaml';
    const before = readFileSync(join(project.root, file), 'utf8');
    project.write({ [file]: before.replace('Hello', 'Bye') });
    const refused = await run(args('--plan', '@plan.json', '--key', 'not-made'));
    expect(refused.exitCode).toBe(3);
    expect(refused.stderr).toMatch(
      /plan\.changed: .*nothing was created or changed\n.*steps\[0\]\.let\.text: "Hello .*" -> "Bye .*"/,
    );
    expect(existsSync(join(project.root, '.system/implement/not-made'))).toBe(false);
    expect((await run(args('--plan', reference))).stderr).toContain(
      'The definitions here are not those of the plan either',
    );
    expect((await json(['task', 'create', 'greet', '--set', 'name=Bob', '--plan', digest])).json.code).toBe(
      'plan.changed',
    );
    project.write({ [file]: before });
  });

  test('binds a created task to its plan', async () => {
    const { reference } = (await json(['plan', 'greet', '--set', 'name=Bob'])).json;
    const created = await json(['task', 'create', 'greet', '--set', 'name=Bob', '--plan', reference]);
    expect(created.json.status).toBe('available');
    const changed = await json(['task', 'set', created.json.task_key, 'name=Eve']);
    expect(changed).toMatchObject({ exitCode: 3, json: { code: 'plan.changed' } });
  });

  test('refuses an invalid digest before anything is started', async () => {
    const { exitCode, json: value } = await json(args('--plan', 'abc'));
    expect([exitCode, value.error.code]).toEqual([2, 'usage.invalid']);
  });
});
