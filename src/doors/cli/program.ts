import { Command, Option } from 'commander';
import type { ExitCode } from '../../contracts/exit-codes.js';
import type { Context, GlobalFlags } from './context.js';
import type { Terminal } from './terminal.js';

/** Where the exit code of the command that ran is left. */
export interface Outcome {
  exit: ExitCode;
}

/** What the module of a command exports. */
interface CommandModule<Options> {
  run(context: Context, args: string[], options: Options): Promise<ExitCode>;
}

/** Builds the command line. The module of a command is loaded only when it is called. */
export function buildProgram(terminal: Terminal, outcome: Outcome): Command {
  const program = new Command('ability')
    .description('Run the operations of your team durably, on Temporal.')
    .option('-V, --version', 'print the version')
    .exitOverride()
    .configureOutput({ writeErr: () => {}, outputError: () => {} })
    .showSuggestionAfterError(true)
    .addHelpText('after', EXIT_HELP);
  addGlobals(program);
  const define = definer(program, terminal, outcome);

  define('up', 'start the runtime of this project and stay', () => import('./commands/up.js'))
    .option('--detach', 'leave it in the background')
    .addHelpText('after', examples('ability up', 'ability up --detach'));
  define(
    'down',
    'stop the runtime of this project; tasks wait and go on later',
    () => import('./commands/down.js'),
  ).addHelpText('after', examples('ability down'));
  define('doctor', 'check everything a task needs', () => import('./commands/doctor.js'))
    .option('--fix', 'do what can be done safely')
    .addHelpText(
      'after',
      examples('ability doctor', 'ability doctor --fix', 'TEMPORAL_ADDRESS=host:7233 ability doctor'),
    );
  define('worker', 'serve tasks of a Temporal server that somebody runs', () => import('./commands/worker.js'))
    .option('--env <name...>', 'environments to serve (default: all)')
    .addOption(new Option('--placement <where>', 'which placement').choices(['local', 'cloud', 'all']).default('all'))
    .addHelpText('after', examples('ability worker --address temporal.internal:7233 --env staging --placement cloud'));

  define('list', 'list the abilities of this project', () => import('./commands/list.js')).addHelpText(
    'after',
    examples('ability list', 'ability list --json'),
  );
  define(
    'show <id>',
    'show one ability: its contract, and how it runs here',
    () => import('./commands/show.js'),
  ).addHelpText('after', examples('ability show signup_e2e_test', 'ability show db.write.user_row --env staging'));
  define(
    'graph <id>',
    'draw the steps of an ability as a Mermaid flowchart; needs no server',
    () => import('./commands/graph.js'),
  ).addHelpText(
    'after',
    examples('ability graph signup_e2e_test --env staging > signup.mmd', 'ability graph db.write.user_row'),
  );
  define('explain <code>', 'explain an error code', () => import('./commands/explain.js')).addHelpText(
    'after',
    examples('ability explain guard.denied'),
  );
  define('test [id]', 'run the test cases that stand beside abilities', () => import('./commands/test.js'))
    .option('--junit <file>', 'write the cases as JUnit XML')
    .option('--watch', 'run them again whenever a definition or a script changes')
    .addHelpText(
      'after',
      examples(
        'ability test',
        'ability test signup_e2e_test --watch',
        'ability test --junit cases.xml   # in CI: 0 all passed, 1 a case failed, 2 a file of cases is broken',
      ),
    );
  defineRun(define);
  defineTask(program, terminal, outcome);

  define('approvals', 'list what waits for a decision', () => import('./commands/approvals.js')).addHelpText(
    'after',
    examples('ability approvals', 'ability approvals --json'),
  );
  for (const verdict of ['approve', 'deny'] as const) {
    const command = define(
      `${verdict} <key>`,
      `${verdict} what a task waits for`,
      () => import(`./commands/${verdict}.js`),
    )
      .option('--approval <id>', 'which approval; may be left out while one is open')
      .option('--as <name>', 'who decides (a claim; default: you)')
      .option('--comment <text>', 'why')
      .addHelpText('after', examples(`ability ${verdict} KEY --as alice --comment "seen it"`));
    if (verdict === 'deny') continue;
    command
      .option(
        '--set <assignment>',
        'one field the approval asks for: name=text, name:=JSON, or name=@file',
        collect,
        [],
      )
      .addHelpText('after', '  $ ability approve KEY --set ticket=ABC-1');
  }
  define('why <key>', 'tell how a task came to stand as it does', () => import('./commands/why.js')).addHelpText(
    'after',
    examples('ability why KEY', 'ability why KEY --json'),
  );
  define(
    'replay <what>',
    'check that this build goes the way a task went: KEY, a history FILE, or a DIR of them',
    () => import('./commands/replay.js'),
  ).addHelpText(
    'after',
    examples(
      'ability replay KEY   # all its runs, and the tasks it called',
      'temporal workflow show --workflow-id KEY --output json > KEY.json && ability replay ./KEY.json',
      'ability replay test/histories --json   # in CI: 0 all replay, 1 one differs, 2 a file is unreadable',
    ),
  );
  return program;
}

