import { type Command, Option } from '@commander-js/extra-typings';
import { SESSIONS } from '../../../authoring/choices.js';
import { IMPORTERS, type ImporterName } from '../../../contracts/importers.js';
import { type Commands, declare, type FlagsOf, repeatable, withFlags } from './declare-command.js';

const importFlags = (command: Command) =>
  command
    .addOption(
      repeatable('--select <pattern>', 'only those whose key or name fits, with * for any characters; repeatable'),
    )
    .option('--prefix <prefix>', 'what operation keys begin with (default: the name of the source)')
    .option('--dry-run', 'show what would be written, and write nothing')
    .option('--overwrite', 'where people and the source changed the same, take the source; bring back deleted files');

const imports = {
  mcp: () =>
    withFlags(
      declare(
        'mcp <server>',
        'make each tool of an MCP server a low-level ability',
        'ability import mcp files --dry-run   # what would be written; writes nothing',
        "ability import mcp files --select 'read_*' --select list_directory",
        'ability import mcp files --command "npx -y @modelcontextprotocol/server-filesystem ." --prefix fs',
        'ability import mcp search --url https://mcp.example.com/mcp',
        'ability import mcp files   # again, later: shows what changed, and keeps what people edited',
      ),
      importFlags,
    )
      .option('--command <line>', 'the program of a server that registry/config does not have yet; no shell reads it')
      .option('--url <url>', 'the address of such a server')
      .option('--env-profile <name>', 'the environment profile of its program')
      .addOption(
        new Option('--session <whose>', 'whether each task has a session of its own with it').choices(SESSIONS),
      )
      .option('--timeout <duration>', 'longest the server may take to say what its tools are', '30s'),
  openapi: () =>
    withFlags(
      declare(
        'openapi <source>',
        'make each operation of an OpenAPI document (3.0, 3.1; a file or an address) a low-level ability',
        'ability import openapi openapi.yaml --dry-run   # what would be written; writes nothing',
        "ability import openapi https://api.example.com/openapi.json --name billing --select 'GET /invoices*'",
        'ability import openapi openapi.yaml --server https://staging.example.com/v1',
        "ability import openapi openapi.yaml --effects-for 'billing.search_*=external_read'",
        'ability import openapi https://api.example.com/openapi.json --header "Authorization: Bearer env:DOCS_TOKEN"',
        'ability import openapi openapi.yaml   # again, later: shows what changed, and keeps what people edited',
      ),
      importFlags,
    )
      .option('--name <name>', 'what the service is called in registry/config (default: from its title)')
      .option('--server <url>', 'the address of the service, instead of what the document says')
      .addOption(
        repeatable(
          '--effects-for <pattern=effect>',
          'what operations that fit change; kept for later imports; repeatable',
        ),
      )
      .addOption(
        repeatable('--header <header>', 'sent to get the document, as "Authorization: Bearer env:TOKEN"; repeatable'),
      )
      .option('--timeout <duration>', 'longest a document may take to come', '30s'),
  hooks: () =>
    declare(
      'hooks <file>',
      'make guards of Claude Code or Codex guards of this project: settings.json or hooks.json',
      'ability import hooks .claude/settings.json --dry-run   # what would be written; writes nothing',
      'ability import hooks .claude/settings.json --tools',
      'ability import hooks .codex/hooks.json',
      'ability import hooks .claude/plugins/guard/hooks/hooks.json   # a plugin',
    )
      .option('--tools', 'also write abilities like Bash and Write, where the project has none of that name')
      .option('--name <name>', 'the folder below registry/hooks (default: from the file)')
      .option('--no-run', 'do not fire the guards with usual offences to see what they deny')
      .option('--dry-run', 'show what would be written, and write nothing')
      .option('--overwrite', 'replace files of an earlier import that were edited'),
} satisfies Record<ImporterName, unknown>;

export type ImportFlags = FlagsOf<typeof imports>;

/** What adds the command of each importer, which loads when it is called. */
const COMMANDS: Record<ImporterName, (add: Commands['add']) => Commands> = {
  mcp: (add) => add(imports.mcp(), () => import('../commands/import/mcp.js')),
  openapi: (add) => add(imports.openapi(), () => import('../commands/import/openapi.js')),
  hooks: (add) => add(imports.hooks(), () => import('../commands/import/hooks.js')),
};

export function addImports(commands: Commands): void {
  const { add } = commands.group(
    'import',
    'take over the operations of another system',
    'ability import mcp files --dry-run',
    'ability import openapi openapi.yaml --dry-run',
    'ability import hooks .claude/settings.json --dry-run',
  );
  for (const name of IMPORTERS) COMMANDS[name](add);
}
