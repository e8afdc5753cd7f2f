import { Option } from '@commander-js/extra-typings';
import { CALLERS } from '../../../contracts/callers.js';
import { AGENT_TOOLS } from '../../guard/agent-tools.js';
import { ACCESS } from '../../mcp/mcp-door.js';
import { type Commands, declare, type FlagsOf, repeatable, SCOPE } from './declare-command.js';

const agentTools = () => ({
  guard: declare(
    'guard',
    'answer the hook of an agent tool: its event on stdin, exit code 2 for no; needs no server',
    'ability hooks export --to claude   # puts it before the calls of that tool',
    'ability guard --for claude < event.json',
  )
    .addOption(new Option('--for <tool>', 'whose hook it is').choices(AGENT_TOOLS).makeOptionMandatory())
    .option('--scope <folder>', SCOPE),
  mcp: declare(
    'mcp',
    'serve an agent over MCP on stdin and stdout',
    'ability mcp --access run --env staging',
    "ability mcp --access run --expose 'db.read.*' --expose signup_e2e_test",
    'claude mcp add ability -- npx --no ability mcp --access run   # docs/mcp.md has other tools',
  )
    .addOption(
      new Option('--access <level>', 'what it may do: find and plan, or also run; never approve')
        .choices(ACCESS)
        .default('read'),
    )
    .addOption(
      repeatable('--expose <glob>', 'make abilities tools of their own, by their ids; may be given several times'),
    )
    .option('--session <id>', 'the session in which it runs abilities (default: ABILITY_SESSION, then one of its own)')
    .option('--scope <folder>', 'what its own session is about (default: ABILITY_SCOPE, then the nearest ABILITY.md)'),
  listHooks: declare(
    'list [id]',
    'what would run around an ability, in which order and why; without ID all hooks',
    'ability hooks list',
    'ability hooks list db.write.user_row --env prod --caller agent',
  ).addOption(new Option('--caller <kind>', 'for this kind of caller (default: any)').choices(CALLERS)),
  testHooks: declare(
    'test [hook]',
    'ask one hook about an event; without HOOK run the examples and `must_deny` of all hooks',
    'ability hooks test   # in CI: 0 all as they say, 1 one answers otherwise',
    'ability hooks test prod_write_guard --context event.json   # 1 where it has failed, or decides not as expected',
  )
    .option(
      '--context <file>',
      'the event: an EventContext as JSON, or parts of one, or { context, expect }; - for stdin',
    )
    .option('--phase <phase>', 'of which phase the hook is, where several have one of its name'),
  exportHooks: declare(
    'export',
    'put `ability guard` into the settings of an agent tool, before each of its calls',
    'ability hooks export --to claude',
    'ability hooks export --to cursor',
  ).addOption(new Option('--to <tool>', 'into whose settings').choices(AGENT_TOOLS).makeOptionMandatory()),
});

export type AgentToolFlags = FlagsOf<typeof agentTools>;

const sessions = () => ({
  start: declare(
    'start',
    'start a session and print its id',
    'ability session start',
    'ability session start --id review-7 --scope modules/users',
  )
    .option('--id <id>', 'your own id; an open session of that id is this very session')
    .option('--scope <folder>', SCOPE)
    .option('--idle <duration>', 'end it when nothing has happened for so long', '24h'),
  prompt: declare(
    'prompt <session> <text>',
    'run the hooks of a prompt and print the turn context; - reads it from stdin',
    'ability session prompt SESSION "Delete the test users"',
    'ability session prompt SESSION - < prompt.txt',
  ),
  show: declare('show <session>', 'show a session', 'ability session show SESSION --json'),
  stop: declare('stop <session>', 'end a session; its open tasks go on', 'ability session stop SESSION'),
});

export type SessionFlags = FlagsOf<typeof sessions>;

export function addAgentTools(commands: Commands): void {
  const { guard, mcp, listHooks, testHooks, exportHooks } = agentTools();
  commands.add(guard, () => import('../commands/guard.js'));
  commands.add(mcp, () => import('../commands/mcp.js'));
  const { add } = commands.group(
    'hooks',
    'list hooks, try them out, and guard the calls of agent tools',
    'ability hooks list',
    'ability hooks test',
    'ability hooks export --to claude',
  );
  add(listHooks, () => import('../commands/hooks/list.js'));
  add(testHooks, () => import('../commands/hooks/test.js'));
  add(exportHooks, () => import('../commands/hooks/export.js'));
}

export function addSessions(commands: Commands): void {
  const { all } = commands.group(
    'session',
    'what an AI does between a start and a stop',
    'ability session start',
    'ability session prompt SESSION "Delete the test users"',
    'ability session stop SESSION',
  );
  all(sessions(), () => import('../commands/session.js'));
}
