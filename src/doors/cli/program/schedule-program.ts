import { type Command, Option } from 'commander';
import { OVERLAPS } from '../../../contracts/schedules.js';
import { addGlobals, collect, definer, examples, type Given, type Outcome, outputOf } from './define-command.js';

/** Defines `ability schedule` and the commands under it. */
export function defineSchedule(program: Command, given: Given, outcome: Outcome): void {
  const schedule = program.command('schedule').description('run an ability by the clock').exitOverride();
  schedule.configureOutput(outputOf(given));
  addGlobals(schedule);
  schedule.addHelpText(
    'after',
    examples('ability schedule create backup --cron "0 3 * * *" --timezone Europe/Berlin', 'ability schedule list'),
  );
  const define = definer(schedule, given, outcome);
  define(
    'create <id>',
    'run an ability by the clock, each time as a task',
    () => import('../commands/schedule/create.js'),
  )
    .requiredOption('--cron <fields>', 'minute, hour, day of month, month, day of week; or @daily and the like')
    .option('--timezone <name>', 'the zone of --cron, such as Europe/Berlin', 'UTC')
    .option('--name <name>', 'of the schedule (default: the id of the ability)')
    .option('--input <json>', 'the input of its tasks, as JSON, @file or - for stdin')
    .option('--set <name=value>', 'one field of the input; k:=JSON, k=@file', collect, [])
    .option('--intent <text>', 'what its tasks are for, in a few words')
    .addOption(
      new Option('--overlap <what>', 'a firing while the task of an earlier one is open')
        .choices(OVERLAPS)
        .default('skip'),
    )
    .option('--jitter <duration>', 'put each firing off by up to so much', '0s')
    .option('--catch-up <duration>', 'make up for a firing that was missed within so much', '1h')
    .addHelpText(
      'after',
      examples(
        'ability schedule create backup --cron "0 3 * * *" --timezone Europe/Berlin --env prod',
        'ability schedule create greet --name mondays --cron "0 9 * * 1" --set name=Ada --jitter 5m',
      ),
    );
  define('list', 'list the schedules of this project', () => import('../commands/schedule/list.js')).addHelpText(
    'after',
    examples('ability schedule list', 'ability schedule list --json'),
  );
  define(
    'show <name>',
    'show a schedule and what became of its last firings',
    () => import('../commands/schedule/show.js'),
  ).addHelpText('after', examples('ability schedule show backup'));
  define('pause <name>', 'stop it firing; its tasks go on', () => import('../commands/schedule/pause.js'))
    .option('--comment <text>', 'why; shown with the schedule')
    .addHelpText('after', examples('ability schedule pause backup --comment "freeze until Monday"'));
  define('resume <name>', 'let it fire again', () => import('../commands/schedule/resume.js'))
    .option('--comment <text>', 'why; shown with the schedule')
    .addHelpText('after', examples('ability schedule resume backup'));
  define('run <name>', 'fire it now, or make up for a span of time', () => import('../commands/schedule/run.js'))
    .option('--from <time>', 'with --to: all firings of that span, one after the other')
    .option('--to <time>', 'ISO 8601')
    .addHelpText(
      'after',
      examples(
        'ability schedule run backup',
        'ability schedule run backup --from 2026-11-20T00:00:00Z --to 2026-11-22T00:00:00Z',
      ),
    );
  define(
    'delete <name>',
    'delete a schedule; its tasks go on',
    () => import('../commands/schedule/delete.js'),
  ).addHelpText('after', examples('ability schedule delete backup'));
  define(
    'sync',
    'make the schedules on Temporal those that the definitions state',
    () => import('../commands/schedule/sync.js'),
  )
    .option('--check', 'change nothing; exit 1 where they differ')
    .addHelpText('after', examples('ability schedule sync', 'ability schedule sync --check'));
}
