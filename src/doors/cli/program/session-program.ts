import type { Command } from 'commander';
import { addGlobals, definer, examples, type Given, type Outcome, outputOf } from './define-command.js';

/** What `--session` is for, wherever a task is created. */
export const SESSION_OPTION = 'the session that it belongs to (default: ABILITY_SESSION)';

/** What `--scope` is for, wherever something is asked for. */
export const SCOPE_OPTION = 'the folder that it is about (default: ABILITY_SCOPE, then the nearest ABILITY.md)';

/** Defines `ability session` and the commands under it. */
export function defineSession(program: Command, given: Given, outcome: Outcome): void {
  const session = program.command('session').description('what an AI does between a start and a stop').exitOverride();
  session.configureOutput(outputOf(given));
  addGlobals(session);
  session.addHelpText(
    'after',
    examples(
      'ability session start',
      'ability session prompt SESSION "Delete the test users"',
      'ability session stop SESSION',
    ),
  );
  const define = definer(session, given, outcome);
  define('start', 'start a session and print its id', () => import('../commands/session/start.js'))
    .option('--id <id>', 'your own id; an open session of that id is this very session')
    .option('--scope <folder>', SCOPE_OPTION)
    .option('--idle <duration>', 'end it when nothing has happened for so long', '24h')
    .addHelpText(
      'after',
      examples('ability session start', 'ability session start --id review-7 --scope modules/users'),
    );
  define(
    'prompt <session> <text>',
    'run the hooks of a prompt and print the turn context; - reads it from stdin',
    () => import('../commands/session/prompt.js'),
  ).addHelpText(
    'after',
    examples('ability session prompt SESSION "Delete the test users"', 'ability session prompt SESSION - < prompt.txt'),
  );
  define('show <session>', 'show a session', () => import('../commands/session/show.js')).addHelpText(
    'after',
    examples('ability session show SESSION --json'),
  );
  define(
    'stop <session>',
    'end a session; its open tasks go on',
    () => import('../commands/session/stop.js'),
  ).addHelpText('after', examples('ability session stop SESSION'));
}
