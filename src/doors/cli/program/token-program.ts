import type { Command } from 'commander';
import { addGlobals, definer, examples, type Given, type Outcome, outputOf } from './define-command.js';

/** Defines `ability token` and the commands under it. */
export function defineToken(program: Command, given: Given, outcome: Outcome): void {
  const token = program
    .command('token')
    .description('make, list and revoke tokens of people and agents')
    .exitOverride();
  token.configureOutput(outputOf(given));
  addGlobals(token);
  token.addHelpText(
    'after',
    examples('ability token create --person alice --can read,run,approve', 'ability token list'),
  );
  const define = definer(token, given, outcome);
  define(
    'create',
    'make a token; it is shown once, and only its hash is kept',
    () => import('../commands/token/create.js'),
  )
    .requiredOption('--person <name>', 'the person in whose name it is used')
    .option('--agent <name>', 'it is of an agent that acts for that person; it never approves')
    .option('--can <rights>', 'what it allows, of read, run and approve, with commas between', 'read')
    .option('--expires <duration>', 'how long it holds, at most 366d', '90d')
    .addHelpText(
      'after',
      examples(
        'ability token create --person alice --can read,run,approve --expires 90d',
        'ability token create --agent reviewer --person alice --can read,run --expires 7d',
      ),
    );
  define('list', 'list the tokens, without what they open with', () => import('../commands/token/list.js')).addHelpText(
    'after',
    examples('ability token list', 'ability token list --json'),
  );
  define('revoke <id>', 'end a token at once and for good', () => import('../commands/token/revoke.js')).addHelpText(
    'after',
    examples('ability token revoke 3f9a1c20b7de4410'),
  );
}
