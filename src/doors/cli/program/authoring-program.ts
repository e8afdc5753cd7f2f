import { type Command, Option } from 'commander';
import {
  EXAMPLES,
  HANDLERS,
  KINDS,
  LANGUAGES,
  MATCH_FIELDS,
  METHODS,
  PLAIN_BUILTINS,
  SCOPE_FIELDS,
} from '../../../authoring/choices.js';
import { EFFECTS } from '../../../contracts/effects.js';
import type { OnlyWholeKind } from '../commands/scaffold/whole.js';
import { addGlobals, collect, definer, examples, type Given, type Outcome, outputOf } from './define-command.js';

/** Defines `ability init`, and `ability scaffold` with the commands under it. */
export function defineAuthoring(program: Command, given: Given, outcome: Outcome): void {
  definer(program, given, outcome)(
    'init [dir]',
    'make a folder a project, with an ability that runs at once; asks at a terminal',
    () => import('../commands/init.js'),
  )
    .option('--name <name>', 'the name of the project (default: that of the folder)')
    .option(
      '--env-names <names>',
      'its environments, with commas, the default one first (default: those that definitions here name, else dev)',
    )
    .addOption(new Option('--example <which>', 'what it begins with (default: script)').choices(EXAMPLES))
    .option('--force <file>', 'overwrite this file; may be given several times, others are left', collect, [])
    .addHelpText(
      'after',
      examples(
        'ability init',
        'ability init shop --env-names dev,staging,prod --yes',
        'ability init --force AGENTS.md',
      ),
    );
  const scaffold = program
    .command('scaffold')
    .description('make abilities, implementations and hooks that run at once; asks at a terminal')
    .exitOverride();
  scaffold.configureOutput(outputOf(given));
  addGlobals(scaffold);
  scaffold.addHelpText(
    'after',
    examples('ability scaffold low-level db.read.user --kind script', 'ability scaffold hook audit --help'),
  );
  defineScaffolds(scaffold, given, outcome);
}

function defineScaffolds(scaffold: Command, given: Given, outcome: Outcome): void {
  const define = definer(scaffold, given, outcome);
  const scope = (command: Command): Command =>
    command.option('--scope <list>', `where it is valid: ${SCOPE_FIELDS.join('=A,B or ')}=A,B`, collect, []);

  const lowLevel = define(
    'low-level [key]',
    'an operation: its contract, its implementation and a first test case',
    () => import('../commands/scaffold/low-level.js'),
  );
  scope(
    whole(withKind(lowLevel))
      .option('--summary <text>', 'what it is for')
      .addOption(new Option('--effects <effect>', 'what a call changes').choices(EFFECTS)),
  ).addHelpText(
    'after',
    examples(
      'ability scaffold low-level db.read.user --kind script --language python',
      'ability scaffold low-level user.get --kind api --endpoint https://users.acme.test --path /users/{id}',
      'ability scaffold low-level logs.search --kind mcp --server logs --tool search --command "node servers/logs.mjs"',
      'ability scaffold low-level --from user.get.yaml',
    ),
  );
  scope(
    define(
      'scripts <files...>',
      'contracts for scripts that are there, many at once',
      () => import('../commands/scaffold/scripts.js'),
    )
      .option('--prefix <prefix>', 'what operation keys begin with (default: the folders of each script)')
      .option('--args <template>', 'their arguments, as a template (default: what each says that it takes)')
      .addOption(
        new Option('--effects <effect>', 'what a call of each changes (default: destructive)').choices(EFFECTS),
      ),
  ).addHelpText(
    'after',
    examples(
      'ability scaffold scripts ops/*.sh tools/*.py',
      `ability scaffold scripts reports/*.py --prefix report --effects read`,
      `ability scaffold scripts jobs/*.pl --args '--json {input_file}'`,
    ),
  );
  const highLevel = define(
    'high-level [id]',
    'a workflow that calls abilities one after the other, and a test case',
    () => import('../commands/scaffold/high-level.js'),
  ).option('--calls <ids>', 'what it calls, in order, with commas');
  scope(whole(highLevel).option('--summary <text>', 'what it is for')).addHelpText(
    'after',
    examples(
      'ability scaffold high-level onboard --calls user.get,mail.send',
      'ability scaffold high-level --from - < onboard.yaml',
    ),
  );
  const implementation = define(
    'implementation [id]',
    'another implementation of an operation, and its place in the configuration',
    () => import('../commands/scaffold/implementation.js'),
  ).option('--operation <key>', 'the operation');
  whole(withKind(implementation))
    .option('--summary <text>', 'what it is for')
    .option('--default', 'the operation runs it from now on (with --env: there only)')
    .option('--allow', 'add it to allowed_implementations, where there is such a list')
    .addHelpText(
      'after',
      examples('ability scaffold implementation users.sandbox --operation user.get --kind script --default --env dev'),
    );
  withFrom(define('hook [id]', 'a hook of a phase, and its script', () => import('../commands/scaffold/hook.js')))
    .option(
      '--phase <phase>',
      'when it fires: SessionStart, PromptSubmit, PreAbilityCreate, PreAbilityCall, PostAbilityCall, SessionStop',
    )
    .addOption(new Option('--handler <how>', 'how it answers').choices(HANDLERS))
    .option('--match <list>', `what it is for: ${MATCH_FIELDS.join(', ')}, as environments=prod,staging`, collect, [])
    .option('--deny-if <cel>', 'expression: when it says no')
    .option('--confirm-if <cel>', 'expression: when a person is asked')
    .option('--warn-if <cel>', 'expression: when it warns')
    .option('--reason <text>', 'expression: what is said then')
    .addOption(new Option('--language <name>', 'script: its language (default: node)').choices(LANGUAGES))
    .addOption(new Option('--builtin <name>', 'builtin: which one').choices(PLAIN_BUILTINS))
    .option('--summary <text>', 'what it is for')
    .addHelpText(
      'after',
      examples(
        `ability scaffold hook ticket_guard --phase PreAbilityCall --handler expression --match effects=destructive \\
      --deny-if '!has(input.ticket)' --reason "What destroys needs a ticket"`,
        'ability scaffold hook usage --phase PostAbilityCall --handler builtin --builtin usage',
        'ability scaffold hook --phase PreAbilityCall --from guards.yaml',
      ),
    );
  defineWholes(scaffold, given, outcome);
  define(
    'schemas',
    'the JSON Schemas of this version, which editors read; over those that are there',
    () => import('../commands/scaffold/schemas.js'),
  ).addHelpText('after', examples('ability scaffold schemas'));
}

