import { usageError } from '../../../contracts/problem.js';
import { EXIT, type ExitCode } from '../../../contracts/states.js';
import { findAbility } from '../../../definitions/find-ability.js';
import { runProjectCases, type TestReport } from '../../../testing/index.js';
import { fingerprint, untilChange, watchedFolders } from '../input/watch-files.js';
import { describeProblem, typedBy } from '../output/describe-problem.js';
import { renderCase, renderCasesJunit, renderSummary } from '../output/findings/render-cases.js';
import { refuseUnwritable, writeReport } from '../output/junit/junit.js';
import { reportError } from '../output/report.js';
import { type Context, openRegistry, printAnswer } from '../program/context.js';
import type { DefinitionFlags } from '../program/definitions.js';
import { endInterrupted, withInterruption } from './following/interruption.js';

type Flags = DefinitionFlags['test'];

const EXIT_OF_REPORT: Record<TestReport['status'], ExitCode> = {
  passed: EXIT.ok,
  failed: EXIT.failed,
  broken: EXIT.usage,
};

export async function run(context: Context, [ability]: [string | undefined], flags: Flags): Promise<ExitCode> {
  if (flags.watch && context.flags.json) {
    throw usageError('--json prints one value, and --watch never ends', 'Leave out one of them.');
  }
  if (flags.junit !== undefined) refuseUnwritable(flags.junit, context.cwd);
  const { terminal } = context;
  const runCases = flags.watch ? runAgainAndAgain : runOnce;
  // A second Ctrl-C ends the process in an orderly way, so that the server does not outlive it.
  let endSecond = (): void => {};
  try {
    return await withInterruption(context, (signal) => {
      signal.addEventListener('abort', () => {
        endSecond = terminal.onInterrupt(() => terminal.leave(EXIT.interrupted));
      });
      return runCases(context, ability, flags, signal);
    });
  } finally {
    endSecond();
  }
}

async function runAgainAndAgain(
  context: Context,
  ability: string | undefined,
  flags: Flags,
  signal: AbortSignal,
): Promise<ExitCode> {
  const first = await openRegistry(context);
  let folders = watchedFolders(first);
  while (!signal.aborted) {
    // Taken before the run, so that changes during it are noticed.
    const before = fingerprint(first.root, folders);
    const watched = folders;
    try {
      await runOnce(context, ability, flags, signal);
      folders = watchedFolders(await openRegistry(context));
    } catch (error) {
      // Files may be half-written, so watching continues.
      reportError(error, context);
    }
    if (signal.aborted) break;
    context.terminal.note(context.terminal.style('dim', 'Waiting for a change; press Ctrl-C to stop.'));
    await untilChange(first.root, watched, before, signal);
  }
  return EXIT.interrupted;
}

async function runOnce(
  context: Context,
  ability: string | undefined,
  { junit }: Flags,
  signal: AbortSignal,
): Promise<ExitCode> {
  const { terminal, flags } = context;
  const registry = await openRegistry(context);
  if (ability !== undefined) await findAbility(registry, ability);
  try {
    const report = await runProjectCases({
      root: registry.root,
      ability,
      environment: flags.env ?? context.env.ABILITY_ENV,
      signal,
      env: context.env,
      progress: (text) => terminal.note(text),
      onCase: (own) => {
        if (!flags.json) terminal.print(renderCase(own, terminal.style));
      },
    });
    const shown = flags.json ? [] : report.problems;
    for (const problem of shown) terminal.note(describeProblem(typedBy(context, problem), terminal.style));
    printAnswer(context, report, () => renderSummary(report, terminal.style));
    if (junit !== undefined) writeReport(context, junit, renderCasesJunit(report));
    return EXIT_OF_REPORT[report.status];
  } catch (error) {
    if (!signal.aborted) throw error;
    return endInterrupted(context, 'Interrupted; nothing was left behind');
  }
}
