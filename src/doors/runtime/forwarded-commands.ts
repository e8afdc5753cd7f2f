/** Flags that every command forwarded to the runtime may have. */
export const GLOBAL = { values: ['--project', '--env'], switches: ['--json', '--yes', '--strict'] };

/** The flags that the runtime supports for a command, besides {@link GLOBAL}. */
interface Line {
  values?: readonly string[];
  switches?: readonly string[];
  /** Whether it follows a task: on a terminal with a live display the calling process must run it itself. */
  isFollowing?: boolean;
}

const PATIENCE = ['--timeout', '--wait-approval'];

/** Commands for the runtime, with flags: none that uses stdin or files, decides, or ends with its process. */
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

export interface RuntimeLine {
  project?: string;
  isFollowing: boolean;
  /** Whether it creates a task without `--key`, so that the caller must generate the key. */
  makesKey: boolean;
}

/**
 * Reads a command line without the command parser, which loads more slowly than the runtime answers.
 * @returns undefined for other commands, and for what that parser would refuse or read differently.
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
      // No value, a flag, stdin or a file.
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

/** Whether a value names a file: `@file`, alone or after the `=` of an assignment. */
function namesFile(value: string): boolean {
  return value.startsWith('@') || /^[^=:]+?=@/.test(value);
}