/** Kinds that are only made whole, with what they are and what their argument names. Source: C-46. */
const WHOLES: [kind: OnlyWholeKind, argument: string, what: string][] = [
  ['agent', '[id]', 'the profile of an agent, from a whole definition'],
  ['cases', '[name]', 'test cases of an ability, in a file beside it'],
  ['config', '<name>', 'a file of configuration: abilities, profiles, MCP servers, services'],
  ['module', '[id]', 'the overview of a module'],
  ['capabilities', '', 'capabilities of packs, added to those there are'],
  ['packs', '', 'packs to recruit, added to those there are'],
];

function defineWholes(scaffold: Command, given: Given, outcome: Outcome): void {
  const define = definer(scaffold, given, outcome);
  for (const [kind, argument, what] of WHOLES) {
    const name = argument === '<name>' ? 'shop ' : '';
    define(`${kind} ${argument}`.trim(), what, () =>
      import('../commands/scaffold/whole.js').then(({ commandOf }) => commandOf(kind)),
    )
      .requiredOption('--from <file>', FROM)
      .addHelpText('after', examples(`ability scaffold ${kind} ${name}--from ${kind}.yaml`));
  }
}

const FROM = 'a whole definition in the form of the registry (docs/definitions.md); - reads stdin';

/** Lets a kind be given whole in place of its flags. */
function withFrom(command: Command): Command {
  return command.option('--from <file>', FROM);
}

/** As {@link withFrom}, for what may need a configuration of its own from the beginning. */
function whole(command: Command): Command {
  return withFrom(command).option('--config <file>', 'with --from: its configuration, as a file of its own');
}

/** The flags that say how an operation is implemented. */
function withKind(command: Command): Command {
  return command
    .addOption(new Option('--kind <kind>', 'what it calls').choices(KINDS))
    .addOption(new Option('--language <name>', 'script: its language (default: node)').choices(LANGUAGES))
    .option('--endpoint <url>', 'api: where the service is, a URL or env:NAME')
    .addOption(new Option('--method <method>', 'api: the method (default: GET)').choices(METHODS))
    .option('--path <path>', 'api: the path, with {name} for fields of the input (default: /)')
    .option('--server <name>', 'mcp: the server, as the configuration names it')
    .option('--tool <name>', 'mcp: its tool')
    .option('--command <words>', 'mcp: defines the server: the program and its arguments')
    .option('--url <url>', 'mcp: defines the server: its address');
}
