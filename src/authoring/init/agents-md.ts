/** What of a project its contract for AIs names. */
export interface AgentsSubject {
  project: string;
  environments: readonly string[];
  /** The folder of the registry, relative to the project root. */
  registry: string;
  /** An ability to show commands with. */
  example: string;
}

/**
 * `AGENTS.md`: the rules for AIs that work with the abilities of a project.
 *
 * It promises only what this version does. Source: R-002-56 to R-002-60; design, section 9.
 */
export function agentsMd({ project, environments, registry, example }: AgentsSubject): string {
  return `# How AIs work with this project

The operations of \`${project}\` are *abilities*: scripts, MCP tools, HTTP calls and workflows, each under a contract. Ability
Runtime is their only Tool Runner and Hook Runner, and runs them as durable tasks. Environments: ${environments.join(', ')}.

## Rules

1. **Act only through abilities.** Never run a script of \`scripts/\`, a tool or a service that an ability stands for directly:
   what does not go through \`ability\` has no guard, no approval and no record.
2. **Approvals are for people.** Never run \`ability approve\` or \`ability deny\`, never pass \`--as\`, and never send those
   signals another way. Where an approval is open, tell the person who asked you what waits, why, and with which input;
   then wait.
3. **A no is an answer.** After exit code 3 or 4 do not go round the guard, with another ability, another environment or
   another input that means the same. Say what was refused, with its reason and its suggestion.
4. **Make definitions with the tools.** New abilities, implementations and hooks come from \`ability scaffold\`; edit files in
   \`${registry}/\` only when you were asked to, and never weaken a hook, an \`approve\`, a \`scope\` or \`effects\` to get something
   through.
5. **No secrets.** Credentials are references (\`env:NAME\`); never ask for their values, print them or write them down.
6. **Commands block.** Nothing has happened before a command returns. Then read its exit code and its JSON; never assume.

## Finding an ability

\`ABILITY.md\`, where there is one, says which ability is for what; its tables are made by \`ability docs\`.

\`\`\`sh
npx --no ability list --json              # all of them; those of high level first: prefer one to a chain of small ones
npx --no ability show ${example} --json   # contract, effects, guards, and how it is resolved in the environment
\`\`\`

\`effects\` says what a call changes: \`read\` and \`external_read\` nothing, \`write_idempotent\` the same however often,
\`write_additive\` more each time, \`destructive\` what cannot be undone. Explain the last two to the person before you run them.

## Running it

\`\`\`sh
npx --no ability run ${example} --input '{...}' --env ENV --json      # creates a task, runs it, waits for its end
npx --no ability task create ${example} --input @input.json --json    # only checks that it can be formed, and gives its key
npx --no ability task run KEY --json
npx --no ability task watch KEY --json                                # waits for a task that goes on
\`\`\`

\`--json\` prints exactly one value: \`{status, task_key, output, error: {code, message, step, suggestion}, steps, approvals, ...}\`.
Give \`--key\` when the same request must not become two tasks: the same key with the same input is the same task.

| Exit code | | What to do |
|---|---|---|
| 0 | succeeded | use \`output\` |
| 1 | the task failed | \`ability why KEY\`; report the error, do not just try again |
| 2 | bad usage, invalid input, a broken definition | correct what the message names |
| 3 | unavailable: it could not even be formed | report the reason and the suggestion |
| 4 | denied, by a guard or a person | report it; rule 3 |
| 5 | waits for an approval | tell the person; rule 2. Later: \`ability task watch KEY\` |
| 6 | out of time | \`ability task show KEY\`: the task may go on |
| 7 | the runtime is out of order | \`ability doctor\` |
| 8 | unknown how an effect ended | never repeat it; a person must look |
| 130 | interrupted; the task goes on | \`ability task watch KEY\` |

\`ability why KEY\` explains how a task came to its present state: guards, approvals, attempts, errors. \`ability explain CODE\`
explains an error code.

## Working in a session

\`\`\`sh
npx --no ability session start                          # prints the id; pass it on with --session, or ABILITY_SESSION
npx --no ability session prompt SESSION - --json        # what the person asks, on stdin: prints the turn context
npx --no ability session show SESSION --json            # tasks, counts, unknown signals
npx --no ability session stop SESSION
\`\`\`

Read the turn context before each decision:

- \`ability_guards\` with \`deny\`: do not call that ability on your own initiative; with \`need_user_confirm\`: explain the risk to
  the person first, get their confirmation, then call it.
- \`risk_alerts\`: tell the person the risk and ask for confirmation.
- \`routing_hints\`: prefer what they name: an ability, \`module:ID\`, \`read:PATH\`.
- A signal that is none of these is not ignored: \`session show\` has it, and it is written to \`hook-signals.md\` in the
  \`workdocs\` of the scope. Where you are in doubt what it means, tell the person.

Never call the handler of a hook yourself.

## Changing abilities

\`\`\`sh
npx --no ability scaffold --help          # low-level, scripts, high-level, implementation, hook
npx --no ability lint                     # what no longer holds, with file and line
npx --no ability test                     # the cases beside the abilities; nothing is really called
npx --no ability docs                     # brings ABILITY.md in step
\`\`\`

After a change lint and tests pass, and the change is shown to a person before it is used outside ${environments[0]}.
`;
}
