import { Argument, Command, type CommandUnknownOpts } from '@commander-js/extra-typings';
import { SHELLS } from '../commands/completion/scripts.js';
import { addAccess } from './access.js';
import { addAgentTools, addSessions } from './agent-tools.js';
import { addApprovals } from './approvals.js';
import { addAuthoring, addImports } from './authoring.js';
import { addChoosing } from './choosing.js';
import { commandsBelow, declare, type Given, type Outcome } from './declare-command.js';
import { addDefinitions, addTestsAndDocuments } from './definitions.js';
import { addGlobalFlags } from './global-flags.js';
import { addRuntime } from './runtime.js';
import { addTasks } from './tasks.js';

/** Commander's default without a terminal. */
const USUAL_COLUMNS = 80;

/** Builds the command line. The module of a command is loaded only when it is called. */
export function buildProgram(given: Given, outcome: Outcome): CommandUnknownOpts {
  const { terminal } = given;
  const program = new Command('ability')
    .description('Run the operations of your team durably, on Temporal.')
    .option('-V, --version', 'print the version')
    .exitOverride()
    // Flags after the name of a command are its own: `worker` takes more in `--env` than others do.
    .enablePositionalOptions()
    // Help is printed as a result; errors are thrown, so nothing is written here.
    .configureOutput({
      writeOut: terminal.print,
      writeErr: () => {},
      outputError: () => {},
      getOutHelpWidth: () => terminal.width() ?? USUAL_COLUMNS,
      getOutHasColors: () => false,
    })
    .showSuggestionAfterError(true)
    .addHelpText('after', EXIT_HELP);
  addGlobalFlags(program);
  const commands = commandsBelow(program, given, outcome);
  addRuntime(commands);
  addDefinitions(commands);
  addChoosing(commands);
  addTestsAndDocuments(commands);
  addTasks(commands);
  addSessions(commands);
  addAuthoring(commands);
  addApprovals(commands);
  addAgentTools(commands);
  addImports(commands);
  addAccess(commands);
  commands.add(
    declare(
      'completion',
      'print what a shell loads to complete commands, flags and names',
      'source <(ability completion bash)      # in ~/.bashrc',
      'source <(ability completion zsh)       # in ~/.zshrc, after compinit',
      'ability completion fish > ~/.config/fish/completions/ability.fish',
    )
      .addArgument(new Argument('<shell>', 'which shell').choices(SHELLS))
      .addArgument(new Argument('[words...]', 'behind --: what is typed so far; prints what may come next')),
    () => import('../commands/completion/completion.js'),
  );
  return program;
}

const EXIT_HELP = `
The options above come before the name of a command or after it; given twice, the last one counts.

Exit codes:
  0 succeeded   1 the task failed   2 bad usage or invalid input   3 unavailable   4 denied
  5 waiting for an approval   6 timed out   7 Temporal, a worker or the engine unavailable
  8 outcome unknown   130 interrupted (the task goes on)

Examples:
  $ ability list
  $ ability run signup_e2e_test --set build_id=1234
  $ ability approve KEY --as alice
  $ ability explain guard.denied`;
