import { type Command, Option } from '@commander-js/extra-typings';
import {
  type DefinitionKind,
  EXAMPLES,
  HANDLERS,
  LANGUAGES,
  MATCH_FIELDS,
  PLAIN_BUILTINS,
  SCOPE_FIELDS,
  SESSIONS,
} from '../../../authoring/choices.js';
import { EFFECTS } from '../../../contracts/effects.js';
import { IMPORTERS, type ImporterName } from '../../../contracts/importers.js';
import { type Commands, declare, type FlagsOf, repeatable, withFlags } from './declare-command.js';
import { kindFlags, LANGUAGE } from './kind-flags.js';

const FROM = 'a whole definition in the form of the registry (docs/definitions.md); - reads stdin';
const SUMMARY = 'what it is for';

const wholeFlags = (command: Command) =>
  command
    .option('--from <file>', FROM)
    .option('--config <file>', 'with --from: its configuration, as a file of its own')
    .option('--summary <text>', SUMMARY);

const scopeFlag = () => repeatable('--scope <list>', `where it is valid: ${SCOPE_FIELDS.join('=A,B or ')}=A,B`);

/** Kinds without flags, made only from whole definitions. */
export type OnlyDefinitionKind = Exclude<DefinitionKind, 'low-level' | 'high-level' | 'implementation' | 'hook'>;

/** Each such kind with its argument and description. Source: C-46. */
const WHOLES: [kind: OnlyDefinitionKind, argument: '' | '[id]' | '[name]' | '<name>', what: string][] = [
  ['agent', '[id]', 'the profile of an agent, from a whole definition'],
  ['cases', '[name]', 'test cases of an ability, in a file beside it'],
  ['config', '<name>', 'a file of configuration: abilities, profiles, MCP servers, services'],
  ['module', '[id]', 'the overview of a module'],
  ['capabilities', '', 'capabilities of packs, added to those there are'],
  ['packs', '', 'packs to recruit, added to those there are'],
];

