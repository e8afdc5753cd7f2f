/** A part of the rules for AIs: its heading, and what stands below it. */
export interface Rules {
  title: string;
  text: string;
}

/** Where the runtime's own rules stand, beside the definitions they protect. */
export function runtimeRulesFile(registry: string): string {
  return `${registry}/AGENTS.md`;
}

/** Where AIs write down what they did, relative to the project root. Source: R-003-26. */
export const LOG_FILE = 'docs/IMPLEMENTATION_LOG.md';

/** What an AI reads before work and writes after it, and who does what. Source: R-003-26, R-002-62. */
export function workRules(): Rules {
  return {
    title: 'Before and after work',
    text: `1. Before work read \`AGENTS.md\` and the last 150 lines of \`${LOG_FILE}\`:

   \`\`\`sh
   tail -n 150 ${LOG_FILE}
   \`\`\`

2. After work add an entry at its end: the date, what was done and why, task keys, what is left.
3. AI writes, humans review, AI revises. Humans own boundaries, interface contracts and the choice of hook scenarios: propose a
   change of these, and do not make it unasked.`,
  };
}

/** What holds whatever an AI does here. Source: R-002-41, R-002-57, R-002-58, R-002-59. */
export function firstRules(registry: string): Rules {
  return {
    title: 'Rules',
    text: `1. **Act only through abilities.** Never call the scripts behind abilities, their MCP tools or their services directly: what does not
   go through \`ability\` has no guard, no approval and no record. Never call the handler of a hook.
2. **Approvals are for people.** Never run \`ability approve\` or \`ability deny\`, never pass \`--as\`, and never send those signals another
   way. Where an approval is open, tell the user what waits, why, and with which input; then wait.
3. **A denial is an answer.** See [below](#after-a-refusal).
4. **Registrations change only through \`ability scaffold\`, \`ability import\` and \`ability harvest\`.** Never edit files in \`${registry}/\`
   yourself, but for what a scaffold left to be written and \`${registry}/config/\`; never weaken a hook, an \`approve\`, a \`scope\` or
   \`effects\` to get something through.
5. **No secrets.** Credentials are references (\`env:NAME\`); never ask for their values, print them or write them down.
6. **Commands block.** Nothing has happened before a command returns. Then read its exit code and its JSON; never assume success.`,
  };
}

/** How an AI finds what can be run. */
export function findRules(): Rules {
  return {
    title: 'Finding an ability',
    text: `\`ABILITY.md\`, where there is one, says which ability is for what; its tables are made by \`ability docs\`. Prefer a high-level ability to
a chain of small ones.

\`\`\`sh
npx --no ability route 'WHAT IS WANTED' --json   # candidates for a request, with reasons
npx --no ability list --json                     # all of them
npx --no ability show ID --json                  # contract, effects and guards, and what an environment makes of them
\`\`\`

\`effects\` says what a call changes: \`read\` and \`external_read\` nothing, \`write_idempotent\` the same however often, \`write_additive\`
more each time, \`destructive\` what cannot be undone. Explain the last two to the user before you run them.`,
  };
}

/** How an AI runs an ability, and what each exit code means. Source: R-002-59, R-002-60. */
export function runRules(): Rules {
  return {
    title: 'Running it',
    text: `\`\`\`sh
npx --no ability run ID --input '{...}' --env ENV --json      # creates a task, runs it, waits for its end
npx --no ability task create ID --input @input.json --json    # only checks that it can be formed, and gives its key
npx --no ability task run KEY --json                          # runs it, and waits for its end
npx --no ability task watch KEY --json                        # waits for a task that goes on
npx --no ability task get KEY --json                          # its input and settings; task set changes them before it runs
npx --no ability why KEY                                      # how it came to its state: guards, approvals, attempts, errors
\`\`\`

Each of these blocks, as do \`session\`, \`scaffold\`, \`import\`, \`harvest\`, \`lint\`, \`test\` and \`docs\`: \`run\`, \`task run\` and \`task watch\` until
the task ends, waits for an approval or is out of time, the others until they are done. \`serve\`, \`worker\`, \`mcp\` and \`lint --watch\` do not end
by themselves: leave them to people.

\`--json\` prints exactly one value: \`{status, task_key, output, error: {code, message, step, suggestion}, steps, approvals, ...}\`.
Give \`--key\` when the same request must not become two tasks: the same key with the same input is the same task.

| Exit code | | What to do |
|---|---|---|
| 0 | succeeded | use \`output\` |
| 1 | the task failed | \`ability why KEY\`; report the error, do not just try again |
| 2 | bad usage, invalid input, a broken definition | correct what the message names |
| 3 | unavailable: it could not even be formed | adapt the plan, or report the reason and the suggestion |
| 4 | denied, by a guard or a person | report it; see [below](#after-a-refusal) |
| 5 | waits for an approval | tell the user; rule 2. Later: \`ability task watch KEY\` |
| 6 | out of time | \`ability task show KEY\`: the task may go on |
| 7 | the runtime is out of order | \`ability doctor\` |
| 8 | unknown how an effect ended | never repeat it; a person must look |
| 130 | interrupted; the task goes on | \`ability task watch KEY\` |

\`ability explain CODE\` explains an error code.`,
  };
}

