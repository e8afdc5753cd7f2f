import { usageError } from '../../../../contracts/problem.js';
import { EXIT, type ExitCode } from '../../../../contracts/states.js';
import type { GapGroup } from '../../../../operations/gaps.js';
import type { FoundFlow } from '../../../../operations/harvest.js';
import { type Harvest, type HarvestedScript, harvest } from '../../../../operations/harvest.js';
import type { HarvestRuns } from '../../../../server/logs/harvest-file.js';
import { asTyped } from '../../../../shown/typed-command.js';
import { plainText } from '../../output/plain-text.js';
import { whenAsked } from '../../output/render-document.js';
import type { Style } from '../../output/terminal/terminal.js';
import type { ChoosingFlags } from '../../program/choosing.js';
import { type Context, environmentOf, openLoader, printAnswer } from '../../program/context.js';
import { withProject } from '../../program/project-client.js';
import { unlessCancelled } from '../writing/write-plan.js';

/**
 * `ability harvest`: missing abilities, scripts that may deserve one, and calls that may deserve a workflow. Only
 * `--write` writes definitions, into a folder for review. Source: R-000-90 to R-000-94.
 */
export async function run(context: Context, _: [], flags: ChoosingFlags['harvest']): Promise<ExitCode> {
  const { write, proposal: ids } = flags;
  if (write === undefined && ids.length > 0) {
    throw usageError(
      '--proposal selects what --write writes',
      'Pass both: ability harvest --write FOLDER --proposal ID.',
    );
  }
  const ofProject = write !== undefined ? '--write' : undefined;
  if (context.door && ofProject === undefined) return harvestThere(context);
  const loader = await openLoader(context, ofProject);
  const registry = loader.load();
  const environment = await environmentOf(context, registry);
  const found = await harvest(registry, environment, context.env);
  for (const warning of found.warnings) context.terminal.note(plainText(warning));
  if (write !== undefined) {
    const { writeProposals } = await import('./write-proposals.js');
    return unlessCancelled(context, () =>
      writeProposals(context, { loader, environment, folder: write, flows: found.flows, ids }),
    );
  }
  printAnswer(context, found, () => asTyped(renderHarvest(found, context.terminal.style), context));
  return EXIT.ok;
}

/** Through a door only the requests: scripts and records are files of the project. */
async function harvestThere(context: Context): Promise<ExitCode> {
  const found = await withProject(context, (project) => project.call('listGaps', {}));
  const { terminal } = context;
  printAnswer(context, found, () =>
    asTyped(sectionsOf([gapSection(found.gaps, terminal.style)], terminal.style), context),
  );
  terminal.note('Scripts and calls are harvested in the project itself.');
  return EXIT.ok;
}

type Section = [title: string, lines: string[], none: string];

function gapSection(gaps: GapGroup[], style: Style): Section {
  const lines = gaps.flatMap((gap) => gapLines(gap, style));
  return ['Requested, but not available', lines, 'Everything that was requested is available.'];
}

function renderHarvest({ gaps, scripts, flows }: Harvest, style: Style): string {
  const sections: Section[] = [
    gapSection(gaps, style),
    ['Scripts', scripts.flatMap((script) => scriptLines(script, style)), 'There are no scripts in `workdocs`.'],
    [
      'Called together',
      flows.flatMap((flow) => flowLines(flow, style)),
      'No calls followed each other in three tasks or more.',
    ],
  ];
  return sectionsOf(sections, style);
}

function sectionsOf(sections: readonly Section[], style: Style): string {
  return sections
    .map(([title, lines, none]) => [style('bold', title), ...(lines.length > 0 ? lines : [none])].join('\n'))
    .join('\n\n');
}

function flowLines({ calls, order, times, orders, intents, became, proposal }: FoundFlow, style: Style): string[] {
  const how = order === 'fixed' ? 'in this order' : `in ${orders.length} orders`;
  return [
    `${style('bold', plainText(calls.join(' > ')))}  ${times} times, ${how}`,
    ...intents.slice(-1).map((intent) => `  for: ${plainText(intent)}`),
    ...(became.length > 0 ? [`  there is ${became.join(', ')} for it`] : []),
    ...(proposal
      ? [`  a ${proposal.type} to look over: ability harvest --write proposals --proposal ${proposal.id}`]
      : []),
  ];
}

function gapLines(gap: GapGroup, style: Style): string[] {
  const { request, also, nearest } = gap;
  return [
    `${style('bold', plainText(request))}  ${whenAsked(gap)}`,
    ...also.map((said) => `  also: ${plainText(said)}`),
    ...(nearest.length > 0 ? [`  nearest: ${nearest.map((id) => plainText(id)).join(', ')}`] : []),
  ];
}

function scriptLines(script: HarvestedScript, style: Style): string[] {
  const { path, is_text, summary, documented, abilities, same_as, uses, near, runs, next } = script;
  const manual = documented
    ? `described in ${documented.path}:${documented.line}`
    : 'not described in modular_mannual.md';
  const nothing = is_text ? 'has no summary' : 'is no text that can be read';
  const said = summary === null ? nothing : plainText(summary);
  return [
    style('bold', plainText(path)),
    `  ${said}; ${manual}`,
    ...(abilities.length > 0 ? [`  is behind ${abilities.join(', ')}`] : []),
    `  ${runs === null ? 'how often it ran is not known' : ranLine(runs)}`,
    ...(uses.length > 0 ? [`  uses ${uses.join(', ')}`] : []),
    ...same_as.map((other) => `  the same text as ${plainText(other)}`),
    ...(near.length > 0 ? [`  near: ${near.map(({ id, score }) => `${id} (${score.toFixed(2)})`).join(', ')}`] : []),
    ...(next === null ? [] : [`  ${plainText(next)}`]),
  ];
}

function ranLine({ times, at_least, last, from }: HarvestRuns): string {
  const often = `ran ${at_least ? 'at least ' : ''}${times === 1 ? 'once' : `${times} times`}`;
  const source = from === 'records' ? 'records of tasks' : 'the hook `usage`';
  return `${often}${last === null ? '' : `, last ${last.slice(0, 10)}`}, according to ${source}`;
}
