import { signalTask } from '../../../../client/index.js';
import { EXIT, type ExitCode } from '../../../../contracts/exit-codes.js';
import { parseJson } from '../../input/parse-input.js';
import { asTyped } from '../../output/typed-command.js';
import { type Context, openRegistry, withSession } from '../../program/context.js';
import type { TaskFlags } from '../../program/tasks.js';

/** `ability task signal KEY NAME`: sends what a `wait: { signal }` waits for. Source: docs/workflow-language.md#waits. */
export async function run(
  context: Context,
  [key, name]: [string, string],
  flags: TaskFlags['signal'],
): Promise<ExitCode> {
  const payload = flags.payload === undefined ? null : parseJson(flags.payload, '--payload');
  return withSession(context, await openRegistry(context), async (connection) => {
    await signalTask(connection, key, name, payload);
    const { terminal } = context;
    if (context.flags.json) terminal.printJson({ status: 'accepted', task_key: key, signal: name });
    else terminal.print(asTyped(`${key} was sent ${name}: ability task watch ${key}`, context));
    return EXIT.ok;
  });
}
