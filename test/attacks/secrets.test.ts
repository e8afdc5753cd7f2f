import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { explainTask } from '../../src/client/index.js';
import type { JsonObject } from '../../src/contracts/json.js';
import { renderJunit } from '../../src/doors/cli/output/junit/junit.js';
import { type RunningProject, runProject } from '../fixtures/running-project.js';
import { FORMS, leftOf } from '../fixtures/secret-forms.js';
import { apiAbility, config, mcpAbility, scriptAbility } from '../fixtures/servers/definitions.js';
import { json, type RecordingService, startService } from '../fixtures/servers/recording-service.js';

const TOKEN = 'k3y "with/all\\that%41is=escaped & ünusual ones+';
const PASSWORD = 'correct-horse-battery-staple-0123456789';
const QUOTED = 'half-a-secret-half-of-another';
const PRINTED = Object.values(FORMS).flatMap((form) => [form(TOKEN), form(PASSWORD)]);

let project: RunningProject;
let service: RecordingService;

/** Reads every form of both secrets as `texts`: what a script could derive from its environment. */
const READ_TEXTS = `import { readFileSync } from 'node:fs'; const texts = JSON.parse(readFileSync('texts.json', 'utf8'));`;
const script = (key: string, code: string, more: JsonObject = {}) =>
  scriptAbility(key, `scripts/${key}.mjs`, `${READ_TEXTS}\n${code}`, {
    script: { args: [], env_profile: 'secret' },
    more: { effects: 'destructive', ...more },
  });

beforeAll(async () => {
  service = await startService();
  const env = { pass: ['PATH'], secrets: { TOKEN: 'file:token', PASSWORD: 'file:password', QUOTED: 'file:quoted' } };
  project = await runProject({
    token: TOKEN,
    password: PASSWORD,
    quoted: QUOTED,
    'texts.json': JSON.stringify(PRINTED),
    ...config('profiles', { env_profiles: { secret: env } }),
    ...script('x.stderr', 'for (const text of texts) console.error(text); process.exit(1);'),
    ...script('x.stdout', "console.log(texts.join('\\n'));"),
    // JSON.parse quotes the text around the position where it stopped, which is a part of the secret.
    ...script('x.broken', `console.log('{"token": ' + process.env.QUOTED + '}');`),
    ...script(
      'x.slow',
      `
      const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
      for (const text of texts.slice(0, 8)) {
        for (let at = 0; at < text.length; at += 9) { process.stderr.write(text.slice(at, at + 9)); await sleep(2); }
        process.stderr.write('\\n');
      }
      await sleep(700);
      process.exit(1);`,
    ),
    ...script('x.schema', 'console.log(JSON.stringify({ texts, [texts[0]]: 1 }));', {
      output_schema: { type: 'object', additionalProperties: false, properties: { texts: { type: 'string' } } },
    }),
    ...script('x.fails_if', 'console.log(JSON.stringify(texts));'),
    ...script('x.hooked', 'console.log(1);', { hooks: { pre_call: ['prints'] } }),
    'registry/hooks/PreAbilityCall.yaml': JSON.stringify({
      hooks: [{ id: 'prints', handler: { script: { path: 'scripts/prints.mjs', env_profile: 'secret' } } }],
    }),
    'scripts/prints.mjs': `${READ_TEXTS}
      console.error(texts.join('\\n'));
      const reason = texts.join(' ');
      console.log(JSON.stringify({ guard_decision: 'deny', reason, suggestion: reason, warnings: texts, infra: { [texts[0]]: texts } }));`,
    ...apiAbility(
      'x.api',
      service.origin,
      {
        method: 'POST',
        path: '/echo',
        auth: { basic: { user: 'someone', password: '{credential:password}' } },
        headers: { 'x-token': '{credential:token}' },
      },
      {
        more: { effects: 'destructive' },
        settings: { credentials: { password: 'file:password', token: 'file:header-token' } },
      },
    ),
    'header-token': PASSWORD.toUpperCase(),
    ...apiAbility(
      'x.query',
      service.origin,
      { method: 'GET', path: '/query', auth: { query: { key: '{credential:token}' } } },
      { more: { effects: 'destructive' }, settings: { credentials: { token: 'file:token' } } },
    ),
    ...config('servers', {
      mcp_servers: {
        prints: { command: process.execPath, args: ['servers/prints.mjs'], env_profile: 'secret' },
        far: {
          url: `${service.origin}/mcp`,
          headers: { authorization: 'Bearer {credential:password}' },
          credentials: { password: 'file:password' },
        },
      },
    }),
    ...mcpAbility('x.far', { server: 'far', tool: 'do' }),
    // Only the end of its output is stored, so that the truncation cuts through a secret.
    'servers/prints.mjs': `${READ_TEXTS} process.stderr.write(texts.join('\\n') + process.env.PASSWORD + 'x'.repeat(3980), () => process.exit(1));`,
    ...mcpAbility('x.mcp', { server: 'prints', tool: 'do' }),
  });
  const fails = join(project.root, 'registry/low-level/x.fails_if.yaml');
  const definition = JSON.parse(readFileSync(fails, 'utf8'));
  definition.implementation.fail_if = 'true';
  project.write({ 'registry/low-level/x.fails_if.yaml': JSON.stringify(definition) });
  service.on('/echo', (response, request) => {
    const { authorization, 'x-token': token } = request.headers;
    const texts = Object.values(FORMS).flatMap((form) => [form(PASSWORD), form(String(token))]);
    json({ texts, authorization }, 500)(response, request, 1);
  });
  service.on('/query', (response, request) => json({ url: request.url }, 500)(response, request, 1));
  // However long the text around the secrets is, the truncation cuts through one of them.
  service.on('/mcp', (response, request) => {
    response.writeHead(500).end(`${request.headers.authorization} `.repeat(200));
  });
});
afterAll(async () => {
  await project.stop();
  await service.stop();
});

/** The text of all files below a folder, such as the folder of the records. */
function written(folder: string): string {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((file) => statSync(file).isFile())
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n');
}

describe.concurrent('a secret that was printed in every form appears nowhere afterwards', () => {
  test.each([
    ['x.stderr', 'a script that fails'],
    ['x.stdout', 'an output that is not JSON'],
    ['x.slow', 'a log that is written while the call runs'],
    ['x.schema', 'an output that breaks its contract'],
    ['x.fails_if', 'an output that means a failure'],
    ['x.hooked', 'a guard that denies'],
    ['x.api', 'a service that repeats its credentials'],
    ['x.mcp', 'an MCP server that does not start'],
    ['x.broken', 'a piece of a secret that is not JSON'],
    ['x.query', 'a service that repeats the address'],
    ['x.far', 'an MCP server over HTTP that repeats its headers'],
  ])('%s: %s', async (ability) => {
    const { id } = await project.create(ability);
    const end = await project.wait(id);
    if (end.kind !== 'ended') throw new Error('the task did not end');
    expect(end.result.status).toMatch(/^(failed|denied|unknown)$/);
    const story = await explainTask(project.connection, id);
    const records = written(join(project.root, '.system', 'implement', id));
    const all = {
      result: JSON.stringify(end.result),
      story: JSON.stringify(story),
      junit: renderJunit(end.result),
      records,
    };
    expect(records).toContain('***');
    for (const secret of [TOKEN, PASSWORD, PASSWORD.toUpperCase()]) {
      for (const text of Object.values(all)) expect(leftOf(text, secret)).toBe(undefined);
    }
    for (const text of Object.values(all)) expect(text).not.toMatch(/half-a|half-of/);
  });
});
