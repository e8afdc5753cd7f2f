import { DOCUMENT_NAME, placesToAdd, selectDocuments } from '../../../../authoring/routing-documents/find-documents.js';
import {
  type DocumentPlan,
  planAdditions,
  planDocuments,
  plannedFiles,
} from '../../../../authoring/routing-documents/plan-documents.js';
import { AbilityError, reasonOf, usageError } from '../../../../contracts/problem.js';
import { EXIT, type ExitCode } from '../../../../contracts/states.js';
import type { Registry } from '../../../../definitions/registry.js';
import type { GapGroup } from '../../../answers/group-gaps.js';
import { describeProblem, typedBy } from '../../output/describe-problem.js';
import { plainText } from '../../output/plain-text.js';
import { renderDocument } from '../../output/render-document.js';
import { exitOf } from '../../output/report.js';
import { type Context, openRegistry } from '../../program/context.js';
import type { DefinitionFlags } from '../../program/definitions.js';
import { unlessInterrupted } from '../following/interruption.js';
import { planAgentDocumentsOf } from './agent-documents.js';
import { type DocumentReport, reportOf, statusOfAll } from './report-documents.js';

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
  else for (const report of reports) show(context, report, check);
  for (const problem of registry.problems) terminal.note(describeProblem(typedBy(context, problem), terminal.style));
  if (status === 'broken') return exitOf({ code: 'docs.invalid', message: '' });
  const isBehind = status === 'out_of_step' || status === 'not_kept';
  return isBehind ? exitOf({ code: 'docs.out_of_step', message: '' }) : EXIT.ok;
}

/** Plans and writes documents while no other command does; writes none if one is broken. */
function writeInStep(context: Context, root: string, plan: () => DocumentPlan[]): Promise<DocumentPlan[]> {
  const note = (text: string): void => context.terminal.note(text);
  return unlessInterrupted(context, async (signal) => {
    const { whileAlone } = await import('../writing/while-alone.js');
    const { writeTogetherOr } = await import('../../../../authoring/write-together.js');
    return whileAlone(root, { note, signal }, async () => {
      const plans = plan();
      if (!isAnyBroken(plans)) writeTogetherOr('docs.write_failed', root, plannedFiles(plans));
      return plans;
    });
  });
}

function isAnyBroken(plans: readonly DocumentPlan[]): boolean {
  return plans.some(({ status }) => status === 'broken');
}

/** Gaps by page. If they cannot be read, says so, and the pages are still checked. */
async function readGaps({ terminal }: Context, { root }: Registry): Promise<ReadonlyMap<string, GapGroup[]>> {
  const { gapsByPage } = await import('../../../answers/note-gap.js');
  try {
    return gapsByPage(root);
  } catch (error) {
    terminal.note(plainText(`Requests that no ability could meet could not be read: ${reasonOf(error)}`));
    return new Map();
  }
}

/** @throws AbilityError `usage.invalid`. */
function refuseContradictions(paths: readonly string[], { check, add, gaps, agents, skill }: Flags): void {
  const refuse = (message: string): never => {
    throw usageError(message, 'Leave out one of them.');
  };
  if (check && add) refuse('--add writes, and --check does not');
  if (gaps && !check) {
    const suggestion = 'Pass both: ability docs --check --gaps.';
    const message = '--gaps shows what a page lacks, and writes nothing';
    throw usageError(message, suggestion);
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

function show({ terminal }: Context, report: DocumentReport, check: boolean): void {
  const { result, remarks } = renderDocument(report, check, terminal.style);
  if (result !== '') terminal.print(result);
  for (const remark of remarks) terminal.note(remark);
}
