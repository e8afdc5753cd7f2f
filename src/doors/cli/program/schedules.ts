import { Option } from '@commander-js/extra-typings';
import { OVERLAPS } from '../../../contracts/schedules.js';
import { type Commands, declare, type FlagsOf, repeatable, TIME } from './declare-command.js';

const COMMENT = 'why; shown with the schedule';

const schedules = {
  create: () =>
    declare(
      'create <id>',
      'run an ability by the clock, each time as a task',
      'ability schedule create backup --cron "0 3 * * *" --timezone Europe/Berlin --env prod',
      'ability schedule create greet --name mondays --cron "0 9 * * 1" --set name=Ada --jitter 5m',
    )
      .requiredOption('--cron <fields>', 'minute, hour, day of month, month, day of week; or @daily and the like')
      .option('--timezone <name>', 'the zone of --cron, such as Europe/Berlin', 'UTC')
      .option('--name <name>', 'of the schedule (default: the id of the ability)')
      .option('--input <json>', 'the input of its tasks, as JSON, @file or - for stdin')
      .addOption(repeatable('--set <name=value>', 'one field of the input; k:=JSON, k=@file'))
      .option('--intent <text>', 'what its tasks are for, in a few words')
      .addOption(
        new Option('--overlap <what>', 'a firing while the task of an earlier one is open')
          .choices(OVERLAPS)
          .default('skip'),
      )
      .option('--jitter <duration>', 'put each firing off by up to so much', '0s')
      .option('--catch-up <duration>', 'make up for a firing that was missed within so much', '1h')
      .option('--approve-before <duration>', 'ask for the approvals that are known so much before each firing'),
  list: () =>
    declare('list', 'list the schedules of this project', 'ability schedule list', 'ability schedule list --json'),
  show: () =>
    declare('show <name>', 'show a schedule and what became of its last firings', 'ability schedule show backup'),
  pause: () =>
    declare(
      'pause <name>',
      'stop it firing; its tasks go on',
      'ability schedule pause backup --comment "freeze until Monday"',
    ).option('--comment <text>', COMMENT),
  resume: () =>
    declare('resume <name>', 'let it fire again', 'ability schedule resume backup').option('--comment <text>', COMMENT),
  run: () =>
    declare(
      'run <name>',
      'fire it now, or make up for a span of time',
      'ability schedule run backup',
      'ability schedule run backup --from 2026-11-20T00:00:00Z --to 2026-11-22T00:00:00Z',
    )
      .option('--from <time>', `with --to: all firings of that span, one after the other; ${TIME}`)
      .option('--to <time>', `its end; ${TIME}`),
  deletion: () => declare('delete <name>', 'delete a schedule; its tasks go on', 'ability schedule delete backup'),
  sync: () =>
    declare(
      'sync',
      'make the schedules on Temporal those that the definitions state',
      'ability schedule sync',
      'ability schedule sync --check',
    ).option('--check', 'change nothing; exit 1 where they differ'),
};

export type ScheduleFlags = FlagsOf<typeof schedules>;

export function addSchedules(commands: Commands): void {
  const { add } = commands.group(
    'schedule',
    'run an ability by the clock',
    'ability schedule create backup --cron "0 3 * * *" --timezone Europe/Berlin',
    'ability schedule list',
  );
  add(schedules.create(), () => import('../commands/schedule/create.js'));
  const there = () => import('../commands/schedule/schedules.js');
  add(schedules.list(), there, 'list');
  add(schedules.show(), there, 'show');
  add(schedules.pause(), there, 'pause');
  add(schedules.resume(), there, 'resume');
  add(schedules.run(), there);
  add(schedules.deletion(), there, 'remove');
  add(schedules.sync(), () => import('../commands/schedule/sync.js'));
}
