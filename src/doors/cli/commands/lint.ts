import { checkAgentDocuments } from '../../../authoring/agent-documents/plan-agent-documents.js';
import { checkRoutingDocuments } from '../../../authoring/routing-documents/check-routing-documents.js';
import { findDocuments } from '../../../authoring/routing-documents/find-documents.js';
import type { Finding } from '../../../contracts/findings.js';
import { AbilityError, usageError } from '../../../contracts/problem.js';
import { EXIT, type ExitCode } from '../../../contracts/states.js';
import type { RegistryLoader } from '../../../definitions/load-registry.js';
import type { Registry } from '../../../definitions/registry.js';
import { type LintOptions, type LintReport, lintProject } from '../../../lint/lint-project.js';
import { checkCases } from '../../../testing/prepare-cases.js';
import { fingerprint, untilChange, watchedFolders } from '../input/watch-files.js';
import { renderFindings, renderGuardCheck } from '../output/findings/render-findings.js';
import { renderSarif } from '../output/findings/render-sarif.js';
import { renderFindingsJunit } from '../output/junit/render-findings.js';
import { type Context, openLoader } from '../program/context.js';
import type { DefinitionFlags } from '../program/definitions.js';
import { interruption, unlessInterrupted } from './following/interruption.js';

type Flags = DefinitionFlags['lint'];

export const FORMATS = ['human', 'json', 'sarif', 'junit'] as const;

/** `ability lint`: all findings in the definitions. Reads files only, unless `--check-hooks` is given. */
export async function run(context: Context, _: [], flags: Flags): Promise<ExitCode> {
  const format = formatOf(context, flags);
  const loader = await openLoader(context);
  if (!flags.watch) return lintOnce(context, loader, flags, format, await hookFindings(context, loader, flags));
  if (flags.checkHooks) throw neverEnds('--check-hooks runs the guards once');
  if (format !== 'human') throw neverEnds(`${format} is one document`);
  return lintAgainAndAgain(context, loader, flags);
}

function neverEnds(other: string): AbilityError {
  return usageError(`--watch never ends, and ${other}`, 'Leave out one of them.');
}

/**
 * Fires the guards of other tools with what they must deny. Source:
 * docs/hooks.md#guards-written-for-claude-code-or-codex.
 */
async function hookFindings(context: Context, loader: RegistryLoader, { checkHooks }: Flags): Promise<Finding[]> {
  if (!checkHooks) return [];
  const registry = tryToLoad(loader);
  if (!registry) return [];
  const { proveGuardsHere } = await import('../../../worker/prove-guards.js');
  const fire = (signal: AbortSignal) => proveGuardsHere(registry, context.env, signal);
  const check = await unlessInterrupted(context, fire);
  context.terminal.note(renderGuardCheck(check));
  return check.findings;
}

function formatOf({ flags }: Context, { format }: Flags): (typeof FORMATS)[number] {
  if (!flags.json) return format ?? 'human';
  if (format === undefined || format === 'json') return 'json';
  throw usageError(`--json and --format ${format} contradict each other`, 'Leave out one of them.');
}

function lintOnce(
  { terminal, env }: Context,
  loader: RegistryLoader,
  flags: Flags,
  format: (typeof FORMATS)[number],
  more: readonly Finding[] = [],
): ExitCode {
  const report = lintProject(loader, optionsOf(flags, env, more));
  if (format === 'human') terminal.print(renderFindings(report, terminal.style));
  else if (format === 'json') terminal.printJson(report);
  else terminal.print(format === 'sarif' ? renderSarif(report.findings) : renderFindingsJunit(report.findings));
  return exitOf(report, flags);
}

async function lintAgainAndAgain(context: Context, loader: RegistryLoader, flags: Flags): Promise<ExitCode> {
  const interrupted = interruption(context);
  const { terminal } = context;
  let folders: string[] = [];
  try {
    while (!interrupted.signal.aborted) {
      folders = foldersOf(loader) ?? folders;
      const documents = findDocuments(loader.root);
      const before = fingerprint(loader.root, folders, documents);
      const started = performance.now();
      lintOnce(context, loader, flags, 'human');
      const took = Math.round(performance.now() - started);
      terminal.note(terminal.style('dim', `${took} ms. Waiting for a change; press Ctrl-C to stop.`));
      await untilChange(loader.root, folders, before, interrupted.signal, documents);
    }
    return EXIT.interrupted;
  } finally {
    interrupted.done();
  }
}

/** The folders to watch; undefined while `ability.yaml` is broken, which is watched anyway. */
function foldersOf(loader: RegistryLoader): string[] | undefined {
  const registry = tryToLoad(loader);
  return registry && watchedFolders(registry);
}

function tryToLoad(loader: RegistryLoader): Registry | undefined {
  try {
    return loader.load();
  } catch (error) {
    if (!(error instanceof AbilityError)) throw error;
    return undefined;
  }
}

function optionsOf(
  { checkEnv, since, imported }: Flags,
  env: NodeJS.ProcessEnv,
  more: readonly Finding[],
): LintOptions {
  const others = [checkRoutingDocuments, checkAgentDocuments, checkCases, () => more];
  return {
    others,
    env,
    ...(checkEnv && { checkEnv }),
    ...(imported && { imported }),
    ...(since !== undefined && { since }),
  };
}

function exitOf({ findings }: LintReport, { failOn }: Flags): ExitCode {
  const counts = ({ severity }: Finding): boolean => severity === 'error' || severity === failOn;
  return findings.some(counts) ? EXIT.failed : EXIT.ok;
}
