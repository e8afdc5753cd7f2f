import { relative, resolve, sep } from 'node:path';
import { basename } from 'node:path/posix';
import { planProposal } from '../../../../authoring/harvest/plan-proposal.js';
import { type Scaffold, type Site, siteFolders } from '../../../../authoring/scaffold/scaffold.js';
import { type PlannedFile, schemaLine, writeTogether } from '../../../../authoring/write-together.js';
import { AbilityError, usageError } from '../../../../contracts/problem.js';
import { EXIT, type ExitCode } from '../../../../contracts/states.js';
import type { RegistryLoader } from '../../../../definitions/load-registry.js';
import type { FoundFlow } from '../../../../operations/harvest.js';
import { satisfies } from '../../../../planning/input/schemas.js';
import type { Context } from '../../program/context.js';
import { lintBefore } from '../scaffold/from-definition.js';
import { printWritten, writePlan } from '../writing/write-plan.js';

export interface ProposalsToWrite {
  loader: RegistryLoader;
  environment: string;
  folder: string;
  flows: readonly FoundFlow[];
  /** Empty: all proposals. */
  ids: readonly string[];
}

type Proposed = FoundFlow & { proposal: NonNullable<FoundFlow['proposal']> };

/**
 * Writes proposals for review, each loaded and linted at its place in the registry first. Source: R-000-94.
 * @throws AbilityError `harvest.no_proposal`, `harvest.proposal_invalid`, `usage.invalid`; writes nothing then.
 */
export async function writeProposals(context: Context, wanted: ProposalsToWrite): Promise<ExitCode> {
  const { loader, ids } = wanted;
  const folder = folderIn(loader.root, resolve(context.cwd, wanted.folder), siteFolders(loader.root).registry);
  const chosen = choose(wanted.flows, ids);
  const notes: string[] = [];
  const { created } = await writePlan(loader.root, context.terminal, () => {
    const registry = loader.load();
    const { environment } = wanted;
    const site: Site = { registry, folders: siteFolders(loader.root), environment, fits: satisfies };
    const files = chosen.flatMap((flow) => {
      const scaffold = planProposal(site, { ...flow, ...flow.proposal });
      check(loader, scaffold, flow.proposal.id);
      notes.push(...scaffold.notes);
      return scaffold.files.map((file) => forReview(file, folder, site, flow));
    });
    return { files, settle: () => ({ files: [], notes: [] }) };
  });
  if (chosen.length === 0) notes.push('There is nothing to propose.');
  const next = chosen.slice(0, 1).map(({ proposal: { id } }) => {
    const at = `${siteFolders(loader.root).registry}/high-level/`;
    return { command: `mv ${folder}/${id}*.yaml ${at}`, purpose: 'once it has been looked over; then ability lint' };
  });
  printWritten(context, { created, changed: [], left: [], notes, next });
  return EXIT.ok;
}

/** A project folder outside the registry, where files would take effect at once. */
function folderIn(root: string, full: string, registry: string): string {
  const folder = relative(root, full).split(sep).join('/');
  const isOut = folder === '..' || folder.startsWith('../') || folder === '';
  const isUsed = folder === registry || folder.startsWith(`${registry}/`) || folder.split('/')[0] === '.system';
  if (!isOut && !isUsed) return folder;
  const why = isOut ? 'is no folder within the project' : 'is a folder whose definitions take effect at once';
  throw usageError(`${folder || '.'} ${why}`, 'Name another folder of the project, such as --write proposals.');
}

function choose(flows: readonly FoundFlow[], ids: readonly string[]): Proposed[] {
  const all = flows.filter((flow): flow is Proposed => flow.proposal !== null);
  const unknown = ids.find((id) => !all.some(({ proposal }) => proposal.id === id));
  if (unknown === undefined) return ids.length === 0 ? all : all.filter(({ proposal }) => ids.includes(proposal.id));
  throw new AbilityError({
    code: 'harvest.no_proposal',
    message: `There is no proposal ${unknown}`,
    suggestion: all.length > 0 ? `There are ${all.map(({ proposal }) => proposal.id).join(', ')}.` : 'There are none.',
  });
}

/** Writes a proposal into the registry to load and lint it, then removes it. */
function check(loader: RegistryLoader, { files }: Scaffold, id: string): void {
  const before = lintBefore(loader);
  const written = writeTogether(loader.root, files);
  try {
    const first = before.fresh().find(({ severity }) => severity === 'error');
    if (!first) return;
    throw new AbilityError({
      code: 'harvest.proposal_invalid',
      message: `${id} would not be valid: ${first.message} (${first.location.file}); nothing was written`,
      suggestion: 'Correct that in the abilities that it calls, or name other proposals with --proposal.',
    });
  } finally {
    written.undo();
  }
}

function forReview({ path, content }: PlannedFile, folder: string, site: Site, flow: Proposed): PlannedFile {
  const target = `${folder}/${basename(path)}`;
  const kind = path.endsWith('.test.yaml') ? 'cases' : 'high-level';
  const line = schemaLine({ kind, path: target, registry: site.folders.registry });
  const seen = `# Proposed by \`ability harvest\`: seen ${flow.times} times, such as in ${flow.works.slice(-3).join(', ')}. Look it over before it is used.`;
  const rest = content.slice(content.indexOf('\n') + 1);
  return { path: target, content: `${line}\n${seen.replaceAll(/[\r\n]/g, ' ')}\n${rest}` };
}
