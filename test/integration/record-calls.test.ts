import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { removeExpired } from '../../src/activities/record/remove-expired.js';
import { changeInput, explainTask, listTasks, retryTask, runTask, viewTask } from '../../src/client/index.js';
import type { TaskRecord } from '../../src/contracts/record.js';
import { mendRecord } from '../../src/operations/read-record.js';
import { retryBy } from '../fixtures/caller.js';
import { LONG } from '../fixtures/extent.js';
import { type Flows, startFlows } from '../fixtures/flows.js';
import { operation, projectFile } from '../fixtures/project-folder.js';
import { TEST_KEYS } from '../fixtures/running-project.js';

const ANN = { name: 'ann', source: 'claimed' } as const;

const SECRET = 'open-sesame-4711';

let flows: Flows;
const savedKeys = process.env.ABILITY_SEAL_KEYS;

beforeAll(async () => {
  process.env.ABILITY_SEAL_KEYS = TEST_KEYS;
  flows = await startFlows({
    'ability.yaml': projectFile('{ dev: {} }', 'policy: { direct_records: { keep: 7d } }\n'),
    '.env.dev': `TOKEN=${SECRET}\n`,
    'registry/hooks/PostAbilityCall.yaml':
      'hooks: [{ id: looks, handler: { script: { path: hooks/looks.mjs } }, match: { abilities: [util.seen] } }]\n',
    'hooks/looks.mjs': `import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
const context = JSON.parse(readFileSync(0, 'utf8'));
const folder = '.system/implement';
const key = readdirSync(folder).find((name) => JSON.stringify(context).includes(name));
const { result } = JSON.parse(readFileSync(folder + '/' + key + '/record.json', 'utf8'));
writeFileSync('looked.json', JSON.stringify({ result, context }));
console.log(JSON.stringify({ warnings: ['looked'] }));
`,
    ...operation('util.seen', 'return { seen: 1 };'),
    ...operation('util.leak', 'return { leaked: process.env.TOKEN };', {
      script: ', env: { TOKEN: "env:TOKEN" }',
    }),
  });
});
afterAll(async () => {
  await flows.project.stop();
  if (savedKeys === undefined) delete process.env.ABILITY_SEAL_KEYS;
  else process.env.ABILITY_SEAL_KEYS = savedKeys;
});

const folderOf = (name: string): string => join(flows.project.root, '.system/implement', name);
const recordOf = (name: string): TaskRecord =>
  JSON.parse(readFileSync(join(folderOf(name), 'record.json'), 'utf8')) as TaskRecord;
const textOf = (name: string): string => readFileSync(join(folderOf(name), 'tool_call.md'), 'utf8');

const CALLS = `
steps:
  - { id: leak, call: util.leak, with: {} }
  - { id: echo, call: util.echo, with: { text: "\${{ steps.leak.output.leaked }}", long: "\${{ input.long }}" } }
  - { id: bad, call: util.fail, with: { why: broken }, continue_on_error: true }`;

