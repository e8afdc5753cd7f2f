import { DOCUMENT_NAME } from '../../../authoring/routing-documents/find-documents.js';
import {
  type DocumentPlan,
  planAdditions,
  planDocuments,
} from '../../../authoring/routing-documents/plan-documents.js';
import { placesToAdd, selectDocuments } from '../../../authoring/routing-documents/select-documents.js';
import { writeDocuments } from '../../../authoring/routing-documents/write-documents.js';
import { EXIT, type ExitCode } from '../../../contracts/exit-codes.js';
import { AbilityError } from '../../../contracts/problem.js';
import type { Registry } from '../../../definitions/registry.js';
import { type Context, openRegistry } from '../context.js';
import { renderDocument } from '../render-document.js';
import { describeProblem, exitOf, typedBy } from '../report.js';
import { type DocumentReport, reportOf, statusOfAll } from '../report-documents.js';

/** Flags of `ability docs`. */
export interface DocsFlags {
  check?: boolean;
  add?: boolean;
}

/** `ability docs [FILE|FOLDER..]`: keeps routing documents in step with the abilities, or says where they are not. */
export async function run(
  context: Context,
  paths: string[],
  { check = false, add = false }: DocsFlags,
): Promise<ExitCode> {
  if (check && add) {
    const suggestion = 'Leave out one of them.';
    throw new AbilityError({ code: 'usage.invalid', message: '--add writes, and --check does not', suggestion });
  }
  const registry = await openRegistry(context);
  const { terminal, flags } = context;
  const plans = plansOf(registry, context, paths, { check, add });
  const isBroken = plans.some(({ status }) => status === 'broken');
  if (!check && !isBroken) writeDocuments(plans.flatMap(toWrite));
  const reports = plans.map((plan) => reportOf(plan, { isWritten: !check && !isBroken }));
  const status = statusOfAll(reports);
  if (flags.json) terminal.printJson({ status, documents: reports });
  else for (const report of reports) show(context, report, check);
  for (const problem of registry.problems) terminal.note(describeProblem(typedBy(context, problem), terminal.style));
  if (status === 'broken') return exitOf({ code: 'docs.invalid', message: '' });
  const isBehind = status === 'out_of_step' || status === 'not_kept';
  return isBehind ? exitOf({ code: 'docs.out_of_step', message: '' }) : EXIT.ok;
}

/** A project that has no document yet gets its first one, unless it is only to be checked. */
function plansOf(registry: Registry, { cwd }: Context, paths: string[], { check, add }: DocsFlags): DocumentPlan[] {
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

function toWrite(plan: DocumentPlan): Parameters<typeof writeDocuments>[0] {
  if (plan.status === 'broken' || plan.update.text === plan.before) return [];
  const { file, path, before, update } = plan;
  return [{ file, path, before, text: update.text }];
}

function show({ terminal }: Context, report: DocumentReport, check: boolean): void {
  const { result, remarks } = renderDocument(report, check, terminal.style);
  if (result !== '') terminal.print(result);
  for (const remark of remarks) terminal.note(remark);
}
