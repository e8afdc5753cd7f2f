/**
 * The HTTP door for the conformance suite, which knows no stdio: `POST /mcp` of a project with abilities named as the tools that
 * the suite calls, on a runtime of its own. Prints its address, and leaves when its stdin ends.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, createTask, startSession, waitForTask } from '../../../build/client/index.js';
import { RegistryLoader } from '../../../build/definitions/load-registry.js';
import { main } from '../../../build/doors/cli/main.js';
import { openTerminal } from '../../../build/doors/cli/output/terminal/terminal.js';
import { AgentSessions } from '../../../build/doors/http/agent-sessions.js';
import { isLoopback } from '../../../build/doors/http/check-origin.js';
import { USUAL_LIMITS } from '../../../build/doors/http/http-door.js';
import { openHttpDoor } from '../../../build/doors/http/open-http-door.js';
import { skillOfProject } from '../../../build/doors/mcp/skill-of-project.js';

/** Longer than what is at once, shorter than what the suite calls slow. */
const PATIENCE_MS = 600;

const root = mkdtempSync(join(tmpdir(), 'ability-mcp-'));
const write = (path, text) => {
  mkdirSync(join(root, path, '..'), { recursive: true });
  writeFileSync(join(root, path), text);
};
const ability = (key, input, body, schema = { type: 'object', properties: input }) => {
  write(
    `registry/low-level/${key}.yaml`,
    [
      `operation_key: ${key}`,
      'summary: A fixture of the conformance suite.',
      'effects: write_additive',
      `input_schema: ${JSON.stringify(schema)}`,
      'implementation:',
      '  kind: script',
      `  script: { path: scripts/${key}.sh, args: [${Object.keys(input).map((name) => `"\${{ input.${name} }}"`)}], output: text }`,
    ].join('\n'),
  );
  write(`scripts/${key}.sh`, `${body}\n`);
};

write('ability.yaml', 'format: 1\nproject: conformance\nenvironments: { dev: {} }\n');
const text = { type: 'string', default: 'none' };
ability('greet', { name: text }, 'echo "Hello, $1!"');
ability('slow_compute', { seconds: { type: 'integer', default: 0 }, label: text }, 'sleep "$1"; echo computed');
ability('failing_job', {}, 'sleep 2; echo broken >&2; exit 1');
ability('protocol_error_job', {}, 'sleep 2; exit 1');
// What the list of tools shows must change each time it is called: by the id of the process.
const added = [
  'operation_key: added_later',
  'summary: Added at $$.',
  'implementation: { kind: script, script: { path: scripts/greet.sh, args: [x] } }',
];
const lines = added.map((line) => `"${line}"`).join(' ');
ability('test_trigger_tool_change', {}, `printf '%s\\n' ${lines} > registry/low-level/added_later.yaml`);
ability('json_schema_2020_12_tool', {}, 'echo yes', {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: {
    address: {
      $anchor: 'addressDef',
      type: 'object',
      properties: { street: { type: 'string' }, city: { type: 'string' } },
    },
  },
  properties: {
    name: { type: 'string' },
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' },
    email: { type: 'string' },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  // biome-ignore lint/suspicious/noThenProperty: a word of JSON Schema
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
});
ability('confirm_delete', { filename: text }, 'echo deleted');
ability('test_simple_text', {}, 'echo "This is a simple text response for testing."');
ability('test_error_handling', {}, 'exit 1');

// Each call is a step on.
ability('pause', {}, 'sleep 0.1');
write(
  'registry/high-level/test_tool_with_progress.yaml',
  [
    'id: test_tool_with_progress',
    'type: workflow',
    'version: 1',
    'summary: A fixture of the conformance suite.',
    'steps: [{ id: one, call: pause }, { id: two, call: pause }, { id: three, call: pause }]',
  ].join('\n'),
);

const loader = new RegistryLoader(root);
const note = (line) => process.stderr.write(`${line}\n`);
const connection = await connect({ root, project: 'conformance', progress: note });
const user = { name: 'suite', source: 'claimed' };
// The first task of a worker takes seconds, and the suite waits for none.
await startSession(connection, { environment: 'dev', scope: 'integration', user });
const caller = { person: user, kind: null, session: null, scope: null, trace: null };
const first = await createTask(connection, { ability: 'greet', environment: 'dev', input: {}, caller, run: true });
await waitForTask(connection, first.id, {});
const closing = new AbortController();
const door = openHttpDoor({
  registry: () => loader.load(),
  environment: 'dev',
  env: process.env,
  ask: (action) => action(connection),
  authentication: { findToken: () => undefined, local: user },
  isOwnHost: isLoopback,
  scope: 'integration',
  sessions: new AgentSessions(),
  mcp: {
    expose: ['*'],
    skill: skillOfProject(root),
    lend: () => ({ connect: async () => connection, failed: () => {} }),
    typed: (line) => line,
    review: async () => {},
    patienceMs: PATIENCE_MS,
    lookMs: 200,
    tokensMs: 2000,
  },
  limits: USUAL_LIMITS,
  closing: closing.signal,
  note,
});
process.stdout.write(`${await door.listen({ host: '127.0.0.1', port: 0 })}/mcp\n`);

process.stdin.resume().once('end', async () => {
  closing.abort();
  await door.close();
  await connection.close();
  await main({ args: ['down'], cwd: root, env: process.env, terminal: openTerminal(process.env, process) });
  rmSync(root, { recursive: true, force: true });
  process.exit();
});
