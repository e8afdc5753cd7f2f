import type { Command } from 'commander';
import {
  addGlobals,
  collect,
  type Define,
  definer,
  examples,
  type Given,
  type Outcome,
  outputOf,
} from './define-command.js';

/** Defines `ability import` and the commands under it. */
export function defineImport(program: Command, given: Given, outcome: Outcome): void {
  const group = program.command('import').description('take over the operations of another system').exitOverride();
  group.configureOutput(outputOf(given));
  addGlobals(group);
  group.addHelpText(
    'after',
    examples(
      'ability import mcp files --dry-run',
      'ability import openapi openapi.yaml --dry-run',
      'ability import arazzo purchase.arazzo.yaml --dry-run',
      'ability import hooks .claude/settings.json --dry-run',
    ),
  );
  const define = definer(group, given, outcome);
  addImportFlags(
    define(
      'mcp <server>',
      'make each tool of an MCP server a low-level ability',
      () => import('../commands/import/mcp.js'),
    ),
  )
    .option('--command <line>', 'the program of a server that registry/config does not have yet; no shell reads it')
    .option('--url <url>', 'the address of such a server')
    .option('--env-profile <name>', 'the environment profile of its program')
    .option('--timeout <duration>', 'longest the server may take to say what its tools are', '30s')
    .addHelpText(
      'after',
      examples(
        'ability import mcp files --dry-run   # what would be written; writes nothing',
        "ability import mcp files --select 'read_*' --select list_directory",
        'ability import mcp files --command "npx -y @modelcontextprotocol/server-filesystem ." --prefix fs',
        'ability import mcp search --url https://mcp.example.com/mcp',
        'ability import mcp files   # again, later: shows what changed, and keeps what people edited',
      ),
    );
  defineOpenApi(define);
  defineArazzo(define);
  defineHooks(define);
}

function defineOpenApi(define: Define): void {
  addImportFlags(
    define(
      'openapi <source>',
      'make each operation of an OpenAPI document (3.0, 3.1; a file or an address) a low-level ability',
      () => import('../commands/import/openapi.js'),
    ),
  )
    .option('--name <name>', 'what the service is called in registry/config (default: from its title)')
    .option('--server <url>', 'the address of the service, instead of what the document says')
    .option(
      '--effects-for <pattern=effect>',
      'what operations that fit change; kept for later imports; repeatable',
      collect,
      [],
    )
    .option(
      '--header <header>',
      'sent to get the document, as "Authorization: Bearer env:TOKEN"; repeatable',
      collect,
      [],
    )
    .option('--timeout <duration>', 'longest a document may take to come', '30s')
    .addHelpText(
      'after',
      examples(
        'ability import openapi openapi.yaml --dry-run   # what would be written; writes nothing',
        "ability import openapi https://api.example.com/openapi.json --name billing --select 'GET /invoices*'",
        'ability import openapi openapi.yaml --server https://staging.example.com/v1',
        "ability import openapi openapi.yaml --effects-for 'billing.search_*=external_read'",
        'ability import openapi https://api.example.com/openapi.json --header "Authorization: Bearer env:DOCS_TOKEN"',
        'ability import openapi openapi.yaml   # again, later: shows what changed, and keeps what people edited',
      ),
    );
}

function defineArazzo(define: Define): void {
  addImportFlags(
    define(
      'arazzo <source>',
      'make each workflow of an Arazzo document (1.0, 1.1) a workflow, after its OpenAPI documents were imported',
      () => import('../commands/import/arazzo.js'),
    ),
  )
    .option('--name <name>', 'what the import is called (default: from its title)')
    .option('--source <source=import>', 'which import a source description of the document is; repeatable', collect, [])
    .option(
      '--header <header>',
      'sent to get the document, as "Authorization: Bearer env:TOKEN"; repeatable',
      collect,
      [],
    )
    .option('--timeout <duration>', 'longest a document may take to come', '30s')
    .addHelpText(
      'after',
      examples(
        'ability import openapi petstore.yaml --name petstore   # first: the operations',
        'ability import arazzo purchase.arazzo.yaml --dry-run   # what would be written; writes nothing',
        'ability import arazzo purchase.arazzo.yaml --source petStoreDescription=petstore',
      ),
    );
}

function defineHooks(define: Define): void {
  define(
    'hooks <file>',
    'make guards of Claude Code or Codex guards of this project: settings.json or hooks.json',
    () => import('../commands/import/hooks.js'),
  )
    .option('--tools', 'also write abilities like Bash and Write, where the project has none of that name')
    .option('--name <name>', 'the folder below registry/hooks (default: from the file)')
    .option('--no-run', 'do not fire the guards with usual offences to see what they deny')
    .option('--dry-run', 'show what would be written, and write nothing')
    .option('--overwrite', 'replace files of an earlier import that were edited')
    .addHelpText(
      'after',
      examples(
        'ability import hooks .claude/settings.json --dry-run   # what would be written; writes nothing',
        'ability import hooks .claude/settings.json --tools',
        'ability import hooks .codex/hooks.json',
        'ability import hooks .claude/plugins/guard/hooks/hooks.json   # a plugin',
      ),
    );
}

/** The flags that all imports have. */
function addImportFlags(command: Command): Command {
  return command
    .option(
      '--select <pattern>',
      'only those whose key or name fits, with * for any characters; repeatable',
      collect,
      [],
    )
    .option('--prefix <prefix>', 'what operation keys begin with (default: the name of the source)')
    .option('--dry-run', 'show what would be written, and write nothing')
    .option('--overwrite', 'where people and the source changed the same, take the source; bring back deleted files');
}