type Define = (usage: string, description: string, load: () => Promise<CommandModule<never>>) => Command;

function defineRun(define: Define): void {
  define('run <id>', 'run an ability and wait for its result', () => import('./commands/run.js'))
    .option('--input <json>', 'the input: JSON, @file, or - for stdin')
    .option('--set <assignment>', 'one field: name=text, name:=JSON, or name=@file', collect, [])
    .option('--key <key>', 'your own task key; the same key and input is the same task')
    .option('--direct', 'no key and no record: the task is only this call')
    .option('--detach', 'print the key and leave')
    .option('--junit <file>', 'write the steps as JUnit XML')
    .option('--timeout <duration>', 'wait no longer; the task goes on (off a terminal: 15m)')
    .option('--wait-approval <duration>', 'off a terminal: wait this long for an approval')
    .addHelpText(
      'after',
      examples(
        'ability run signup_e2e_test --set build_id=1234 --env staging',
        `ability run db.read.user_row --input '{"user_id": "u-1"}'`,
        'ability run signup_e2e_test --set build_id=1234 --junit out.xml   # in CI',
        'ability run signup_e2e_test --input @input.json --key nightly-17 --detach',
      ),
    );
}

function defineTask(program: Command, terminal: Terminal, outcome: Outcome): void {
  const task = program.command('task').description('create, run, watch and read tasks').exitOverride();
  task.configureOutput({ writeErr: () => {}, outputError: () => {} });
  addGlobals(task);
  task.addHelpText('after', examples('ability task list', 'ability task show KEY', 'ability task watch KEY'));
  const define = definer(task, terminal, outcome);
  define(
    'create <id>',
    'check that a task can be formed and give its key; runs nothing',
    () => import('./commands/task-create.js'),
  )
    .option('--input <json>', 'the input: JSON, @file, or - for stdin')
    .option('--set <assignment>', 'one field: name=text, name:=JSON, or name=@file', collect, [])
    .option('--key <key>', 'your own task key')
    .addHelpText('after', examples('ability task create signup_e2e_test --set build_id=1234 --json'));
  define('run <key>', 'run a created task and wait for its result', () => import('./commands/task-run.js'))
    .option('--detach', 'leave at once')
    .option('--junit <file>', 'write the steps as JUnit XML')
    .option('--timeout <duration>', 'wait no longer; the task goes on')
    .option('--wait-approval <duration>', 'off a terminal: wait this long for an approval')
    .addHelpText('after', examples('ability task run KEY'));
  define('show <key>', 'show how a task stands', () => import('./commands/task-show.js')).addHelpText(
    'after',
    examples('ability task show KEY'),
  );
  define(
    'get <key> [field]',
    'print the input of a task, or one field of it',
    () => import('./commands/task-get.js'),
  ).addHelpText('after', examples('ability task get KEY', 'ability task get KEY build_id'));
  define(
    'set <key> [assignments...]',
    'change the input of a created task; everything is checked again',
    () => import('./commands/task-set.js'),
  )
    .option('--input <json>', 'several fields at once: JSON, @file, or - for stdin')
    .option('--unset <field>', 'take a field out, so that its default holds; may be given several times', collect, [])
    .addHelpText(
      'after',
      examples(
        'ability task set KEY build_id=1235',
        'ability task set KEY count:=3 notes=@notes.txt --unset reason',
        'ability task set KEY --input @input.json',
      ),
    );
  define(
    'result <key>',
    'print the result of a task that has ended',
    () => import('./commands/task-result.js'),
  ).addHelpText('after', examples('ability task result KEY --json'));
  define('logs <key> [step]', 'print what the calls of a task wrote', () => import('./commands/task-logs.js'))
    .option('-f, --follow', 'go on until the task ends')
    .addHelpText('after', examples('ability task logs KEY', 'ability task logs KEY seed -f'));
  define('watch <key>', 'wait for a task; ends with its exit code', () => import('./commands/task-watch.js'))
    .option('--junit <file>', 'write the steps as JUnit XML')
    .option('--timeout <duration>', 'wait no longer; the task goes on')
    .option('--wait-approval <duration>', 'off a terminal: wait this long for an approval')
    .addHelpText('after', examples('ability task watch KEY'));
  define(
    'cancel <key>',
    'ask a task to stop; its clean-up runs',
    () => import('./commands/task-cancel.js'),
  ).addHelpText('after', examples('ability task cancel KEY'));
  define(
    'delete <key>',
    'delete a task: stop it, remove its record, leave a tombstone',
    () => import('./commands/task-delete.js'),
  )
    .option('--purge', 'delete its history in Temporal as well')
    .option('--timeout <duration>', 'wait no longer; the deletion goes on (off a terminal: 15m)')
    .addHelpText('after', examples('ability task delete KEY', 'ability task delete KEY --purge --yes'));
  define('pause <key>', 'let a task start nothing new', () => import('./commands/task-pause.js')).addHelpText(
    'after',
    examples('ability task pause KEY'),
  );
  define('resume <key>', 'let a paused task go on', () => import('./commands/task-resume.js')).addHelpText(
    'after',
    examples('ability task resume KEY'),
  );
  define(
    'signal <key> <name>',
    'send a task the signal that a step of it waits for',
    () => import('./commands/task-signal.js'),
  )
    .option('--payload <json>', 'what the signal carries; `signal` in its condition (default: null)')
    .addHelpText(
      'after',
      examples('ability task signal KEY build_done', `ability task signal KEY build_done --payload '{"ok": true}'`),
    );
  define(
    'retry <key>',
    'try a task again that has ended, taking over what was done',
    () => import('./commands/task-retry.js'),
  )
    .option('--from <step>', 'the first step to do again (default: the first that was not done)')
    .option('--detach', 'leave at once')
    .option('--junit <file>', 'write the steps as JUnit XML')
    .option('--timeout <duration>', 'wait no longer; the task goes on')
    .option('--wait-approval <duration>', 'off a terminal: wait this long for an approval')
    .addHelpText('after', examples('ability task retry KEY', 'ability task retry KEY --from deploy'));
  define('list', 'list the tasks of this project, open ones first', () => import('./commands/task-list.js'))
    .option('--status <status>', 'only those in this state; may be given several times', collect, [])
    .option('--ability <id>', 'only those of this ability')
    .option('--session <id>', 'only those of this session')
    .option('--since <when>', 'only those started since: 30m, 24h, 7d, or a time such as 2026-01-31T08:00:00Z')
    .option('--query <condition>', 'a list filter of Temporal that must hold as well')
    .option('--limit <n>', 'at most this many', '50')
    .addHelpText(
      'after',
      examples(
        'ability task list',
        'ability task list --status waiting_approval --json',
        'ability task list --ability signup_e2e_test --env staging --since 24h --status failed --status denied',
        `ability task list --query "AbilityModule = 'integration/test' AND HistoryLength > 100"`,
      ),
    );
  define('record <key>', 'print the record of a task', () => import('./commands/task-record.js')).addHelpText(
    'after',
    examples('ability task record KEY'),
  );
  define('open <key>', 'open a task in the Temporal UI', () => import('./commands/task-open.js')).addHelpText(
    'after',
    examples('ability task open KEY'),
  );
}

