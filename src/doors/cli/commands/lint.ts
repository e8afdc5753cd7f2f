import { checkAgentDocuments } from '../../../authoring/agent-documents/plan-agent-documents.js';
import { checkRoutingDocuments } from '../../../authoring/routing-documents/check-routing-documents.js';
import { findDocuments } from '../../../authoring/routing-documents/find-documents.js';
import type { Finding } from '../../../contracts/findings.js';
import { type AbilityError, usageError } from '../../../contracts/problem.js';
import { EXIT, type ExitCode } from '../../../contracts/states.js';
import type { RegistryLoader } from '../../../definitions/load-registry.js';
import type { Registry } from '../../../definitions/registry.js';
import { type LintOptions, lintProject } from '../../../lint/lint-project.js';
import type { Provided } from '../../../lint/linted-project.js';
import { writtenReferences } from '../../../planning/secrets/written-references.js';
import { providerReference } from '../../../rules/secret-reference.js';
import { checkCases } from '../../../testing/prepare-cases.js';
import { unlessRefused } from '../../../text/attempt.js';
import { defined } from '../../../text/defined.js';
import { fingerprint, untilChange, watchedFolders } from '../input/watch-files.js';
import {
  renderFindings,
  renderFindingsJunit,
  renderGuardCheck,
  renderSarif,
} from '../output/findings/render-findings.js';
import { type Context, openLoader } from '../program/context.js';
import type { DefinitionFlags } from '../program/definitions.js';
import { unlessInterrupted, withInterruption } from './following/interruption.js';

type Flags = DefinitionFlags['lint'];
type Format = NonNullable<Flags['format']>;

/** `ability lint`: all findings in the definitions. Reads files only, unless `--check-hooks` is given. */
export async function run(context: Context, _: [], flags: Flags): Promise<ExitCode> {
  const format = formatOf(context, flags);
  const loader = await openLoader(context);
  if (!flags.watch) {
    const more = await hookFindings(context, loader, flags);
    return lintOnce(context, loader, flags, format, await askProviders(context, loader, flags), more);
  }
  if (flags.checkHooks) throw neverEnds('--check-hooks runs the guards once');
  if (format !== 'human') throw neverEnds(`${format} is one document`);
  return lintAgainAndAgain(context, loader, flags);
}

function neverEnds(other: string): AbilityError {
  return usageError(`--watch never ends, and ${other}`, 'Leave out one of them.');
}

/** Fires the guards of other tools with what they must deny. */
async function hookFindings(context: Context, loader: RegistryLoader, { checkHooks }: Flags): Promise<Finding[]> {
  if (!checkHooks) return [];
  const registry = tryToLoad(loader);
  if (!registry) return [];
  const { proveGuardsHere } = await import('../../../worker/prove-guards.js');
  const check = await unlessInterrupted(context, (signal) => proveGuardsHere(registry, context.env, signal));
  context.terminal.note(renderGuardCheck(check));
  return check.findings;
}

/** For `--check-env`: runs the programs of the providers that the definitions refer to. */
async function askProviders(
  context: Context,
  loader: RegistryLoader,
  { checkEnv }: Flags,
): Promise<Provided | undefined> {
  const registry = checkEnv ? tryToLoad(loader) : undefined;
  if (!registry || Object.keys(registry.project.secrets).length === 0) return undefined;
  const { askProvidersHere } = await import('../../../worker/worker-secrets.js');
  const wanted = [...writtenReferences(registry)].filter(({ reference }) => providerReference(reference));
  return unlessInterrupted(context, (signal) => askProvidersHere(registry.root, wanted, context.env, signal));
}

function formatOf({ flags }: Context, { format }: Flags): Format {
  if (!flags.json) return format ?? 'human';
  if (format === undefined || format === 'json') return 'json';
  throw usageError(`--json and --format ${format} contradict each other`, 'Leave out one of them.');
}

function lintOnce(
  { terminal, env }: Context,
  loader: RegistryLoader,
  flags: Flags,
  format: Format,
  provided: Provided | undefined,
  more: readonly Finding[] = [],
): ExitCode {
  const report = lintProject(loader, { ...optionsOf(flags, env, more), ...defined({ provided }) });
  if (format === 'human') terminal.print(renderFindings(report, terminal.style));
  else if (format === 'json') terminal.printJson(report);
  else terminal.print(format === 'sarif' ? renderSarif(report.findings) : renderFindingsJunit(report.findings));
  const counts = ({ severity }: Finding): boolean => severity === 'error' || severity === flags.failOn;
  return report.findings.some(counts) ? EXIT.failed : EXIT.ok;
}

async function lintAgainAndAgain(context: Context, loader: RegistryLoader, flags: Flags): Promise<ExitCode> {
  const { terminal } = context;
  let folders: string[] = [];
  await withInterruption(context, async (signal) => {
    while (!signal.aborted) {
      const registry = tryToLoad(loader);
      // While `ability.yaml` is broken, which is watched anyway, those of before.
      if (registry) folders = watchedFolders(registry);
      const documents = findDocuments(loader.root);
      const before = fingerprint(loader.root, folders, documents);
      const started = performance.now();
      lintOnce(context, loader, flags, 'human', await askProviders(context, loader, flags));
      const took = Math.round(performance.now() - started);
      terminal.note(terminal.style('dim', `${took} ms. Waiting for a change; press Ctrl-C to stop.`));
      await untilChange(loader.root, folders, before, signal, documents);
    }
  });
  return EXIT.interrupted;
}

function tryToLoad(loader: RegistryLoader): Registry | undefined {
  return unlessRefused(
    () => loader.load(),
    () => undefined,
  );
}

function optionsOf(
  { checkEnv, since, imported }: Flags,
  env: NodeJS.ProcessEnv,
  more: readonly Finding[],
): LintOptions {
  const others = [checkRoutingDocuments, checkAgentDocuments, checkCases, () => more];
  return { others, env, ...defined({ checkEnv, imported, since }) };
}