const authoring = () => ({
  init: declare(
    'init [dir]',
    'make a folder a project, with an ability that runs at once; asks at a terminal',
    'ability init',
    'ability init shop --env-names dev,staging,prod --yes',
    'ability init --force AGENTS.md',
  )
    .option('--name <name>', 'the name of the project (default: that of the folder)')
    .option(
      '--env-names <names>',
      'its environments, with commas, the default one first (default: those that definitions here name, else dev)',
    )
    .addOption(new Option('--example <which>', 'what it begins with (default: script)').choices(EXAMPLES))
    .addOption(repeatable('--force <file>', 'overwrite this file; may be given several times, others are left')),
  lowLevel: withFlags(
    declare(
      'low-level [key]',
      'an operation: its contract, its implementation and a first test case',
      'ability scaffold low-level db.read.user --kind script --language python',
      'ability scaffold low-level user.get --kind api --endpoint https://users.acme.test --path /users/{id}',
      'ability scaffold low-level logs.search --kind mcp --server logs --tool search --command "node servers/logs.mjs"',
      'ability scaffold low-level --from user.get.yaml',
    ),
    kindFlags,
    wholeFlags,
  )
    .addOption(new Option('--effects <effect>', 'what a call changes').choices(EFFECTS))
    .addOption(scopeFlag()),
  scripts: declare(
    'scripts <files...>',
    'drafts of contracts for scripts that are there, many at once',
    'ability scaffold scripts ops/*.sh tools/*.py',
    `ability scaffold scripts reports/*.py --prefix report --effects read`,
    `ability scaffold scripts jobs/*.pl --args '--json {input_file}'`,
  )
    .option('--prefix <prefix>', 'what operation keys begin with (default: the folders of each script)')
    .option('--args <template>', 'their arguments, as a template (default: a call passes them as a list)')
    .addOption(new Option('--effects <effect>', 'what a call of each changes (default: destructive)').choices(EFFECTS))
    .addOption(scopeFlag()),
  highLevel: withFlags(
    declare(
      'high-level [id]',
      'a workflow that calls abilities one after the other, and a test case',
      'ability scaffold high-level onboard --calls user.get,mail.send',
      'ability scaffold high-level --from - < onboard.yaml',
    ).option('--calls <ids>', 'what it calls, in order, with commas'),
    wholeFlags,
  ).addOption(scopeFlag()),
  implementation: withFlags(
    declare(
      'implementation [id]',
      'another implementation of an operation, and its place in the configuration',
      'ability scaffold implementation users.sandbox --operation user.get --kind script --default --env dev',
    ).option('--operation <key>', 'the operation'),
    kindFlags,
    wholeFlags,
  )
    .option('--default', 'the operation runs it from now on (with --env: there only)')
    .option('--allow', 'add it to allowed_implementations, where there is such a list'),
  hook: declare(
    'hook [id]',
    'a hook of a phase, and its script',
    `ability scaffold hook ticket_guard --phase PreAbilityCall --handler expression --match effects=destructive \\
      --deny-if '!has(input.ticket)' --reason "What destroys needs a ticket"`,
    'ability scaffold hook usage --phase PostAbilityCall --handler builtin --builtin usage',
    'ability scaffold hook --phase PreAbilityCall --from guards.yaml',
  )
    .option('--from <file>', FROM)
    .option(
      '--phase <phase>',
      'when it fires: SessionStart, PromptSubmit, PreAbilityCreate, PreAbilityCall, PostAbilityCall, SessionStop',
    )
    .addOption(new Option('--handler <how>', 'how it answers').choices(HANDLERS))
    .addOption(repeatable('--match <list>', `what it is for: ${MATCH_FIELDS.join(', ')}, as environments=prod,staging`))
    .option('--deny-if <cel>', 'expression: when it says no')
    .option('--confirm-if <cel>', 'expression: when a person is asked')
    .option('--warn-if <cel>', 'expression: when it warns')
    .option('--reason <text>', 'expression: what is said then')
    .addOption(new Option('--language <name>', LANGUAGE).choices(LANGUAGES))
    .addOption(new Option('--builtin <name>', 'builtin: which one').choices(PLAIN_BUILTINS))
    .option('--summary <text>', SUMMARY),
  schemas: declare(
    'schemas',
    'the JSON Schemas of this version, which editors read; over those that are there',
    'ability scaffold schemas',
  ),
});

export type AuthoringFlags = FlagsOf<typeof authoring>;

const importFlags = (command: Command) =>
  command
    .addOption(
      repeatable('--select <pattern>', 'only those whose key or name fits, with * for any characters; repeatable'),
    )
    .option('--prefix <prefix>', 'what operation keys begin with (default: the name of the source)')
    .option('--dry-run', 'show what would be written, and write nothing')
    .option('--overwrite', 'where people and the source changed the same, take the source; bring back deleted files');

