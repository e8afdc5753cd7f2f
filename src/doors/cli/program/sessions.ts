import { type Commands, declare, type FlagsOf, SCOPE } from './declare-command.js';

const sessions = {
  start: () =>
    declare(
      'start',
      'start a session and print its id',
      'ability session start',
      'ability session start --id review-7 --scope modules/users',
    )
      .option('--id <id>', 'your own id; an open session of that id is this very session')
      .option('--scope <folder>', SCOPE)
      .option('--idle <duration>', 'end it when nothing has happened for so long', '24h'),
  prompt: () =>
    declare(
      'prompt <session> <text>',
      'run the hooks of a prompt and print the turn context; - reads it from stdin',
      'ability session prompt SESSION "Delete the test users"',
      'ability session prompt SESSION - < prompt.txt',
    ),
  show: () => declare('show <session>', 'show a session', 'ability session show SESSION --json'),
  stop: () => declare('stop <session>', 'end a session; its open tasks go on', 'ability session stop SESSION'),
};

export type SessionFlags = FlagsOf<typeof sessions>;

export function addSessions(commands: Commands): void {
  const { add } = commands.group(
    'session',
    'what an AI does between a start and a stop',
    'ability session start',
    'ability session prompt SESSION "Delete the test users"',
    'ability session stop SESSION',
  );
  const session = () => import('../commands/session.js');
  add(sessions.start(), session, 'start');
  add(sessions.prompt(), session, 'prompt');
  add(sessions.show(), session, 'show');
  add(sessions.stop(), session, 'stop');
}