describe.each([
  ['beside its history', CALLS],
  ['by its last activity', `${CALLS}\noutput_schema: { type: "null" }`],
])('a task whose record is written %s', (_, yaml) => {
  test('R-000-86, R-002-34: shows the input and output of each call, masked and truncated, and which script ran', async () => {
    const result = await flows.run(yaml, { long: 'x'.repeat(9000) });
    const key = result.task_key as string;
    const { calls = [], ...record } = recordOf(key);
    const script = { kind: 'script', script: 'scripts/util.echo.sh', digest: expect.stringMatching(/^[0-9a-f]{64}$/) };
    expect(calls).toMatchObject([
      { path: 'leak', call: 'util.leak', given: { value: {} }, gave: { value: { leaked: '***' } } },
      { path: 'echo', runs: script, given: { start: expect.stringContaining('***') }, gave: { characters: 9000 + 37 } },
      { path: 'bad', given: { value: { why: 'broken' } }, error: { code: 'script.exit' } },
    ]);
    expect(record).not.toHaveProperty('calls_left_out');
    expect(JSON.stringify(calls)).not.toContain(SECRET);
    expect(textOf(key)).toMatch(/### `leak`: `util\.leak`\n\nScript: `scripts\/util\.leak\.mjs`, SHA-256 [0-9a-f]{64}/);
  });

  test('is identical when written again from the history, including its creation time', async () => {
    const { connection } = flows.project;
    const { id } = await flows.project.create(flows.define(yaml), { long: 'x' }, { run: false, intent: 'to see' });
    await runTask(connection, id);
    await flows.project.wait(id);
    const before = { record: recordOf(id), text: textOf(id) };
    expect(before.record).toMatchObject({ intent: 'to see', calls: [{}, {}, {}] });
    rmSync(folderOf(id), { recursive: true });
    await mendRecord({ ...connection, isOwnRuntime: true }, id, await viewTask(connection, id));
    expect({ record: recordOf(id), text: textOf(id) }).toEqual(before);
  });
});

test('R-000-86: steps without calls are recorded as well, with their status and their output', async () => {
  const result = await flows.run(`
steps:
  - { id: named, let: { n: 7 } }
  - { id: pause, wait: 1ms }
  - { id: bad, fail: { code: no_luck, message: not today }, continue_on_error: true }
  - { id: off, let: { n: 8 }, if: "false" }`);
  const key = result.task_key as string;
  expect(recordOf(key).steps).toMatchObject([
    { path: 'named', verb: 'let', status: 'succeeded', gave: { value: { n: 7 } } },
    { path: 'pause', verb: 'wait', status: 'succeeded' },
    { path: 'bad', verb: 'fail', status: 'failed', error: { code: 'no_luck', message: 'not today' } },
    { path: 'off', verb: 'let', status: 'skipped' },
  ]);
  expect(textOf(key)).toMatch(/## Steps without calls\n\n`named` \(let\): succeeded, gave:/);
});

test('R-000-86: steps of loop turns that ran are recorded as well, masked, up to one hundred', async () => {
  const result = await flows.run(
    `
steps:
  - id: all
    foreach: "[1, 2, 3]"
    as: n
    steps:
      - { id: named, let: { n: "\${{ n }}", text: "\${{ input.text }}" } }
      - { id: odd, let: { yes: true }, if: "n == 2" }
      - { id: bad, fail: { code: no_luck, message: not today }, if: "n == 3", continue_on_error: true }
  - { id: last, let: { m: 1 } }
  - { id: leak, call: util.leak, with: {} }`,
    { text: SECRET },
  );
  const record = recordOf(result.task_key as string);
  const named = (n: number) => ({ path: `all/${n - 1}/named`, verb: 'let', gave: { value: { n, text: '***' } } });
  expect(record.steps).toMatchObject([
    { path: 'last', status: 'succeeded' },
    named(1),
    named(2),
    { path: 'all/1/odd', status: 'succeeded', gave: { value: { yes: true } } },
    named(3),
    { path: 'all/2/bad', status: 'failed', error: { code: 'no_luck', message: 'not today' } },
  ]);
  expect(record).not.toHaveProperty('steps_left_out');
});

test('R-000-86: steps beyond one hundred are counted', async () => {
  const result = await flows.run(
    `
steps:
  - { id: all, foreach: input.items, as: n, steps: [{ id: named, let: { n: "\${{ n }}" } }] }`,
    {
      items: Array.from({ length: 130 }, (_, n) => n),
    },
  );
  const record = recordOf(result.task_key as string);
  expect(record.steps).toHaveLength(100);
  expect(record.steps_left_out).toBe(30);
});

test('R-000-86: known secrets are masked in the input and the output of the task itself', async () => {
  const yaml = `
steps: [{ id: leak, call: util.leak, with: {} }]
output: "\${{ steps.leak.output.leaked }}"`;
  const result = await flows.run(yaml, { text: `it is ${SECRET}` });
  const key = result.task_key as string;
  expect(recordOf(key)).toMatchObject({ input: { text: 'it is ***' }, result: { output: '***' } });
  expect(readFileSync(join(folderOf(key), 'record.json'), 'utf8') + textOf(key)).not.toContain(SECRET);
});

test('R-000-75: a hook after a call gets its outcome, the record is written with its answer, then the result is returned', async () => {
  const result = await flows.run('steps: [{ id: seen, call: util.seen, with: {} }]');
  const looked = JSON.parse(readFileSync(flows.file('looked.json'), 'utf8'));
  expect(looked.result).toBeNull();
  expect(JSON.stringify(looked.context)).toContain('"seen":1');
  const answer = { hook_id: 'looks', phase: 'PostAbilityCall', path: 'seen' };
  expect(result.hooks).toMatchObject([answer]);
  expect(recordOf(result.task_key as string).result?.hooks).toMatchObject([answer]);
});

test('a called workflow is recorded as a call, and its own record has its calls', async () => {
  const child = flows.define(
    'steps: [{ id: echo, call: util.echo, with: { n: "${{ input.n }}" } }]\noutput: "${{ input.n }}"',
  );
  const { task_key: key } = await flows.run(`steps: [{ id: inner, call: ${child}, with: { n: 3 } }]`);
  const task = `${key}/inner`;
  expect(recordOf(key as string).calls).toEqual([
    { path: 'inner', call: child, runs: { kind: 'workflow', task }, given: { value: { n: 3 } }, gave: { value: 3 } },
  ]);
  expect(recordOf(`${key}/children/inner`).calls).toMatchObject([{ path: 'echo', given: { value: { n: 3 } } }]);
});

test('a loop over many items lists the first ones, and the text states how many are omitted', LONG, async () => {
  const { task_key: key } = await flows.run(
    'steps: [{ id: each, foreach: input.all, as: n, max_parallel: 20, steps: [{ id: echo, call: util.echo, with: {} }] }]',
    { all: Array.from({ length: 105 }, (_, n) => n) },
  );
  expect(recordOf(key as string)).toMatchObject({ calls_left_out: 5 });
  expect(recordOf(key as string).calls).toHaveLength(100);
  expect(textOf(key as string)).toContain('5 more calls are not listed');
});

test('R-000-86: the intent is stored in show, why, list, the record and a retry; without one nothing is stored', async () => {
  const { connection } = flows.project;
  const yaml = 'steps: [{ id: bad, call: util.fail, with: { why: no } }]';
  const ability = flows.define(yaml);
  const { task_key } = await flows.project.run(ability, {}, { intent: 'Renew | the *certificate*' });
  const key = task_key as string;
  const intent = 'Renew | the *certificate*';
  expect((await viewTask(connection, key)).result.intent).toBe(intent);
  expect((await explainTask(connection, key)).intent).toBe(intent);
  await expect.poll(async () => (await listTasks(connection, { ability, limit: 9 }))[0]?.intent).toBe(intent);
  expect(recordOf(key).intent).toBe(intent);
  expect(textOf(key)).toContain('| Intent | Renew \\| the \\*certificate\\* |');
  const again = await retryTask(connection, key, { ...retryBy(ANN), run: true });
  await flows.project.wait(again.id);
  expect(recordOf(again.id).intent).toBe(intent);
  const { task_key: other } = await flows.project.run(ability);
  expect(recordOf(other as string)).not.toHaveProperty('intent');
  expect((await viewTask(connection, other as string)).result).not.toHaveProperty('intent');
});

test(
  'C-35: the run of a task is in its record and in those of the tasks it calls, and stays when its input is changed',
  LONG,
  async () => {
    const { project } = flows;
    const child = flows.define('steps: [{ id: a, let: { x: 1 } }]');
    const ability = flows.define(`input_schema: { type: object }\nsteps: [{ id: down, call: ${child} }]`);
    const { id } = await project.create(ability, {}, { run: false, inRun: 'r-1' });
    expect(recordOf(id).run).toBe('r-1');
    const by = { name: 'ann', source: 'claimed' } as const;
    expect(await changeInput(project.connection, id, { set: { n: 1 }, unset: [], by })).toMatchObject({
      changed: true,
    });
    await runTask(project.connection, id);
    await project.wait(id);
    expect(recordOf(id)).toMatchObject({ run: 'r-1', input: { n: 1 }, result: { status: 'succeeded' } });
    const below = join(folderOf(id), 'children/down/record.json');
    expect(JSON.parse(readFileSync(below, 'utf8'))).toMatchObject({ run: 'r-1' });
    expect(textOf(id)).toContain('| Run | r-1 |');
    const { task_key: other } = await project.run(child);
    expect(recordOf(other as string)).not.toHaveProperty('run');
    await expect(project.create(ability, {}, { inRun: '../r-1' })).rejects.toMatchObject({ code: 'usage.invalid' });
  },
);

test('created_at is the same in the record and in why, and a retry does not change it', async () => {
  const { connection } = flows.project;
  const { id } = await flows.project.create(flows.define('steps: [{ id: a, call: util.fail, with: {} }]'));
  await flows.project.wait(id);
  const { created_at } = recordOf(id);
  expect((await explainTask(connection, id)).created_at).toBe(created_at);
  await flows.project.wait((await retryTask(connection, id, { ...retryBy(ANN), run: true })).id);
  expect(recordOf(id).created_at).toBe(created_at);
});

test('R-000-78: a direct run writes a record if the configuration says so, and the record is removed when it expires', async () => {
  const { id } = await flows.project.create(flows.define(CALLS), { long: 'x' }, { direct: true });
  const end = await flows.project.wait(id);
  const name = `.direct/${id.slice('direct:'.length)}`;
  expect(end).toMatchObject({ kind: 'ended', result: { task_key: null, links: { record: folderOf(name) } } });
  const record = recordOf(name);
  expect(record).toMatchObject({ task_key: id, result: { status: 'succeeded' }, calls: [{}, {}, {}] });
  expect(existsSync(join(folderOf(name), 'logs'))).toBe(true);
  const after = Date.parse(record.expires_at as string);
  expect(after - Date.parse(record.created_at)).toBeLessThanOrEqual(7 * 86_400_000);
  const records = join(flows.project.root, '.system/implement');
  expect(removeExpired(records, after - 1)).toBe(0);
  expect(removeExpired(records, after)).toBe(1);
  expect(existsSync(folderOf(name))).toBe(false);
});

test('R-000-78: without that configuration a direct run writes no record', async () => {
  const file = join(flows.project.root, 'ability.yaml');
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, text.replace(/policy:.*\n/, ''));
  try {
    const { id } = await flows.project.create(
      flows.define('steps: [{ id: a, call: util.echo, with: {} }]'),
      {},
      { direct: true },
    );
    await flows.project.wait(id);
    expect(existsSync(folderOf(`.direct/${id.slice('direct:'.length)}`))).toBe(false);
  } finally {
    writeFileSync(file, text);
  }
});
