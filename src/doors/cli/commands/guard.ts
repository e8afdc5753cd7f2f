import { EXIT, type ExitCode } from '../../../contracts/states.js';
import { defined } from '../../../text/defined.js';
import { guardProcess, MAX_EVENT_BYTES } from '../../guard/run-guard.js';
import type { AgentToolFlags } from '../program/agent-tools.js';
import type { Context } from '../program/context.js';

/** `ability guard`. Source: R-002-57, R-002-58, R-000-96; docs/hooks.md#guarding-the-calls-of-agent-tools. */
export async function run(context: Context, _: [], { for: tool, scope }: AgentToolFlags['guard']): Promise<ExitCode> {
  const { flags, terminal, cwd, env } = context;
  const given = { tool, ...defined({ project: flags.project, env: flags.env, scope }) };
  const stdin = (async function* read() {
    yield terminal.readInput(MAX_EVENT_BYTES);
  })();
  const { stdout, stderr, exit } = await guardProcess(given, { cwd, env, stdin });
  if (stdout !== '') terminal.print(stdout.trimEnd());
  if (stderr !== '') terminal.note(stderr.trimEnd());
  return exit === 2 ? EXIT.usage : EXIT.ok;
}
