import { once } from 'node:events';
import { usageError } from '../../../contracts/problem.js';
import { sleep } from '../../../server/start-timer.js';
import { answerDiscovery } from '../../mcp/answer-discovery.js';
import type { AgentToolFlags } from '../program/agent-tools.js';
import type { Context } from '../program/context.js';

type Flags = AgentToolFlags['mcp'];

/** Time in which what a client wrote at once is read. Milliseconds. */
const READ_MS = 50;

/** `ability mcp`: the door for agents, on stdin and stdout; messages for people go to stderr. */
export async function run(context: Context, _: [], flags: Flags): Promise<void> {
  refuseUnusedGlobs(flags);
  const { stdin, stdout } = process;
  const rest = answerDiscovery(stdin, stdout, flags.expose.length > 0);
  try {
    // Loading takes most of the time of a start, and nothing is read meanwhile.
    await Promise.race([once(stdin, 'data'), sleep(READ_MS)]);
    const { serveAgent } = await import('./mcp/serve-agent.js');
    await serveAgent(context, flags, rest);
  } finally {
    // A process whose stdin flows does not end.
    stdin.unpipe(rest).pause();
  }
}

/** @throws AbilityError `usage.invalid`. */
function refuseUnusedGlobs({ access, expose }: Flags): void {
  if (access === 'run' || expose.length === 0) return;
  throw usageError(
    '--expose makes tools that run abilities, which --access read does not allow',
    'Pass --access run as well, or leave out --expose.',
  );
}
