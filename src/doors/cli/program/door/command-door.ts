import { AbilityError, usageError } from '../../../../contracts/problem.js';
import { isLoopback } from '../../../http/check-origin.js';
import type { GlobalFlags } from '../global-flags.js';

/** The door of `ability serve` that a command works through, instead of a project of this machine. */
export interface CommandDoor {
  /** `https://HOST[:PORT]`, or `http://` on this machine. */
  url: string;
  /** The name of the command, such as `task show`. */
  command: string;
}

/** The commands that work through a door, or need no project; all others need the project itself. */
const COMMANDS: ReadonlySet<string> = new Set([
  ...['run', 'plan', 'list', 'show', 'graph', 'route', 'ask', 'harvest', 'why', 'approvals', 'approve', 'deny', 'open'],
  ...['create', 'run', 'show', 'get', 'set', 'result', 'logs', 'files', 'watch', 'cancel'].map(
    (name) => `task ${name}`,
  ),
  ...['delete', 'pause', 'resume', 'signal', 'retry', 'reconcile', 'list', 'record', 'open'].map(
    (name) => `task ${name}`,
  ),
  ...['list', 'revoke'].map((name) => `grants ${name}`),
  ...['export', 'verify'].map((name) => `audit ${name}`),
  ...['start', 'prompt', 'show', 'stop'].map((name) => `session ${name}`),
  ...['create', 'list', 'show', 'pause', 'resume', 'run', 'delete'].map((name) => `schedule ${name}`),
  ...['login', 'logout', 'explain', 'completion'],
]);

/** Flags that name another place, or compare with files of the project. */
const ELSEWHERE = ['project', 'address', 'namespace', 'profile', 'strict'] as const;

/**
 * The door of `--door` or ABILITY_DOOR; undefined: none. @throws AbilityError `usage.invalid`, `door.no_tls`,
 * `door.project_only` if the command does not work through one.
 */
export function readDoor(flags: GlobalFlags, env: NodeJS.ProcessEnv, command: string): CommandDoor | undefined {
  const given = flags.door ?? (env.ABILITY_DOOR || undefined);
  if (given === undefined) return undefined;
  const name = flags.door === undefined ? 'ABILITY_DOOR' : '--door';
  const door = { url: readUrl(given, name), command };
  const other = ELSEWHERE.find((flag) => flags[flag] !== undefined);
  if (other !== undefined) {
    throw usageError(`${name} and --${other} name two places`, `Leave out --${other}, or ${name}.`);
  }
  if (!COMMANDS.has(command)) throw projectOnly(door);
  return door;
}

/** @param what of the command needs the project, such as a flag; left out: all of it. */
export function projectOnly({ url, command }: CommandDoor, what?: string): AbilityError {
  const named = what === undefined ? `\`ability ${command}\`` : `${what} of \`ability ${command}\``;
  return new AbilityError({
    code: 'door.project_only',
    message: `${named} needs the project itself, and ${url} is a door`,
    suggestion: `Run it in the project, without --door and ABILITY_DOOR${what === undefined ? '' : `, or leave out ${what}`}.`,
  });
}

function readUrl(text: string, name: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain = url && url.username === '' && url.pathname === '/' && url.search === '' && url.hash === '';
  if (!isPlain || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    throw usageError(
      `${name} ${JSON.stringify(text)} is no address of a door`,
      'Use https://HOST or https://HOST:PORT.',
    );
  }
  if (url.protocol === 'https:' || isLoopback(url.hostname.replace(/^\[|\]$/g, ''))) return url.origin;
  throw new AbilityError({
    code: 'door.no_tls',
    message: `${url.origin} is another machine, and tokens and inputs could be read on the way there`,
    suggestion: `Use its https:// address; a door has one with --tls-cert, or behind a proxy.`,
  });
}
