import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { output } from 'zod';
import type { HookAnswer, Phase } from '../../../../contracts/hooks.js';
import { isJsonObject, type Json } from '../../../../contracts/json.js';
import { usageError } from '../../../../contracts/problem.js';
import { EXIT, type ExitCode } from '../../../../contracts/states.js';
import {
  type EventParts,
  eventExample,
  eventParts,
  type HookDefinition,
} from '../../../../definitions/formats/hooks.js';
import type { Loaded, Registry } from '../../../../definitions/registry.js';
import { readInput } from '../../../../text/lossless-json/read-json.js';
import { didYouMean } from '../../../../text/nearest.js';
import { renderTable } from '../../output/render-table.js';
import type { AgentToolFlags } from '../../program/agent-tools.js';
import { type Context, openRegistry, printList } from '../../program/context.js';

/** `ability hooks test [HOOK]`. Source: docs/hooks.md#testing-hooks. */
export async function run(context: Context, [name]: [string?], flags: AgentToolFlags['testHooks']): Promise<ExitCode> {
  if (name === undefined && (flags.context ?? flags.phase) !== undefined) {
    const message = '--context and --phase are about one hook, and none is named';
    throw usageError(message, 'Name it: ability hooks test HOOK --context event.json.');
  }
  const registry = await openRegistry(context);
  const { openHookTrial } = await import('../../../../worker/hooks-outside-tasks.js');
  const trial = openHookTrial(registry.root, registry.project.project, context.env);
  try {
    if (name !== undefined && flags.context !== undefined) {
      const [phase, hook] = findHook(registry, name, flags.phase);
      return await askOne(context, registry, phase, hook, flags.context, trial);
    }
    const { runHookCases } = await import('../../../../testing/run-hook-cases.js');
    const only = name === undefined ? undefined : findHook(registry, name, flags.phase)[1];
    const { tryMustDeny } = await import('../../../../worker/prove-guards.js');
    const reports = [
      ...(await runHookCases(registry, trial, context.env, only)),
      ...(await tryMustDeny(registry, context.env, only)),
    ];
    const rows = reports.map((report) => {
      const { phase, hook, status, expected, said } = report;
      const which =
        'number' in report ? String(report.number) : `must_deny ${report.must_deny} (${report.environment})`;
      return [status, phase, hook, which, expected, said];
    });
    printList(context, reports, 'No hook has examples or calls that it must deny.', () =>
      renderTable(['STATUS', 'PHASE', 'HOOK', 'EXAMPLE', 'EXPECTED', 'SAID'], rows),
    );
    return reports.every(({ status }) => status === 'passed') ? EXIT.ok : EXIT.failed;
  } finally {
    await trial.close();
  }
}

type Trial = ReturnType<typeof import('../../../../worker/hooks-outside-tasks.js').openHookTrial>;

/** Exit code 1 if the hook failed or decided otherwise than the file expects; a deny alone is no failure. */
async function askOne(
  { terminal, cwd, env }: Context,
  registry: Registry,
  phase: Phase,
  hook: Loaded<HookDefinition>,
  file: string,
  trial: Trial,
): Promise<ExitCode> {
  const { caseOf, eventOf } = await import('../../../../planning/hooks/example-event.js');
  const { plannedHook } = await import('../../../../planning/hooks/resolve-hooks.js');
  const { EnvironmentVariables } = await import('../../../../planning/secrets/secret-source.js');
  const given = readHookCase(file, cwd);
  const { event, now, expect } =
    'context' in given
      ? caseOf(registry, phase, given)
      : { event: eventOf(registry, phase, given), now: undefined, expect: undefined };
  const variables = new EnvironmentVariables(registry.root, event.environment.name, env);
  const { id, handler } = plannedHook(hook, phase, registry, variables);
  const answer: HookAnswer = await trial.ask({ id, handler }, event, now);
  const { decision, ...rest } = answer;
  terminal.printJson({ ...rest, guard_decision: decision, ...(expect !== undefined && { expected: expect }) });
  const hasFailed = answer.status === 'error';
  if (!hasFailed && (expect === undefined || expect === decision)) return EXIT.ok;
  const failure = `The hook ${id} has failed: ${answer.reason ?? 'it gave no reason'}`;
  terminal.note(hasFailed ? failure : `The hook ${id} decides ${decision}, and ${file} expects ${expect}.`);
  return EXIT.failed;
}

function findHook(registry: Registry, name: string, wanted: string | undefined): [Phase, Loaded<HookDefinition>] {
  const all = [...registry.hooks].flatMap(([phase, hooks]) => hooks.map((hook) => [phase, hook] as const));
  const found = all.filter(([phase, { value }]) => value.id === name && (wanted === undefined || phase === wanted));
  const [first, second] = found;
  if (first && !second) return [...first];
  if (first) {
    const message = `There are hooks ${name} in ${found.map(([phase]) => phase).join(' and ')}`;
    throw usageError(message, `Pass the phase: --phase ${first[0]}.`);
  }
  const ids = all.map(([, { value }]) => value.id);
  const message = `There is no hook ${name}${wanted === undefined ? '' : ` in ${wanted}`}`;
  throw usageError(message, didYouMean(name, ids) ?? 'Run `ability hooks list` to see all.');
}

/** A bare event, or one in the form of `examples`, with the expected answer. */
type GivenHookCase = EventParts | output<typeof eventExample>;

/**
 * @param file relative to `cwd`; `-` is stdin.
 * @throws AbilityError `usage.invalid` unless it holds parts of an EventContext or `{ context, expect }`.
 */
export function readHookCase(file: string, cwd: string): GivenHookCase {
  const value = readJson(file, cwd);
  const isCase = isJsonObject(value) && Object.hasOwn(value, 'context');
  const parsed = isCase ? eventExample.safeParse(value) : eventParts.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const what = isCase ? 'no case `{ context, expect }`' : 'no EventContext';
  const message = `${file} contains ${what}: ${[issue?.path.join('.'), issue?.message].filter(Boolean).join(' ')}`;
  const isBeside = !isCase && isJsonObject(value) && Object.hasOwn(value, 'now');
  const advice = 'Use `{ context: {..}, now, expect }`: `now` belongs beside the event, not in it.';
  throw usageError(message, isBeside ? advice : 'docs/hooks.md has every key.');
}

function readJson(file: string, cwd: string): Json {
  let text: Buffer;
  try {
    text = readFileSync(file === '-' ? 0 : resolve(cwd, file));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const why = code === 'ENOENT' ? `There is no file ${file}` : `${file} cannot be read: ${message}`;
    throw usageError(why);
  }
  return readInput(text, { what: file, code: 'usage.invalid' });
}
