import { type Command, Option } from 'commander';
import { CALLERS } from '../../../contracts/callers.js';
import { AGENT_TOOLS } from '../../guard/agent-tools.js';
import { addGlobals, definer, examples, type Given, type Outcome, outputOf } from './define-command.js';

/** Defines `ability hooks` with the commands under it. */
export function defineHooks(program: Command, given: Given, outcome: Outcome): void {
  const hooks = program
    .command('hooks')
    .description('list hooks, try them out, and guard the calls of agent tools')
    .exitOverride();
  hooks.configureOutput(outputOf(given));
  addGlobals(hooks);
  hooks.addHelpText('after', examples('ability hooks list', 'ability hooks test', 'ability hooks export --to claude'));
  const define = definer(hooks, given, outcome);
  define(
    'list [id]',
    'what would run around an ability, in which order and why; without ID all hooks',
    () => import('../commands/hooks/list.js'),
  )
    .addOption(new Option('--caller <kind>', 'for this kind of caller (default: any)').choices(CALLERS))
    .addHelpText(
      'after',
      examples('ability hooks list', 'ability hooks list db.write.user_row --env prod --caller agent'),
    );
  define(
    'test [hook]',
    'ask one hook about an event; without HOOK run the examples and `must_deny` of all hooks',
    () => import('../commands/hooks/test.js'),
  )
    .option(
      '--context <file>',
      'the event: an EventContext as JSON, or parts of one, or { context, expect }; - for stdin',
    )
    .option('--phase <phase>', 'of which phase the hook is, where several have one of its name')
    .addHelpText(
      'after',
      examples(
        'ability hooks test   # in CI: 0 all as they say, 1 one answers otherwise',
        'ability hooks test prod_write_guard --context event.json   # 1 where it has failed, or decides not as expected',
      ),
    );
  define(
    'export',
    'put `ability guard` into the settings of an agent tool, before each of its calls',
    () => import('../commands/hooks/export.js'),
  )
    .addOption(new Option('--to <tool>', 'into whose settings').choices(AGENT_TOOLS).makeOptionMandatory())
    .addHelpText('after', examples('ability hooks export --to claude', 'ability hooks export --to cursor'));
}
