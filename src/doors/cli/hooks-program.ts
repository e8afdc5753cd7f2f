import { type Command, Option } from 'commander';
import { AGENT_TOOLS } from '../guard/agent-tools.js';
import { addGlobals, definer, examples, type Given, type Outcome, outputOf } from './define-command.js';

/** Defines the commands under `ability hooks`. */
export function defineHooks(program: Command, given: Given, outcome: Outcome): void {
  const hooks = program.command('hooks').description('work with hooks').exitOverride();
  hooks.configureOutput(outputOf(given));
  addGlobals(hooks);
  hooks.addHelpText('after', examples('ability hooks export --to claude'));
  definer(hooks, given, outcome)(
    'export',
    'put `ability guard` into the settings of an agent tool, before each of its calls',
    () => import('./commands/hooks-export.js'),
  )
    .addOption(new Option('--to <tool>', 'into whose settings').choices(AGENT_TOOLS).makeOptionMandatory())
    .addHelpText('after', examples('ability hooks export --to claude', 'ability hooks export --to cursor'));
}
