import { Option } from '@commander-js/extra-typings';
import { OVERLAPS } from '../../../contracts/schedules.js';
import {
  type Commands,
  declare,
  type FlagsOf,
  followFlags,
  repeatable,
  TIME,
  taskFlags,
  withFlags,
} from './declare-command.js';

const tasks = () => ({
  run: withFlags(
    declare(
      'run <id>',
      'run an ability and wait for its result',
      'ability run signup_e2e_test --set build_id=1234 --env staging',
      `ability run db.read.user_row --input '{"user_id": "u-1"}'`,
      'ability run signup_e2e_test --set build_id=1234 --junit out.xml   # in CI',
      'ability run signup_e2e_test --input @input.json --key nightly-17 --detach',
    ),
    taskFlags('your own task key; the same key and input is the same task'),
    (command) =>
      command
        .option('--direct', 'no key and no record: the task is only this call')
        .option('--detach', 'print the key and leave'),
    followFlags('wait no longer, from the start of the command; the task goes on (off a terminal: 15m)'),
  ),
  create: withFlags(
    declare(
      'create <id>',
      'check that a task can be formed and give its key; runs nothing',
      'ability task create signup_e2e_test --set build_id=1234 --json',
    ),
    taskFlags('your own task key'),
  ),
  runCreated: withFlags(
    declare('run <key>', 'run a created task and wait for its result', 'ability task run KEY').option(
      '--detach',
      'leave at once',
    ),
    followFlags(),
  ),
  show: declare('show <key>', 'show the state of a task', 'ability task show KEY'),
  get: declare(
    'get <key> [field]',
    'print the input of a task, or one field of it',
    'ability task get KEY',
    'ability task get KEY build_id',
  ),
  set: declare(
    'set <key> [assignments...]',
    'change the input of a created task; everything is checked again',
    'ability task set KEY build_id=1235',
    'ability task set KEY count:=3 notes=@notes.txt --unset reason',
    'ability task set KEY --input @input.json',
  )
    .option('--input <json>', 'several fields at once: JSON, @file, or - for stdin')
    .addOption(
      repeatable('--unset <field>', 'take a field out, so that its default holds; may be given several times'),
    ),
  result: declare('result <key>', 'print the result of a task that has ended', 'ability task result KEY --json'),
  logs: declare(
    'logs <key> [step]',
    'print what the calls of a task wrote',
    'ability task logs KEY',
    'ability task logs KEY seed -f',
  ).option('-f, --follow', 'go on until the task ends'),
  files: declare(
    'files <key>',
    'list the files of a task, or copy them',
    'ability task files KEY',
    'ability task files KEY --out ./reports',
  ).option('--out <folder>', 'copy them into this folder; nothing there is written over'),
  watch: withFlags(
    declare('watch <key>', 'wait for a task; ends with its exit code', 'ability task watch KEY'),
    followFlags(),
  ),
  cancel: declare('cancel <key>', 'ask a task to stop; its `undo` and `finally` run', 'ability task cancel KEY'),
  deletion: declare(
    'delete <key>',
    'delete a task: stop it, remove its record, leave a tombstone',
    'ability task delete KEY',
    'ability task delete KEY --purge --yes',
  )
    .option('--purge', 'delete its history in Temporal as well')
    .option('--timeout <duration>', 'wait no longer; the deletion goes on (off a terminal: 15m)'),
  pause: declare('pause <key>', 'let a task start nothing new', 'ability task pause KEY'),
  resume: declare('resume <key>', 'let a paused task go on', 'ability task resume KEY'),
  signal: declare(
    'signal <key> <name>',
    'send a task the signal that a step of it waits for',
    'ability task signal KEY build_done',
    `ability task signal KEY build_done --payload '{"ok": true}'`,
  ).option('--payload <json>', 'what the signal carries; `signal` in its condition (default: null)'),
  retry: withFlags(
    declare(
      'retry <key>',
      'try a task again that has ended, taking over what was done',
      'ability task retry KEY',
      'ability task retry KEY --from deploy',
    )
      .option('--from <step>', 'the first step to do again (default: the first that was not done)')
      .addOption(repeatable('--stands <call>', 'this call still stands, so it is not repeated'))
      .addOption(repeatable('--undone <call>', 'this call does not stand, or was undone by hand: it may be repeated'))
      .option('--detach', 'leave at once'),
    followFlags(),
  ),
  reconcile: withFlags(
    declare(
      'reconcile <key>',
      'ask what became of the calls that a task lost, and go on as `retry` does',
      'ability task reconcile KEY',
    ).option('--detach', 'leave at once'),
    followFlags(),
  ),
  list: declare(
    'list',
    'list the tasks of this project, open ones first',
    'ability task list',
    'ability task list --status waiting_approval --json',
    'ability task list --ability signup_e2e_test --env staging --since 24h --status failed --status denied',
    `ability task list --query "AbilityModule = 'integration/test' AND HistoryLength > 100"`,
  )
    .addOption(repeatable('--status <status>', 'only those in this state; may be given several times'))
    .option('--ability <id>', 'only those of this ability')
    .option('--session <id>', 'only those of this session')
    .option('--since <when>', `only those started since: 30m, 24h, 7d, or ${TIME}`)
    .option('--query <condition>', 'a list filter of Temporal that must hold as well')
    .option('--limit <n>', 'at most this many', '50'),
  record: declare('record <key>', 'print the record of a task', 'ability task record KEY'),
  open: declare('open <key>', 'open a task in the Temporal UI', 'ability task open KEY'),
});

