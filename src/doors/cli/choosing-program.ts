import { Option } from 'commander';
import { collect, type Define, examples } from './define-command.js';
import { SCOPE_OPTION } from './session-program.js';

/** From plain words to abilities, and what is learnt where there are none. */
export function defineChoosing(define: Define): void {
  define(
    'route <text...>',
    'the abilities that fit a request in plain words; - reads it from stdin',
    () => import('./commands/route.js'),
  )
    .addOption(
      new Option('--detail <how much>', 'what is told of each')
        .choices(['name', 'summary', 'schema'])
        .default('summary'),
    )
    .option('--step <text>', 'a step of the request, routed by itself as well', collect, [])
    .option('--scope <folder>', SCOPE_OPTION)
    .addHelpText(
      'after',
      examples(
        'ability route "check that the new build can sign users up"',
        'ability route "set up a demo account" --step "write the user row" --step "read the log"',
        'ability route "run the billing regression" --detail schema --json',
      ),
    );
  define(
    'ask <text...>',
    'from a request in plain words to what is run, or one question; - reads it from stdin',
    () => import('./commands/ask.js'),
  )
    .option('--pack <id>', 'the pack that is to do it, as `ability list --packs` names them')
    .option('--dry-run', 'only say what it would come to; needs no server, and its hooks say nothing')
    .option('--session <id>', 'a session that is open: an answer to its question, or what refers to what was said')
    .option('--scope <folder>', SCOPE_OPTION)
    .option('--key <id>', 'your own id of the run: the same request with the same id is the same run')
    .option('--timeout <duration>', 'stop waiting after this time; without a terminal 15m')
    .option('--wait-approval <duration>', 'wait so long for people; without it not at all, but at a terminal')
    .option('--verbose', 'show what the calls write as it comes')
    .addHelpText(
      'after',
      examples(
        'ability ask "run the signup test for build 1234" --env staging',
        'ability ask --session s-01kt... yes',
        'ability ask "check the billing of build 88" --dry-run --json',
      ),
    );
  define(
    'harvest',
    'what was asked for and is not there, and scripts that may be worth an ability',
    () => import('./commands/harvest.js'),
  ).addHelpText('after', examples('ability harvest', 'ability harvest --json'));
  define('prune', 'abilities that may not be needed: unused, alike, deprecated', () => import('./commands/prune.js'))
    .option('--unused <duration>', 'not called for so long', '90d')
    .option('--deprecate <id>', 'mark this one as deprecated in its file; nothing is removed')
    .option('--replaced-by <id>', 'with --deprecate: what takes its place')
    .addHelpText(
      'after',
      examples(
        'ability prune',
        'ability prune --unused 30d --json',
        'ability prune --deprecate db.old --replaced-by db.new',
      ),
    );
}
