import type { Command } from 'commander';
import {
  addGlobals,
  collect,
  definer,
  examples,
  FILE_OPTION,
  type Given,
  type Outcome,
  outputOf,
  PLAN_OPTION,
} from './define-command.js';
import { SCOPE_OPTION, SESSION_OPTION } from './session-program.js';

/** Defines `ability task` and the commands under it. */
export function defineTask(program: Command, given: Given, outcome: Outcome): void {
  const task = program.command('task').description('create, run, watch and read tasks').exitOverride();
  task.configureOutput(outputOf(given));
  addGlobals(task);
  task.addHelpText('after', examples('ability task list', 'ability task show KEY', 'ability task watch KEY'));
  const define = definer(task, given, outcome);
  define(
    'create <id>',
    'check that a task can be formed and give its key; runs nothing',
    () => import('../commands/task/create.js'),
  )
    .option('--input <json>', 'the input: JSON, @file, or - for stdin')
    .option('--set <assignment>', 'one field: name=text, name:=JSON, or name=@file', collect, [])
    .option('--file <assignment>', FILE_OPTION, collect, [])
    .option('--key <key>', 'your own task key')
    .option('--intent <text>', 'what it is for; kept and shown with the task')
    .option('--plan <digest>', PLAN_OPTION)
    .option('--session <id>', SESSION_OPTION)
    .option('--scope <folder>', SCOPE_OPTION)
    .addHelpText('after', examples('ability task create signup_e2e_test --set build_id=1234 --json'));
  define('run <key>', 'run a created task and wait for its result', () => import('../commands/task/run.js'))
    .option('--detach', 'leave at once')
    .option('--junit <file>', 'write the steps as JUnit XML')
    .option('--verbose', 'show what the calls write as it comes, each line with its step')
    .option('--timeout <duration>', 'wait no longer, from the start of the command; the task goes on')
    .option('--wait-approval <duration>', 'off a terminal: wait this long for an approval')
    .addHelpText('after', examples('ability task run KEY'));
  define('show <key>', 'show the state of a task', () => import('../commands/task/show.js')).addHelpText(
    'after',
    examples('ability task show KEY'),
  );
  define(
    'get <key> [field]',
    'print the input of a task, or one field of it',
    () => import('../commands/task/get.js'),
  ).addHelpText('after', examples('ability task get KEY', 'ability task get KEY build_id'));
  define(
    'set <key> [assignments...]',
    'change the input of a created task; everything is checked again',
    () => import('../commands/task/set.js'),
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
    () => import('../commands/task/result.js'),
  ).addHelpText('after', examples('ability task result KEY --json'));
  define('logs <key> [step]', 'print what the calls of a task wrote', () => import('../commands/task/logs.js'))
    .option('-f, --follow', 'go on until the task ends')
    .addHelpText('after', examples('ability task logs KEY', 'ability task logs KEY seed -f'));
  define('files <key>', 'list the files of a task, or copy them', () => import('../commands/task/files.js'))
    .option('--out <folder>', 'copy them into this folder; nothing there is written over')
    .addHelpText('after', examples('ability task files KEY', 'ability task files KEY --out ./reports'));
  define('watch <key>', 'wait for a task; ends with its exit code', () => import('../commands/task/watch.js'))
    .option('--junit <file>', 'write the steps as JUnit XML')
    .option('--verbose', 'show what the calls write as it comes, each line with its step')
    .option('--timeout <duration>', 'wait no longer, from the start of the command; the task goes on')
    .option('--wait-approval <duration>', 'off a terminal: wait this long for an approval')
    .addHelpText('after', examples('ability task watch KEY'));
  define(
    'cancel <key>',
    'ask a task to stop; its clean-up runs',
    () => import('../commands/task/cancel.js'),
  ).addHelpText('after', examples('ability task cancel KEY'));
  define(
    'delete <key>',
    'delete a task: stop it, remove its record, leave a tombstone',
    () => import('../commands/task/delete.js'),
  )
    .option('--purge', 'delete its history in Temporal as well')
    .option('--timeout <duration>', 'wait no longer; the deletion goes on (off a terminal: 15m)')
    .addHelpText('after', examples('ability task delete KEY', 'ability task delete KEY --purge --yes'));
  define('pause <key>', 'let a task start nothing new', () => import('../commands/task/pause.js')).addHelpText(
    'after',
    examples('ability task pause KEY'),
  );
  define('resume <key>', 'let a paused task go on', () => import('../commands/task/resume.js')).addHelpText(
    'after',
    examples('ability task resume KEY'),
  );
  define(
    'signal <key> <name>',
    'send a task the signal that a step of it waits for',
    () => import('../commands/task/signal.js'),
  )
    .option('--payload <json>', 'what the signal carries; `signal` in its condition (default: null)')
    .addHelpText(
      'after',
      examples('ability task signal KEY build_done', `ability task signal KEY build_done --payload '{"ok": true}'`),
    );
  define(
    'retry <key>',
    'try a task again that has ended, taking over what was done',
    () => import('../commands/task/retry.js'),
  )
    .option('--from <step>', 'the first step to do again (default: the first that was not done)')
    .option('--detach', 'leave at once')
    .option('--junit <file>', 'write the steps as JUnit XML')
    .option('--verbose', 'show what the calls write as it comes, each line with its step')
    .option('--timeout <duration>', 'wait no longer, from the start of the command; the task goes on')
    .option('--wait-approval <duration>', 'off a terminal: wait this long for an approval')
    .addHelpText('after', examples('ability task retry KEY', 'ability task retry KEY --from deploy'));
  define('list', 'list the tasks of this project, open ones first', () => import('../commands/task/list.js'))
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
  define('record <key>', 'print the record of a task', () => import('../commands/task/record.js')).addHelpText(
    'after',
    examples('ability task record KEY'),
  );
  define('open <key>', 'open a task in the Temporal UI', () => import('../commands/task/open.js')).addHelpText(
    'after',
    examples('ability task open KEY'),
  );
}