export type TaskFlags = FlagsOf<typeof tasks>;

const COMMENT = 'why; shown with the schedule';

const schedules = () => ({
  create: declare(
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
  list: declare('list', 'list the schedules of this project', 'ability schedule list', 'ability schedule list --json'),
  show: declare('show <name>', 'show a schedule and what became of its last firings', 'ability schedule show backup'),
  pause: declare(
    'pause <name>',
    'stop it firing; its tasks go on',
    'ability schedule pause backup --comment "freeze until Monday"',
  ).option('--comment <text>', COMMENT),
  resume: declare('resume <name>', 'let it fire again', 'ability schedule resume backup').option(
    '--comment <text>',
    COMMENT,
  ),
  run: declare(
    'run <name>',
    'fire it now, or make up for a span of time',
    'ability schedule run backup',
    'ability schedule run backup --from 2026-11-20T00:00:00Z --to 2026-11-22T00:00:00Z',
  )
    .option('--from <time>', `with --to: all firings of that span, one after the other; ${TIME}`)
    .option('--to <time>', `its end; ${TIME}`),
  remove: declare('delete <name>', 'delete a schedule; its tasks go on', 'ability schedule delete backup'),
  sync: declare(
    'sync',
    'make the schedules on Temporal those that the definitions state',
    'ability schedule sync',
    'ability schedule sync --check',
  ).option('--check', 'change nothing; exit 1 where they differ'),
});

export type ScheduleFlags = FlagsOf<typeof schedules>;

export function addTasks(commands: Commands): void {
  const { run, runCreated, deletion, ...others } = tasks();
  commands.add(run, () => import('../commands/run.js'));
  const { add } = commands.group(
    'task',
    'create, run, watch and read tasks',
    'ability task list',
    'ability task show KEY',
    'ability task watch KEY',
  );
  const running = () => import('../commands/task/run.js');
  const showing = () => import('../commands/task/show.js');
  const kept = () => import('../commands/task/record.js');
  const steering = () => import('../commands/task/steer.js');
  add(others.create, running, 'create');
  add(runCreated, running);
  add(others.show, showing, 'show');
  add(others.get, showing, 'get');
  add(others.set, running, 'set');
  add(others.result, showing, 'result');
  add(others.logs, kept, 'logs');
  add(others.files, kept, 'files');
  add(others.watch, running, 'watch');
  add(others.cancel, steering, 'cancel');
  add(deletion, () => import('../commands/task/delete.js'));
  add(others.pause, steering, 'pause');
  add(others.resume, steering, 'resume');
  add(others.signal, steering, 'signal');
  add(others.retry, running, 'retry');
  add(others.reconcile, running, 'reconcile');
  add(others.list, () => import('../commands/task/list.js'));
  add(others.record, kept, 'record');
  add(others.open, showing, 'open');
  const schedule = commands.group(
    'schedule',
    'run an ability by the clock',
    'ability schedule create backup --cron "0 3 * * *" --timezone Europe/Berlin',
    'ability schedule list',
  );
  const { sync, ...byName } = schedules();
  schedule.all(byName, () => import('../commands/schedule/schedules.js'));
  schedule.add(sync, () => import('../commands/schedule/sync.js'));
}
