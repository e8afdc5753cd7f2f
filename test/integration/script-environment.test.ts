import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { JsonObject } from '../../src/contracts/json.js';
import type { TaskResult } from '../../src/contracts/task.js';
import { type RunningProject, runProject } from '../fixtures/running-project.js';
import { config, logFile, readLog, scriptAbility } from '../fixtures/servers/definitions.js';

const SECRET = 'hunter2-hunter2-hunter2';
const KEY_LINES = ['-----BEGIN KEY-----', 'c2VjcmV0IGxpbmUgb25l', 'c2VjcmV0IGxpbmUgdHdv', '-----END KEY-----'];

let project: RunningProject;
let counter = 0;

beforeAll(async () => {
  vi.stubEnv('WORKER_ONLY', 'of the worker');
  vi.stubEnv('PASSED', 'passed on');
  vi.stubEnv('FROM_WORKER', 'worker wins');
  project = await runProject({
    '.env': 'FROM_FILE=general\nONLY_GENERAL=general\nFROM_WORKER=file\n',
    '.env.dev': `FROM_FILE=of dev\nTOKEN=${SECRET}\nUSER_NAME=admin\nPASSWORD=admin-and-more\n`,
    'secrets/key.pem': `${KEY_LINES.join('\n')}\n`,
    ...config('profiles', {
      env_profiles: {
        chosen: {
          pass: ['PATH', 'PASSED', 'NOT_SET_ANYWHERE'],
          set: { FIXED: 'by the profile', CHANGED: 'by the profile' },
          secrets: { TOKEN: 'env:TOKEN' },
        },
        references: {
          pass: ['PATH'],
          secrets: { A: 'env:FROM_FILE', B: 'env:ONLY_GENERAL', C: 'env:FROM_WORKER', D: 'file:secrets/key.pem' },
        },
        overlapping: { pass: ['PATH'], secrets: { USER_NAME: 'env:USER_NAME', PASSWORD: 'env:PASSWORD' } },
        missing: { pass: ['PATH'], secrets: { LOST: 'env:SET_NOWHERE' } },
      },
    }),
  });
});
afterAll(async () => {
  await project.stop();
  vi.unstubAllEnvs();
});

/** Runs a Node script that prints its result last. */
function run(body: string, script: JsonObject = {}, more: JsonObject = {}): Promise<TaskResult> {
  counter += 1;
  const [key, path] = [`e.case_${counter}`, `scripts/case-${counter}.mjs`];
  project.write(scriptAbility(key, path, body, { script: { args: [], ...script }, more }));
  return project.run(key);
}

/** The environment of a script, without the variables that the system adds. */
async function environmentOf(script: JsonObject = {}): Promise<Record<string, string>> {
  const result = await run('console.log(JSON.stringify(process.env));', script);
  expect(result.status).toBe('succeeded');
  const { __CF_USER_TEXT_ENCODING: _, ...environment } = result.output as Record<string, string>;
  return environment;
}

const ONCE = { effects: 'write_additive' };
const OWN_NAMES = [
  'ABILITY_CALL_ID',
  'ABILITY_ENVIRONMENT',
  'ABILITY_IDEMPOTENCY_KEY',
  'ABILITY_PINNED',
  'ABILITY_ROOT',
  'ABILITY_STEP',
  'ABILITY_TASK_KEY',
];

