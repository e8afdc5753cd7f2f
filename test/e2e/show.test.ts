import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { ability } from '../fixtures/called-command.js';
import { makeProject, operation } from '../fixtures/project-folder.js';

const EXAMPLE = fileURLToPath(new URL('../..', import.meta.url));
const project = makeProject({
  ...operation('greet', 'return { text: input.name };'),
  'registry/low-level/greet.yaml': [
    'operation_key: greet',
    'version: 3',
    'summary: Greets a person.',
    'use_cases: [a first ability, "\\e[2J a terminal that is wiped"]',
    'notes: May be repeated.',
    'scope: { modules: [hello.world] }',
    'routing_hints: { keywords: [hello], negative_keywords: [bye], scopes: ["modules/*"], notes: Try it. }',
    'effects: read',
  ].join('\n'),
  'registry/implementations/slow.yaml': [
    'id: slow',
    'operation_key: greet',
    'summary: The patient one.',
    'kind: script',
    'script: { path: scripts/greet.mjs }',
    'defaults: { style: warm, tone: low }',
    'overridable: [tone]',
    'tags: [experimental, high-cost]',
    'limitations: Not before noon.',
  ].join('\n'),
  'registry/config/c.yaml':
    'abilities: [{ id: greet, environments: { dev: { prompts: { name: "Use a first name." }, defaults: { style: cool } } } }]',
});
afterAll(() => project.remove());

test('R-000-27, R-000-46, R-000-53: `show` prints every field of an operation and of its implementation', async () => {
  const { stdout, stderr, exitCode } = await ability(['show', 'greet'], { cwd: project.root });
  expect(exitCode).toBe(0);
  for (const line of [
    'greet v3',
    'Greets a person.',
    'modules: hello.world',
    'effects: read',
    'use case: a first ability',
    'use case: \\u001b[2J a terminal that is wiped',
    'notes: May be repeated.',
    'keywords: hello',
    'not for: bye',
    'suggested in: modules/*',
    'hint: Try it.',
    '    summary: The patient one.',
    '    tags: experimental, high-cost',
    '    default style: "cool", not to be overridden',
    '    default tone: "low"',
    '    limitations: Not before noon.',
    '    prompt name: Use a first name.',
  ]) {
    expect(stdout.split('\n')).toContain(line);
  }
  expect(stderr).toMatch(/slow of greet is experimental/);
});

test('R-000-37, R-000-38: `show` prints scenarios, examples, constraints and limits of a workflow', async () => {
  const { stdout } = await ability(['show', 'signup_e2e_test', '--env', 'staging'], { cwd: EXAMPLE });
  expect(stdout).toMatch(/^scenario: Run signup E2E regression for the latest build\.$/m);
  expect(stdout).toMatch(/^example: \{"input":\{"build_id":"1234"\},"output":\{"status":"success"/m);
  expect(stdout).toMatch(/^constraint environment: staging only; the build must be deployed there$/m);
  expect(stdout).toMatch(/^may call: db\.write\.user_row, /m);
  expect(stdout).toMatch(/^time-out: 10m$/m);
});

test('`show --json` has the definition and the plan, including prompts', async () => {
  const { stdout } = await ability(['show', 'greet', '--json'], { cwd: project.root });
  expect(JSON.parse(stdout)).toMatchObject({
    definition: { use_cases: ['a first ability', expect.any(String)], notes: 'May be repeated.' },
    plan: {
      operations: {
        greet: { implementation: { prompts: { name: 'Use a first name.' }, defaults: { style: 'cool' } } },
      },
    },
  });
});

test('R-002-01, C-50: an ability that is not stable, or has no steps, is shown, and running it reports that', async () => {
  const old = makeProject({
    ...operation('old', 'return input;', { yaml: 'status: deprecated\nreplaced_by: fresh' }),
    ...operation('fresh', 'return input;'),
    'registry/high-level/later.yaml': 'id: later\ntype: workflow\nsummary: To come.\nstatus: experimental\n',
  });
  try {
    const call = (...args: string[]) => ability(args, { cwd: old.root });
    const { stdout } = await call('list');
    expect(stdout).toMatch(/ENVIRONMENTS +STATUS +SUMMARY/);
    expect(stdout).toMatch(/^old .* deprecated, replaced by fresh +The operation old/m);
    expect(stdout).toMatch(/^later .* experimental, no steps +To come\./m);
    expect(JSON.parse((await call('list', '--json')).stdout)).toMatchObject([
      { id: 'later', status: 'experimental', runnable: false },
      { id: 'fresh', runnable: true },
      { id: 'old', status: 'deprecated', replaced_by: 'fresh', runnable: true },
    ]);
    const shown = await call('show', 'old');
    expect(shown.stdout).toMatch(/^status: deprecated, replaced by fresh$/m);
    expect(shown.stderr).toMatch(/warning.* The ability old is deprecated; use fresh instead/);
    expect((await call('show', 'later')).stderr).toMatch(/In dev it cannot run:[\s\S]*ability\.no_steps/);
    expect((await call('plan', 'old')).stdout).toMatch(/^status: deprecated, replaced by fresh$/m);
    expect(await call('run', 'later')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringMatching(/ability\.no_steps/),
    });
  } finally {
    old.remove();
  }
});
