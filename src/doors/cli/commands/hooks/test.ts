import type { HookAnswer, Phase } from '../../../../contracts/hooks.js';
import { type AbilityError, usageError } from '../../../../contracts/problem.js';
import { EXIT, type ExitCode } from '../../../../contracts/states.js';
import type { HookDefinition } from '../../../../definitions/formats/hooks.js';
import type { Loaded, Registry } from '../../../../definitions/registry.js';
import { didYouMean } from '../../../../text/nearest.js';
import { readHookCase } from '../../input/read-hook-case.js';
import { renderTable } from '../../output/render-table.js';
import type { AgentToolFlags } from '../../program/agent-tools.js';
import { type Context, openRegistry } from '../../program/context.js';

/** `ability hooks test [HOOK]`. Source: docs/hooks.md#testing-hooks. */
export async function run(
  context: Context,
  [name]: [string | undefined],
  flags: AgentToolFlags['testHooks'],
): Promise<ExitCode> {
  if (name === undefined && (flags.context ?? flags.phase) !== undefined) throw needsName();
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
    const { terminal } = context;
    if (context.flags.json) terminal.printJson(reports);
    else if (reports.length === 0) terminal.note('No hook has examples or calls that it must deny.');
    else {
      const rows = reports.map((report) => {
        const { phase, hook, status, expected, said } = report;
        const which =
          'number' in report ? String(report.number) : `must_deny ${report.must_deny} (${report.environment})`;
        return [status, phase, hook, which, expected, said];
      });
      terminal.print(renderTable(['STATUS', 'PHASE', 'HOOK', 'EXAMPLE', 'EXPECTED', 'SAID'], rows));
    }
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
  if (answer.status === 'error') {
    terminal.note(`The hook ${id} has failed: ${answer.reason ?? 'it gave no reason'}`);
    return EXIT.failed;
  }
  if (expect === undefined || expect === decision) return EXIT.ok;
  terminal.note(`The hook ${id} decides ${decision}, and ${file} expects ${expect}.`);
  return EXIT.failed;
}

function findHook(registry: Registry, name: string, wanted: string | undefined): [Phase, Loaded<HookDefinition>] {
  const all = [...registry.hooks].flatMap(([phase, hooks]) => hooks.map((hook) => [phase, hook] as const));
  const found = all.filter(([phase, { value }]) => value.id === name && (wanted === undefined || phase === wanted));
  const [first, second] = found;
  if (first && !second) return [...first];
  const message = first
    ? `There are hooks ${name} in ${found.map(([phase]) => phase).join(' and ')}`
    : `There is no hook ${name}${wanted === undefined ? '' : ` in ${wanted}`}`;
  const suggestion = first
    ? `Pass the phase: --phase ${first[0]}.`
    : (didYouMean(
        name,
        all.map(([, { value }]) => value.id),
      ) ?? 'Run `ability hooks list` to see all.');
  throw usageError(message, suggestion);
}

function needsName(): AbilityError {
  return usageError(
    '--context and --phase are about one hook, and none is named',
    'Name it: ability hooks test HOOK --context event.json.',
  );
}