/** Defines commands under a parent, each with the global flags and a module that is loaded when it is called. */
function definer(parent: Command, terminal: Terminal, outcome: Outcome): Define {
  return (usage, description, load) => {
    const command = parent.command(usage).description(description).exitOverride();
    command.configureOutput({ writeErr: () => {}, outputError: () => {} });
    addGlobals(command, usage.startsWith('worker'));
    return command.action(async () => {
      const args = command.processedArgs.flat().filter((arg): arg is string => typeof arg === 'string');
      const options = command.optsWithGlobals<GlobalFlags & Record<string, unknown>>();
      const { run } = await load();
      outcome.exit = await run({ flags: options, terminal, cwd: process.cwd() }, args, options as never);
    });
  };
}

/** Flags every command takes, before its name or after it. */
function addGlobals(command: Command, hasOwnEnv = false): void {
  command
    .option('--project <dir>', 'the project (default: the nearest ability.yaml upwards)')
    .option('--address <host:port>', 'a Temporal server, instead of the runtime of the project')
    .option('--namespace <name>', 'its namespace')
    .option('--profile <name>', 'a profile of the Temporal configuration file')
    .option('--json', 'print exactly one JSON value on stdout')
    .option('--yes', 'answer the questions of the command itself with yes; never an approval')
    .option('--strict', 'refuse where the definitions of the worker differ from those here');
  if (!hasOwnEnv) command.option('--env <name>', 'the environment (default: ABILITY_ENV, then default_environment)');
}

/** Lets an option be given several times. */
function collect(value: string, before: string[]): string[] {
  return [...before, value];
}

function examples(...lines: string[]): string {
  return `\nExamples:\n${lines.map((line) => `  $ ${line}`).join('\n')}`;
}

const EXIT_HELP = `
Exit codes:
  0 succeeded   1 the task failed   2 bad usage or invalid input   3 unavailable   4 denied
  5 waiting for an approval   6 timed out   7 Temporal, worker or engine out of order
  8 outcome unknown   130 interrupted (the task goes on)

Examples:
  $ ability list
  $ ability run signup_e2e_test --set build_id=1234
  $ ability approve KEY --as alice
  $ ability explain guard.denied`;