describe('the environment of a script', () => {
  test('has the default profile and the names of the call; nothing leaks from the worker', async () => {
    const environment = await environmentOf();
    const allowed = ['PATH', 'HOME', 'LANG', 'TMPDIR', ...OWN_NAMES];
    expect(Object.keys(environment).filter((name) => !allowed.includes(name))).toEqual([]);
    const key = environment.ABILITY_TASK_KEY;
    expect(environment).toMatchObject({
      PATH: process.env.PATH,
      ABILITY_TASK_KEY: expect.stringMatching(/^t-/),
      ABILITY_STEP: 'run',
      ABILITY_ENVIRONMENT: 'dev',
      ABILITY_IDEMPOTENCY_KEY: `${key}/run`,
    });
  });

  test('has what a profile passes, sets and keeps secret; `env` of the script overrides the profile', async () => {
    const environment = await environmentOf({ env_profile: 'chosen', env: { CHANGED: 'by the script' } });
    const expected = ['CHANGED', 'FIXED', 'PASSED', 'PATH', 'TOKEN', ...OWN_NAMES];
    expect(Object.keys(environment).sort()).toEqual(expected.sort());
    expect(environment).toMatchObject({
      PASSED: 'passed on',
      FIXED: 'by the profile',
      CHANGED: 'by the script',
      TOKEN: SECRET,
    });
  });

  test('resolves references in the worker, then .env.<environment>, then .env, and files of the project', async () => {
    expect(await environmentOf({ env_profile: 'references' })).toMatchObject({
      A: 'of dev',
      B: 'general',
      C: 'worker wins',
      D: KEY_LINES.join('\n'),
    });
  });

  test('without a required secret: refused at preflight by its name, and nothing is created', async () => {
    project.write(scriptAbility('e.lost', 'scripts/lost.mjs', '', { script: { env_profile: 'missing' } }));
    const error = await project.create('e.lost', {}, { key: 'lost-1' }).catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      code: 'config.missing_credential',
      message: expect.stringMatching(/^Missing required configuration: SET_NOWHERE \(dev\)/),
      suggestion: expect.stringMatching(/\.env\.dev or \.env/),
    });
    expect(existsSync(join(project.root, '.system/implement/lost-1'))).toBe(false);
  });
});

describe('a secret', () => {
  const record = ({ task_key }: TaskResult) => {
    const folder = join(project.root, '.system/implement', task_key as string);
    return ['record.json', 'tool_call.md'].map((name) => readFileSync(join(folder, name), 'utf8')).join('\n');
  };
  const log = ({ task_key }: TaskResult) => readFileSync(logFile(project.root, task_key as string), 'utf8');

  test('is masked in the log, in messages and in the record', async () => {
    const body =
      'console.log(`out ${process.env.TOKEN}!`); console.error(`err ${process.env.TOKEN}!`); process.exit(3);';
    const result = await run(body, { env_profile: 'chosen' }, ONCE);
    expect(result).toMatchObject({ status: 'failed', error: { code: 'script.exit' } });
    expect(JSON.stringify(result)).not.toContain(SECRET);
    expect(result.error?.message).toContain('err ***!');
    const texts = readLog(project.root, result.task_key as string).map(({ stream, text }) => `${stream}: ${text}`);
    expect(texts).toEqual(expect.arrayContaining(['stdout: out ***!', 'stderr: err ***!']));
    expect(log(result) + record(result)).not.toContain(SECRET);
  });

  test('is masked if the output is not JSON', async () => {
    const result = await run('console.log(`not JSON: ${process.env.TOKEN}`);', { env_profile: 'chosen' }, ONCE);
    expect(result).toMatchObject({ status: 'failed', error: { code: 'script.output_broken' } });
    expect(JSON.stringify(result) + log(result) + record(result)).not.toContain(SECRET);
  });

  test('of several lines is masked line by line', async () => {
    const result = await run('console.error(process.env.D); console.log(1);', { env_profile: 'references' });
    expect(result).toMatchObject({ status: 'succeeded' });
    for (const line of KEY_LINES.slice(1, 3)) expect(log(result)).not.toContain(line);
  });

  test('that begins with another secret is masked whole', async () => {
    const result = await run('console.error(process.env.PASSWORD); console.log(1);', { env_profile: 'overlapping' });
    expect(result).toMatchObject({ status: 'succeeded' });
    expect(log(result)).not.toContain('and-more');
  });

  test('is masked where a long message is truncated', async () => {
    const body = 'process.stderr.write(`${process.env.TOKEN}${"x".repeat(3990)}`); process.exit(1);';
    const result = await run(body, { env_profile: 'chosen' }, ONCE);
    const tail = result.error?.message.split('\n').at(-1) ?? '';
    expect(tail).toMatch(/xxx$/);
    expect(tail.slice(0, 20)).not.toContain(SECRET.slice(-9));
  });
});