/** What a refusal leaves an AI to do. Source: C-45. */
export function refusalRules(): Rules {
  return {
    title: 'After a refusal',
    text: `- *Unavailable* (3): adapt the plan. Take another ability or another environment that the task allows, or ask the user.
- *Denied* (4): do not call it again, and do not go round it: the same effect on the same target by another ability, another
  environment or another input, unasked, is going round. Say what was refused, with its reason and its suggestion. Another way is open
  only where the \`suggestion\` of the denial names it or the user chose it.`,
  };
}

/** How an AI reads the context of a turn. Source: R-002-41 to R-002-47, R-000-82. */
export function signalRules(): Rules {
  return {
    title: 'Sessions and signals',
    text: `Work with a person happens in a session; jobs of CI call without one.

\`\`\`sh
npx --no ability session start                          # prints the id; pass it on with --session, or ABILITY_SESSION
npx --no ability session prompt SESSION - --json        # what the user asks, on stdin: prints the turn_context
npx --no ability session show SESSION --json            # tasks, counts, unknown signals
npx --no ability session stop SESSION
\`\`\`

Read \`turn_context\` before each decision. Its \`hook_signals\`:

| Signal | What to do |
|---|---|
| \`ability_guards\` with \`deny\` | do not call that ability on your own initiative |
| \`ability_guards\` with \`need_user_confirm\` | explain the risk to the user, ask for confirmation, then call it |
| \`risk_alerts\` | tell the user the risk, and ask for confirmation |
| \`routing_hints\` | prefer what they name: an ability, \`module:ID\`, \`read:PATH\` |
| any other | do not ignore it: write it into \`hook-signals.md\` in the \`workdocs\` of the scope, where the runtime writes what it does not know; tell the user where you are in doubt what it means |

Never call the handler of a hook yourself: the runtime does, and gives you what it said.`,
  };
}

/** When an AI turns to a person. Source: R-002-60. */
export function askRules(): Rules {
  return {
    title: 'When to ask the user',
    text: `- before a call that \`turn_context\` says \`need_user_confirm\` or a risk about, and before what destroys or adds more each time;
- where an approval is open (exit code 5): tell them, and wait; the decision is theirs;
- after a denial, before any other way to the same end;
- where an effect is unknown (exit code 8), or a signal is one that you do not know;
- before a change of a boundary, of an interface contract, or of which hook guards what.`,
  };
}

/** How an AI adds abilities. Source: R-002-58, R-002-62, C-46. */
export function changeRules(registry: string): Rules {
  return {
    title: 'Changing abilities',
    text: `Write a whole definition into a file outside of \`${registry}/\`, in the form that \`${registry}/schemas/\` describes, and hand it over. It is
checked as \`ability lint\` checks it and written whole, or refused with codes and places; an id that is taken is refused. What an ability
needs from the beginning, such as the address of its service, comes with it: \`--config FILE\`.

\`\`\`sh
npx --no ability scaffold --help                             # the kinds, and how each is made from flags
npx --no ability scaffold low-level --from FILE --json       # or high-level, implementation, hook, agent, cases, config
npx --no ability import --help                               # operations of OpenAPI documents, Arazzo, MCP servers, hooks
npx --no ability harvest --json                              # scripts and chains of calls that are worth an ability
npx --no ability lint --json                                 # what no longer holds, with file and line
npx --no ability test --json                                 # the cases beside the abilities; nothing is really called
npx --no ability docs                                        # brings ABILITY.md and these rules in step
npx --no ability docs --check                                # says where they are not
\`\`\`

What a scaffold left to be written, and \`${registry}/config/\`, may be edited. To change or remove what is registered otherwise, propose it to a
person. After a change lint and tests pass, and a human reviews it before it is used where it counts.`,
  };
}