const imports = () =>
  ({
    mcp: withFlags(
      declare(
        'mcp <server>',
        'make each tool of an MCP server a low-level ability',
        'ability import mcp files --dry-run   # what would be written; writes nothing',
        "ability import mcp files --select 'read_*' --select list_directory",
        'ability import mcp files --command "npx -y @modelcontextprotocol/server-filesystem ." --prefix fs',
        'ability import mcp search --url https://mcp.example.com/mcp',
        'ability import mcp files   # again, later: shows what changed, and keeps what people edited',
      ),
      importFlags,
    )
      .option('--command <line>', 'the program of a server that registry/config does not have yet; no shell reads it')
      .option('--url <url>', 'the address of such a server')
      .option('--env-profile <name>', 'the environment profile of its program')
      .addOption(
        new Option('--session <whose>', 'whether each task has a session of its own with it').choices(SESSIONS),
      )
      .option('--timeout <duration>', 'longest the server may take to say what its tools are', '30s'),
    openapi: withFlags(
      declare(
        'openapi <source>',
        'make each operation of an OpenAPI document (3.0, 3.1; a file or an address) a low-level ability',
        'ability import openapi openapi.yaml --dry-run   # what would be written; writes nothing',
        "ability import openapi https://api.example.com/openapi.json --name billing --select 'GET /invoices*'",
        'ability import openapi openapi.yaml --server https://staging.example.com/v1',
        "ability import openapi openapi.yaml --effects-for 'billing.search_*=external_read'",
        'ability import openapi https://api.example.com/openapi.json --header "Authorization: Bearer env:DOCS_TOKEN"',
        'ability import openapi openapi.yaml   # again, later: shows what changed, and keeps what people edited',
      ),
      importFlags,
    )
      .option('--name <name>', 'what the service is called in registry/config (default: from its title)')
      .option('--server <url>', 'the address of the service, instead of what the document says')
      .addOption(
        repeatable(
          '--effects-for <pattern=effect>',
          'what operations that fit change; kept for later imports; repeatable',
        ),
      )
      .addOption(
        repeatable('--header <header>', 'sent to get the document, as "Authorization: Bearer env:TOKEN"; repeatable'),
      )
      .option('--timeout <duration>', 'longest a document may take to come', '30s'),
    hooks: declare(
      'hooks <file>',
      'make guards of Claude Code or Codex guards of this project: settings.json or hooks.json',
      'ability import hooks .claude/settings.json --dry-run   # what would be written; writes nothing',
      'ability import hooks .claude/settings.json --tools',
      'ability import hooks .codex/hooks.json',
      'ability import hooks .claude/plugins/guard/hooks/hooks.json   # a plugin',
    )
      .option('--tools', 'also write abilities like Bash and Write, where the project has none of that name')
      .option('--name <name>', 'the folder below registry/hooks (default: from the file)')
      .option('--no-run', 'do not fire the guards with usual offences to see what they deny')
      .option('--dry-run', 'show what would be written, and write nothing')
      .option('--overwrite', 'replace files of an earlier import that were edited'),
  }) satisfies Record<ImporterName, unknown>;

export type ImportFlags = FlagsOf<typeof imports>;

/** What adds the command of each importer, which loads when it is called. */
const COMMANDS: Record<ImporterName, (add: Commands['add'], declared: ReturnType<typeof imports>) => Commands> = {
  mcp: (add, { mcp }) => add(mcp, () => import('../commands/import/mcp.js')),
  openapi: (add, { openapi }) => add(openapi, () => import('../commands/import/openapi.js')),
  hooks: (add, { hooks }) => add(hooks, () => import('../commands/import/hooks.js')),
};

export function addAuthoring(commands: Commands): void {
  const { init, schemas, ...kinds } = authoring();
  commands.add(init, () => import('../commands/init.js'));
  const { add, all } = commands.group(
    'scaffold',
    'make abilities, implementations and hooks that run at once; asks at a terminal',
    'ability scaffold low-level db.read.user --kind script',
    'ability scaffold hook audit --help',
  );
  const scaffold = () => import('../commands/scaffold/scaffold.js');
  all(kinds, scaffold);
  for (const [kind, argument, what] of WHOLES) {
    const usage = argument === '' ? kind : (`${kind} ${argument}` as const);
    const example = `ability scaffold ${kind} ${argument === '<name>' ? 'shop ' : ''}--from ${kind}.yaml`;
    add(declare(usage, what, example).requiredOption('--from <file>', FROM), () =>
      import('../commands/scaffold/from-definition.js').then(({ commandOf }) => commandOf(kind)),
    );
  }
  all({ schemas }, scaffold);
}

export function addImports(commands: Commands): void {
  const { add } = commands.group(
    'import',
    'take over the operations of another system',
    'ability import mcp files --dry-run',
    'ability import openapi openapi.yaml --dry-run',
    'ability import hooks .claude/settings.json --dry-run',
  );
  const declared = imports();
  for (const name of IMPORTERS) COMMANDS[name](add, declared);
}
