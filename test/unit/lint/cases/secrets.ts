import { lowLevel, SCRIPT } from '../../temporary-project.js';
import { type LintCase, workflow } from '../lint-case.js';

const profile = (line: string) => ({ 'registry/config/p.yaml': `env_profiles:\n  database:\n    ${line}\n` });

const credentials = (line: string) => ({
  ...lowLevel('op.http', 'implementation: { kind: api, api: { path: /x } }'),
  'registry/config/c.yaml': [
    'abilities:',
    '  - id: op.http',
    '    environments:',
    ...['dev', 'staging', 'prod'].flatMap((name) => [
      `      ${name}:`,
      '        endpoints: { default: "https://a.test" }',
      ...(name === 'dev' ? [`        credentials: { token: ${line} }`] : []),
    ]),
  ].join('\n'),
});

const PROVIDER = 'secrets: { vault: { command: [vault, "-field={field}", "{path}"] } }';
const provided = (line: string, more = '') => ({
  ...credentials(line),
  'ability.yaml': `format: 1\nproject: linted\nenvironments: { dev: {}, staging: {}, prod: { protected: true } }\n${PROVIDER}\n${more}`,
});
const gives = (value: string) => ({ checkEnv: true, provided: () => value });
const fails = { code: 'secret.unavailable', message: 'The provider vault did not give it' };

/** Secrets that are written in a definition, and those that exist nowhere. */
export const SECRET_CASES: LintCase[] = [
  {
    code: 'lint.inline_secret',
    name: 'R-000-53: by its name',
    files: profile('set: { DB_PASSWORD: ▶hunter2hunter2 }'),
  },
  {
    code: 'lint.inline_secret',
    name: 'by its form, in a list of arguments',
    files: {
      'registry/config/s.yaml':
        'mcp_servers: { logs: { command: node, args: [server.mjs, ▶ghp_0123456789012345678901234567890123456789] } }\n',
    },
  },
  {
    code: 'lint.inline_secret',
    name: 'a password in a URL',
    files: workflow('steps: [{ id: one, let: { url: ▶"postgres://admin:hunter2@db.test/app" } }]'),
  },
  {
    code: 'lint.inline_secret',
    name: 'what Basic authentication sends',
    files: workflow('steps: [{ id: one, let: { header: ▶"Basic dXNlcjpzM2NyZXQ=" } }]'),
  },
  {
    code: 'lint.inline_secret',
    name: 'sentences about Basic authentication',
    files: lowLevel(
      'op.login',
      'summary: Basic Authentication for machines, and Basic Authorization instead of Basic Konfiguration here.',
      SCRIPT,
    ),
  },
  {
    code: 'lint.inline_secret',
    name: 'references, templates, placeholders, and names in a schema',
    files: {
      ...profile('secrets: { DB_PASSWORD: "env:DB_PASSWORD", API_KEY: "file:secrets/key" }'),
      ...lowLevel(
        'op.login',
        'input_schema: { type: object, properties: { password: { type: string, description: any-secret } } }',
        SCRIPT,
      ),
      ...workflow(
        'input_schema: { type: object, required: [password], properties: { password: { type: string } } }',
        'steps: [{ id: one, call: op.login, with: { password: "${{ input.password }}" } }]',
      ),
    },
  },
  {
    code: 'config.invalid',
    name: 'a reference to a provider that the project does not have',
    files: provided('▶"vautl:kv/db#password"'),
  },
  {
    code: 'config.invalid',
    name: 'a provider that needs a field',
    files: provided('▶"vault:kv/db"'),
  },
  {
    code: 'config.invalid',
    name: 'a notice to a provider that the project does not have',
    files: provided('"vault:kv/db#f"', 'notify: [{ on: [task.failed], webhook: ▶"op:hook", format: slack }]'),
  },
  {
    code: 'config.invalid',
    name: 'references to providers of the project, which are no inline secrets',
    files: {
      ...provided(
        '"vault:kv/db#password"',
        'notify: [{ on: [task.failed], webhook: "vault:kv/hook#url", secret: "vault:kv/hook#signing_secret" }]',
      ),
      ...profile('secrets: { DB_PASSWORD: "vault:kv/db#password" }'),
      ...lowLevel(
        'op.secretive',
        'implementation: { kind: script, script: { path: scripts/any.mjs, env: { DB_PASSWORD: "vault:kv/db#password" } } }',
      ),
    },
  },
  {
    code: 'lint.inline_secret',
    name: 'what looks like a reference, where none is resolved',
    files: { ...provided('"vault:kv/db#password"'), ...profile('set: { DB_PASSWORD: ▶"vault:kv/db#password" }') },
  },
  {
    code: 'lint.secret_short',
    name: 'a short one that a provider gives',
    files: provided('▶"vault:kv/db#password"'),
    options: gives('short-1'),
  },
  {
    code: 'config.missing_credential',
    name: 'one that a provider gives',
    files: provided('"vault:kv/db#password"'),
    options: gives('long-enough'),
  },
  {
    code: 'config.missing_credential',
    name: 'a provider that was not asked',
    files: provided('"vault:kv/db#password"'),
    options: { checkEnv: true },
  },
  {
    code: 'secret.unavailable',
    name: 'a provider that gives nothing',
    files: provided('▶"vault:kv/db#password"'),
    options: { checkEnv: true, provided: () => fails },
  },
  {
    code: 'secret.unavailable',
    name: 'a provider that gives nothing to an MCP server',
    files: {
      ...provided('"env:PATH"'),
      'registry/config/s.yaml':
        'mcp_servers: { s: { url: "https://a.test/mcp", credentials: { t: ▶"vault:kv/db#t" } } }',
    },
    options: { checkEnv: true, provided: () => fails },
  },
  {
    code: 'secret.unavailable',
    name: 'a provider that gives it',
    files: provided('"vault:kv/db#password"'),
    options: gives('long-enough'),
  },
  {
    code: 'config.missing_credential',
    name: 'R-000-89: a token that is not set',
    files: credentials('▶"env:NOBODY_SETS_THIS_TOKEN"'),
    options: { checkEnv: true },
  },
  {
    code: 'config.missing_credential',
    name: 'a file that is not there',
    files: credentials('▶"file:secrets/token"'),
    options: { checkEnv: true },
  },
  {
    code: 'config.missing_credential',
    name: 'the environment is not checked',
    files: credentials('"env:NOBODY_SETS_THIS_TOKEN"'),
  },
  {
    code: 'config.missing_credential',
    name: 'set in the file of the environment',
    files: { ...credentials('"env:SET_IN_A_FILE"'), '.env.dev': 'SET_IN_A_FILE=something\n' },
    options: { checkEnv: true },
  },
  {
    code: 'lint.secret_short',
    name: 'a token that is masked only where it appears whole',
    files: { ...credentials('▶"env:SHORT_ONE"'), '.env.dev': 'SHORT_ONE=seven-7\n' },
    options: { checkEnv: true },
  },
  {
    code: 'lint.secret_short',
    name: 'a file with three characters',
    files: { ...credentials('▶"file:token"'), token: 'abc\n' },
    options: { checkEnv: true },
  },
  {
    code: 'lint.secret_short',
    name: 'one of eight characters',
    files: { ...credentials('"env:LONG_ONE"'), '.env.dev': 'LONG_ONE=eight-88\n' },
    options: { checkEnv: true },
  },
  {
    code: 'lint.secret_short',
    name: 'the environment is not checked',
    files: { ...credentials('"env:SHORT_ONE"'), '.env.dev': 'SHORT_ONE=seven-7\n' },
  },
];
