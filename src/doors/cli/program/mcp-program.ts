import { Option } from 'commander';
import { ACCESS } from '../../mcp/mcp-door.js';
import { collect, type Define, examples } from './define-command.js';

/** Defines `ability mcp`. */
export function defineMcp(define: Define): void {
  define('mcp', 'serve an agent over MCP on stdin and stdout', () => import('../commands/mcp.js'))
    .addOption(
      new Option('--access <level>', 'what it may do: find and plan, or also run; never approve')
        .choices(ACCESS)
        .default('read'),
    )
    .option(
      '--expose <glob>',
      'make abilities tools of their own, by their ids; may be given several times',
      collect,
      [],
    )
    .option('--session <id>', 'the session in which it runs abilities (default: ABILITY_SESSION, then one of its own)')
    .option('--scope <folder>', 'what its own session is about (default: ABILITY_SCOPE, then the nearest ABILITY.md)')
    .addHelpText(
      'after',
      examples(
        'ability mcp --access run --env staging',
        "ability mcp --access run --expose 'db.read.*' --expose signup_e2e_test",
        'claude mcp add ability -- npx --no ability mcp --access run   # docs/mcp.md has other tools',
      ),
    );
}
