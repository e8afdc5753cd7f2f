/** How the user types commands: the program's name, and the flags to repeat. */
export type Typist = {
  flags: { [name in 'door' | 'project' | 'address' | 'namespace' | 'profile' | 'env']?: string | undefined };
  env?: NodeJS.ProcessEnv;
};

/** The first words of all commands; a test compares them with the program. */
export const COMMAND_WORDS: readonly string[] = (
  'agent approvals approve ask audit completion deny docs doctor down explain grants graph guard harvest hooks import ' +
  'init keys lint list login logout mcp open plan prune replay route run scaffold schedule serve session show task test token ' +
  'up why worker'
).split(' ');

const COMMAND = new RegExp(
  String.raw`(?<![\w./-]|npx |npx --no |exec )ability (?=(${COMMAND_WORDS.join('|')})\b)`,
  'g',
);
/** Commands that depend on the environment, not on a task that has one. */
const BY_ENVIRONMENT =
  /^(agent|approvals|ask|doctor|graph|harvest|hooks|lint|mcp|plan|route|run|schedule create|serve|session start|show|test|task create|task list)\b/;
/** Commands that go on until a signal, which a package manager may not pass on. */
const SERVICE = /^(mcp|serve|worker|up(?! --detach))\b/;
const INSTALLED = 'node_modules/.bin/ability';
/** Characters that need no quoting in any shell. */
const PLAIN_WORD = /^[\w%+,./:@=-]+$/;

/** Makes commands pasteable: begun like this one (`npx ability`), with its project and server flags. */
export function asTyped(text: string, typist: Typist): string {
  const program = programOf(typist.env ?? {});
  return text.replaceAll(COMMAND, (_, __, offset: number) => {
    const rest = text.slice(offset + 'ability '.length);
    const begun = SERVICE.test(rest) && program !== 'ability' ? INSTALLED : program;
    return `${begun} ${flagsFor(rest, typist.flags)}`;
  });
}

export function shellWord(word: string): string {
  return PLAIN_WORD.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

export function commandOf(...words: readonly string[]): string {
  return words.map(shellWord).join(' ');
}

/** Package managers find the project's command, which a plain shell does not. */
function programOf({ npm_command: command, npm_config_user_agent: agent = '' }: NodeJS.ProcessEnv): string {
  if (command === undefined && agent === '') return 'ability';
  if (agent.startsWith('pnpm/')) return 'pnpm exec ability';
  if (agent.startsWith('yarn/')) return 'yarn ability';
  if (agent.startsWith('bun/')) return 'bunx ability';
  return 'npx ability';
}

/** Global flags may precede the command's name, so its own arguments need not be parsed. */
function flagsFor(rest: string, { door, project, address, namespace, profile, env }: Typist['flags']): string {
  const own = rest.split(/[`\n|]/, 1)[0] ?? '';
  const given = { door, project, address, namespace, profile, ...(BY_ENVIRONMENT.test(rest) && { env }) };
  const words = Object.entries(given).flatMap(([name, value]) =>
    value === undefined || own.includes(`--${name} `) ? [] : [`--${name}`, shellWord(value)],
  );
  return words.length === 0 ? '' : `${words.join(' ')} `;
}
