/** Flags of every command that go over the socket. */
export const GLOBAL = { values: ['--project', '--env'], switches: ['--json', '--yes', '--strict'] };

/** What a command may be given, besides those, to be done by the runtime. */
interface Line {
  values?: readonly string[];
  switches?: readonly string[];
  /** Whether it follows a task: at a terminal that shows it live, the command needs the terminal itself. */
  isFollowing?: boolean;
}

const PATIENCE = ['--timeout', '--wait-approval'];

/**
 * The commands that the runtime runs for a command line, with their supported flags. Commands that read stdin or files named on the command
 * line, write files, decide, or end with their process are left out: the calling process runs them.
 */
export const LINES: Record<string, Line> = {
  run: {
    values: ['--input', '--set', '--key', '--intent', '--session', '--scope', '--plan', ...PATIENCE],
    switches: ['--detach'],
    isFollowing: true,
  },
  'task watch': { values: PATIENCE, isFollowing: true },
  'task show': {},
  'task result': {},
  'task get': {},
  'task list': { values: ['--status', '--ability', '--session', '--since', '--query', '--limit'] },
  why: {},
};

/** A command line that the runtime may run. */
export interface RuntimeLine {
  /** As `--project` has it. */
  project?: string;
  isFollowing: boolean;
  /** Whether it creates a task whose key is not given, so that who asks makes it. */
  makesKey: boolean;
}

/**
 * Reads a command line without the parser of commands, which takes longer to load than the runtime takes to answer.
 *
 * @returns undefined for any other command, and for what that parser would refuse or read in another way.
 */
export function readLine(args: readonly string[]): RuntimeLine | undefined {
  const words: string[] = [];
  const flags: { name: string; value?: string }[] = [];
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at] as string;
    if (!arg.startsWith('-')) {
      words.push(arg);
      continue;
    }
    if (isValued(arg)) {
      at += 1;
      const value = args[at];
      // A file or stdin, or what only looks like a value.
      if (value === undefined || value.startsWith('-') || namesFile(value)) return undefined;
      flags.push({ name: arg, value });
    } else flags.push({ name: arg });
  }
  const name = words[0] === 'task' ? `task ${words[1]}` : (words[0] ?? '');
  const line = Object.hasOwn(LINES, name) ? LINES[name] : undefined;
  if (!line) return undefined;
  const known = new Set([...GLOBAL.values, ...GLOBAL.switches, ...(line.values ?? []), ...(line.switches ?? [])]);
  if (flags.some((flag) => !known.has(flag.name))) return undefined;
  const project = flags.findLast((flag) => flag.name === '--project')?.value;
  return {
    ...(project !== undefined && { project }),
    isFollowing: line.isFollowing ?? false,
    makesKey: name === 'run' && !flags.some((flag) => flag.name === '--key'),
  };
}

const VALUED = new Set([...GLOBAL.values, ...Object.values(LINES).flatMap(({ values = [] }) => values)]);

function isValued(flag: string): boolean {
  return VALUED.has(flag);
}

/** `@file`, alone or as the value of an assignment. */
function namesFile(value: string): boolean {
  return value.startsWith('@') || /^[^=:]+?=@/.test(value);
}
