import { Option } from 'commander';
import { AGENT_TOOLS } from '../../guard/agent-tools.js';
import { type Define, examples } from './define-command.js';
import { SCOPE_OPTION } from './session-program.js';

/** Defines `ability guard`. */
export function defineGuard(define: Define): void {
  define(
    'guard',
    'answer the hook of an agent tool: its event on stdin, exit code 2 for no; needs no server',
    () => import('../commands/guard.js'),
  )
    .addOption(new Option('--for <tool>', 'whose hook it is').choices(AGENT_TOOLS).makeOptionMandatory())
    .option('--scope <folder>', SCOPE_OPTION)
    .addHelpText(
      'after',
      examples(
        'ability hooks export --to claude   # puts it before the calls of that tool',
        'ability guard --for claude < event.json',
      ),
    );
}
