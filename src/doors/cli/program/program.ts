import { Argument, Command, Option } from 'commander';
import { SHELLS } from '../commands/completion/scripts.js';
import { defineAuthoring } from './authoring-program.js';
import { defineChoosing } from './choosing-program.js';
import {
  addGlobals,
  collect,
  type Define,
  definer,
  examples,
  FILE_OPTION,
  type Given,
  type Outcome,
  outputOf,
  PLAN_OPTION,
} from './define-command.js';
import { defineGuard } from './guard-program.js';
import { defineHooks } from './hooks-program.js';
import { defineImport } from './import-program.js';
import { defineMcp } from './mcp-program.js';
import { defineSchedule } from './schedule-program.js';
import { defineServe } from './serve-program.js';
import { defineSession, SCOPE_OPTION, SESSION_OPTION } from './session-program.js';
import { defineTask } from './task-program.js';
import { defineToken } from './token-program.js';

/** Builds the command line. The module of a command is loaded only when it is called. */
export function buildProgram(given: Given, outcome: Outcome): Command {
  const program = new Command('ability')
    .description('Run the operations of your team durably, on Temporal.')
    .option('-V, --version', 'print the version')
    .exitOverride()
    .configureOutput(outputOf(given))
    .showSuggestionAfterError(true)
    .addHelpText('after', EXIT_HELP);
  addGlobals(program);
  const define = definer(program, given, outcome);

  define('up', 'start the runtime of this project and stay', () => import('../commands/up.js'))
    .option('--detach', 'leave it in the background')
    .addHelpText('after', examples('ability up', 'ability up --detach'));
  define(
    'down',
    'stop the runtime of this project; tasks wait and go on later',
    () => import('../commands/down.js'),
  ).addHelpText('after', examples('ability down'));
  define('doctor', 'check everything a task needs', () => import('../commands/doctor/doctor.js'))
    .option('--fix', 'do what can be done safely')
    .addHelpText(
      'after',
      examples('ability doctor', 'ability doctor --fix', 'TEMPORAL_ADDRESS=host:7233 ability doctor'),
    );
  define('worker', 'serve tasks of a Temporal server that runs already', () => import('../commands/worker.js'))
    .option('--env <name...>', 'environments to serve (default: all)')
    .addOption(new Option('--placement <where>', 'which placement').choices(['local', 'cloud', 'all']).default('all'))
    .option('--metrics <ADDRESS>', 'serve the figures of this worker for Prometheus there, such as 127.0.0.1:9464')
    .addHelpText('after', examples('ability worker --address temporal.internal:7233 --env staging --placement cloud'));

  define('list', 'list the abilities of this project', () => import('../commands/list/list.js'))
    .option('--usage', 'how often each was called, as the hook `usage` has noted')
    .addOption(new Option('--packs', 'the packs that requests recruit').conflicts('usage'))
    .addOption(new Option('--capabilities', 'what packs can do, and the words for it').conflicts(['usage', 'packs']))
    .addHelpText(
      'after',
      examples('ability list', 'ability list --json', 'ability list --usage', 'ability list --packs'),
    );
  define(
    'show <id>',
    'show one ability: its contract, and how it runs here',
    () => import('../commands/show.js'),
  ).addHelpText('after', examples('ability show signup_e2e_test', 'ability show db.write.user_row --env staging'));
  definePlan(define);
  define(
    'graph <id>',
    'draw the steps of an ability as a Mermaid flowchart; needs no server',
    () => import('../commands/graph.js'),
  ).addHelpText(
    'after',
    examples('ability graph signup_e2e_test --env staging > signup.mmd', 'ability graph db.write.user_row'),
  );
  define(
    'lint',
    'check the definitions: what no longer holds, with file and line; needs no server',
    () => import('../commands/lint.js'),
  )
    .addOption(new Option('--format <format>', 'how to print').choices(['human', 'json', 'sarif', 'junit']))
    .option('--since <revision>', 'also report contracts that broke since then without a new `version` (Git)')
    .option('--imported', 'also slips of imported documents themselves, in their schemas and words')
    .option('--check-env', 'also check that credentials and addresses are set here')
    .option('--check-hooks', 'also run guards of other tools, with the calls that they must deny')
    .addOption(new Option('--fail-on <severity>', 'exit 1 from here on').choices(['error', 'warning']).default('error'))
    .option('--watch', 'check again whenever a definition or a script changes')
    .addHelpText(
      'after',
      examples(
        'ability lint',
        'ability lint --watch',
        'ability lint --format sarif > lint.sarif   # in CI: 0 nothing, 1 findings, 2 bad usage',
        'ability lint --since origin/main   # in CI of a pull request',
        'ability lint --check-env --fail-on warning',
      ),
    );
  defineChoosing(define, given, outcome);
  define(
    'explain <code>',
    'explain an error code, or a code of lint',
    () => import('../commands/explain.js'),
  ).addHelpText('after', examples('ability explain guard.denied'));
  define('test [id]', 'run the test cases that stand beside abilities', () => import('../commands/test.js'))
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
  define(
    'docs [paths...]',
    'write the tables of the routing documents (ABILITY.md): those in FILES or FOLDERS, or all, and the rules for AIs',
    () => import('../commands/docs/docs.js'),
  )
    .option('--check', 'write nothing; end with 1 and show the difference where one is out of step')
    .option('--add', 'write new ones, or put tables into those that have none')
    .option('--gaps', 'with --check: what was asked for and is not there, as comments on the pages')
    .option('--agents', 'write the rules for AIs: AGENTS.md, that of the registry, and docs/IMPLEMENTATION_LOG.md')
    .option('--skill <dir>', 'write the same rules as a skill (agentskills.io) into this folder of skills')
    .addHelpText(
      'after',
      examples(
        'ability docs',
        'ability docs --check   # in CI: 0 in step, 1 out of step, 2 a document is broken',
        'ability docs --add integration modules/users',
        'ability docs --skill .claude/skills',
      ),
    );
  defineRun(define);
  defineTask(program, given, outcome);
  defineSchedule(program, given, outcome);
  defineSession(program, given, outcome);
  defineAuthoring(program, given, outcome);

  define(
    'approvals [key]',
    'list what waits for a decision, or show what one task waits for in full',
    () => import('../commands/approvals/approvals.js'),
  ).addHelpText('after', examples('ability approvals', 'ability approvals KEY', 'ability approvals --json'));
  const verdicts = {
    approve: () => import('../commands/approvals/approve.js'),
    deny: () => import('../commands/approvals/deny.js'),
  };
  for (const [verdict, load] of Object.entries(verdicts)) {
    const command = define(
      verdict === 'approve' ? 'approve [key]' : `${verdict} <key>`,
      `${verdict} what a task waits for`,
      load,
    )
      .option('--approval <id>', 'which approval; may be left out while one is open')
      .option('--as <name>', 'who decides (a claim; default: you)')
      .option('--comment <text>', 'why')
      .addHelpText('after', examples(`ability ${verdict} KEY --as alice --comment "seen it"`));
    if (verdict === 'deny') {
      command
        .option('--request-changes', 'say no, and in the comment what has to change first')
        .addHelpText('after', '  $ ability deny KEY --request-changes --comment "use the small table"');
      continue;
    }
    command
      .option('--like <approval>', 'approve all open approvals that ask the same as this one; without KEY')
      .option(
        '--set <assignment>',
        'one field the approval asks for: name=text, name:=JSON, or name=@file',
        collect,
        [],
      )
      .addHelpText('after', '  $ ability approve KEY --set ticket=ABC-1\n  $ ability approve --like ask-3f9a1c20b7de');
  }
  define('why <key>', 'explain how a task came to its present state', () => import('../commands/why.js')).addHelpText(
    'after',
    examples('ability why KEY', 'ability why KEY --json'),
  );
  define(
    'replay <what>',
    'check that this build goes the way a task went: KEY, a history FILE, or a DIR of them',
    () => import('../commands/replay.js'),
  ).addHelpText(
    'after',
    examples(
      'ability replay KEY   # all its runs, and the tasks it called',
      'temporal workflow show --workflow-id KEY --output json > KEY.json && ability replay ./KEY.json',
      'ability replay test/histories --json   # in CI: 0 all replay, 1 one differs, 2 a file is unreadable',
    ),
  );
  defineGuard(define);
  defineMcp(define);
  defineHooks(program, given, outcome);
  defineImport(program, given, outcome);
  defineKeys(program, given, outcome);
  defineToken(program, given, outcome);
  defineServe(define);
  defineCompletion(define);
  return program;
}

