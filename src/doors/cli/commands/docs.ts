import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import {
  agentDocumentsOf,
  findAgentDocuments,
  planAgentDocuments,
  SKILL_FILE,
  SKILL_NAME,
} from '../../../authoring/agent-documents/plan-agent-documents.js';
import { DOCUMENT_NAME, placesToAdd, selectDocuments } from '../../../authoring/routing-documents/find-documents.js';
import {
  type DocumentPlan,
  planAdditions,
  planDocuments,
  plannedFiles,
} from '../../../authoring/routing-documents/plan-documents.js';
import { siteFolders } from '../../../authoring/scaffold/scaffold.js';
import { AbilityError, reasonOf, usageError } from '../../../contracts/problem.js';
import { EXIT, type ExitCode } from '../../../contracts/states.js';
import type { Registry } from '../../../definitions/registry.js';
import { isInside } from '../../../disk/paths.js';
import type { GapGroup } from '../../../operations/gaps.js';
import { describeProblem, typedBy } from '../output/describe-problem.js';
import { plainText } from '../output/plain-text.js';
import { renderDocument, reportOf, statusOfAll } from '../output/render-document.js';
import { exitOf } from '../output/report.js';
import { type Context, openRegistry } from '../program/context.js';
import type { DefinitionFlags } from '../program/definitions.js';
import { unlessInterrupted } from './following/interruption.js';

type Flags = DefinitionFlags['docs'];

/** `ability docs`: updates or checks routing documents and those for AIs. Source: R-000-88, R-002-56. */
export async function run(context: Context, [paths]: [string[]], given: Flags): Promise<ExitCode> {
  refuseContradictions(paths, given);
  const { check = false } = given;
  const registry = await openRegistry(context);
  const { terminal, flags } = context;
  const lacking = given.gaps ? await readGaps(context, registry) : undefined;
  const plan = (): DocumentPlan[] => plansOf(registry, context, paths, given);
  const plans = check ? plan() : await writeInStep(context, registry.root, plan);
  const isWritten = !check && !isAnyBroken(plans);
  const reports = plans.map((plan) => ({
    ...reportOf(plan, { isWritten }),
    ...(lacking && { gaps: lacking.get(plan.file) ?? [] }),
  }));
  const status = statusOfAll(reports);
  if (flags.json) terminal.printJson({ status, documents: reports });
  else {
    for (const { result, remarks } of reports.map((report) => renderDocument(report, check, terminal.style))) {
      if (result !== '') terminal.print(result);
      remarks.forEach(terminal.note);
    }
  }
  for (const problem of registry.problems) terminal.note(describeProblem(typedBy(context, problem), terminal.style));
  if (status === 'broken') return exitOf({ code: 'docs.invalid', message: '' });
  const isBehind = status === 'out_of_step' || status === 'not_kept';
  return isBehind ? exitOf({ code: 'docs.out_of_step', message: '' }) : EXIT.ok;
}

/** Plans and writes documents while no other command does; writes none if one is broken. */
function writeInStep(context: Context, root: string, plan: () => DocumentPlan[]): Promise<DocumentPlan[]> {
  const { note } = context.terminal;
  return unlessInterrupted(context, async (signal) => {
    const { whileAlone } = await import('./writing/while-alone.js');
    const { writeTogetherOr } = await import('../../../authoring/write-together.js');
    return whileAlone(root, { note, signal }, async () => {
      const plans = plan();
      if (!isAnyBroken(plans)) writeTogetherOr('docs.write_failed', root, plannedFiles(plans));
      return plans;
    });
  });
}

const isAnyBroken = (plans: readonly DocumentPlan[]): boolean => plans.some(({ status }) => status === 'broken');

/** Gaps by page. If they cannot be read, says so, and the pages are still checked. */
async function readGaps({ terminal }: Context, { root }: Registry): Promise<ReadonlyMap<string, GapGroup[]>> {
  const { gapsByPage } = await import('../../../operations/gaps.js');
  try {
    return gapsByPage(root);
  } catch (error) {
    terminal.note(plainText(`Requests that no ability could meet could not be read: ${reasonOf(error)}`));
    return new Map();
  }
}

/** @throws AbilityError `usage.invalid`. */
function refuseContradictions(paths: readonly string[], { check, add, gaps, agents, skill }: Flags): void {
  const refuse = (message: string, suggestion = 'Leave out one of them.'): never => {
    throw usageError(message, suggestion);
  };
  if (check && add) refuse('--add writes, and --check does not');
  if (gaps && !check) {
    refuse('--gaps shows what a page lacks, and writes nothing', 'Pass both: ability docs --check --gaps.');
  }
  const own = agents ? '--agents' : skill !== undefined ? '--skill' : undefined;
  if (own !== undefined && add) refuse(`--add is about ABILITY.md, and ${own} is not`);
  if (own !== undefined && gaps) refuse(`--gaps is about ABILITY.md, and ${own} is not`);
  if (own !== undefined && paths.length > 0)
    refuse(`${paths[0]} names a routing document, and ${own} is not about these`);
}

function plansOf(registry: Registry, context: Context, paths: string[], given: Flags): DocumentPlan[] {
  const { agents, skill, add } = given;
  const forAgents = (): DocumentPlan[] => planAgentDocumentsOf(registry.root, context.cwd, given);
  if (agents || skill !== undefined) return forAgents();
  const tables = tablesOf(registry, context, paths, given);
  return add || paths.length > 0 ? tables : [...tables, ...forAgents()];
}

/** Creates a project's first document, unless `--check` is given. */
function tablesOf(registry: Registry, { cwd }: Context, paths: string[], { check, add }: Flags): DocumentPlan[] {
  const { root } = registry;
  if (add) return planAdditions(registry, placesToAdd(root, cwd, paths));
  const files = selectDocuments(root, cwd, paths);
  if (files.length > 0) return planDocuments(registry, files);
  if (!check) return planAdditions(registry, placesToAdd(root, cwd, []));
  throw new AbilityError({
    code: 'docs.none',
    message: `This project has no ${DOCUMENT_NAME}`,
    suggestion: '`ability docs` writes the first one.',
  });
}

/** Plans the requested documents for AIs; if none is requested, all that carry our markers. */
function planAgentDocumentsOf(root: string, cwd: string, { agents, skill }: Flags): DocumentPlan[] {
  const { registry } = siteFolders(root);
  const isRequested = agents || skill !== undefined;
  const wanted = [
    ...(agents ? agentDocumentsOf(root, registry) : []),
    ...(skill === undefined ? [] : [skillIn(root, resolve(cwd, skill), skill)]),
  ];
  return planAgentDocuments(root, registry, isRequested ? wanted : findAgentDocuments(root, registry));
}

/** Relative to the root; `folder` may be the skill's own. @throws AbilityError `usage.invalid` if outside. */
function skillIn(root: string, folder: string, given: string): string {
  const own = basename(folder) === SKILL_NAME ? folder : join(folder, SKILL_NAME);
  const path = realOf(join(own, SKILL_FILE));
  if (isInside(root, path)) return relative(root, path).split(sep).join('/');
  throw usageError(
    `${given} is not in the project ${root}`,
    'Name a folder of skills of this project, such as --skill .claude/skills; copy it from there.',
  );
}

/** Resolves links in the existing part of a path; the writer checks the file itself. */
function realOf(path: string): string {
  const folder = dirname(path);
  return join(existsSync(folder) ? realpathSync(folder) : realOf(folder), basename(path));
}
