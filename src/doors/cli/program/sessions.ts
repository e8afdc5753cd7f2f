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
  add(sessions.start(), () => import('../commands/session/start.js'));
  add(
    declare(
      'prompt <session> <text>',
      'run the hooks of a prompt and print the turn context; - reads it from stdin',
      'ability session prompt SESSION "Delete the test users"',
      'ability session prompt SESSION - < prompt.txt',
    ),
    () => import('../commands/session/prompt.js'),
  );
  add(declare('show <session>', 'show a session', 'ability session show SESSION --json'), () =>
    import('../commands/session/show-or-stop.js').then(({ show: run }) => ({ run })),
  );
  add(declare('stop <session>', 'end a session; its open tasks go on', 'ability session stop SESSION'), () =>
    import('../commands/session/show-or-stop.js').then(({ stop: run }) => ({ run })),
  );
}