function defineCompletion(define: Define): void {
  define(
    'completion',
    'print what a shell loads to complete commands, flags and names',
    () => import('../commands/completion/completion.js'),
  )
    .addArgument(new Argument('<shell>', 'which shell').choices(SHELLS))
    .addArgument(new Argument('[words...]', 'behind --: what is typed so far; prints what may come next'))
    .addHelpText(
      'after',
      examples(
        'source <(ability completion bash)      # in ~/.bashrc',
        'source <(ability completion zsh)       # in ~/.zshrc, after compinit',
        'ability completion fish > ~/.config/fish/completions/ability.fish',
      ),
    );
}

function defineKeys(program: Command, given: Given, outcome: Outcome): void {
  const keys = program.command('keys').description('make keys that seal plans').exitOverride();
  keys.configureOutput(outputOf(given));
  addGlobals(keys);
  keys.addHelpText('after', examples('ability keys create'));
  const define = definer(keys, given, outcome);
  define(
    'create',
    'make a seal key for ABILITY_SEAL_KEYS; it is shown once, and kept nowhere',
    () => import('../commands/keys/create.js'),
  )
    .option('--id <id>', 'what the key is called (default: from the time)')
    .option('--add', 'print the keys of ABILITY_SEAL_KEYS with the new one behind them, to rotate')
    .addHelpText(
      'after',
      examples(
        'export ABILITY_SEAL_KEYS="$(ability keys create)"',
        'ability keys create --add   # to rotate: docs/operations.md, "Rotating seal keys"',
      ),
    );
}

function definePlan(define: Define): void {
  define('plan <id>', 'show all that would happen; needs no server, runs nothing', () => import('../commands/plan.js'))
    .option('--input <json>', 'the input: JSON, @file, or - for stdin')
    .option('--set <assignment>', 'one field: name=text, name:=JSON, or name=@file', collect, [])
    .addHelpText(
      'after',
      examples(
        'ability plan signup_e2e_test --set build_id=1234 --env staging',
        'ability plan signup_e2e_test --input @input.json --json > plan.json   # then: ability run ... --plan @plan.json',
      ),
    );
}

function defineRun(define: Define): void {
  define('run <id>', 'run an ability and wait for its result', () => import('../commands/run.js'))
    .option('--input <json>', 'the input: JSON, @file, or - for stdin')
    .option('--set <assignment>', 'one field: name=text, name:=JSON, or name=@file', collect, [])
    .option('--file <assignment>', FILE_OPTION, collect, [])
    .option('--key <key>', 'your own task key; the same key and input is the same task')
    .option('--intent <text>', 'what it is for; kept and shown with the task')
    .option('--plan <digest>', PLAN_OPTION)
    .option('--session <id>', SESSION_OPTION)
    .option('--scope <folder>', SCOPE_OPTION)
    .option('--direct', 'no key and no record: the task is only this call')
    .option('--detach', 'print the key and leave')
    .option('--junit <file>', 'write the steps as JUnit XML')
    .option('--verbose', 'show what the calls write as it comes, each line with its step')
    .option(
      '--timeout <duration>',
      'wait no longer, from the start of the command; the task goes on (off a terminal: 15m)',
    )
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
