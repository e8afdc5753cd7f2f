import type { HarvestRuns } from '../../../server/logs/harvest-file.js';
import type { FoundFlow } from '../../answers/find-proposals.js';
import type { GapGroup } from '../../answers/group-gaps.js';
import type { Harvest, HarvestedScript } from '../../answers/harvest.js';
import { plainText } from './plain-text.js';
import type { Style } from './terminal/terminal.js';

export function renderHarvest({ gaps, scripts, flows }: Harvest, style: Style): string {
  const requests =
    gaps.length === 0 ? ['Everything that was requested is available.'] : gaps.flatMap((gap) => gapLines(gap, style));
  const written =
    scripts.length === 0
      ? ['There are no scripts in `workdocs`.']
      : scripts.flatMap((script) => scriptLines(script, style));
  const together =
    flows.length === 0
      ? ['No calls followed each other in three tasks or more.']
      : flows.flatMap((flow) => flowLines(flow, style));
  return [
    style('bold', 'Requested, but not available'),
    ...requests,
    '',
    style('bold', 'Scripts'),
    ...written,
    '',
    style('bold', 'Called together'),
    ...together,
  ].join('\n');
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

function gapLines({ request, also, times, last, environments, kind, nearest }: GapGroup, style: Style): string[] {
  const often = times === 1 ? 'once' : `${times} times`;
  const where = kind === 'not_here' ? `not in ${environments.join(', ')}` : environments.join(', ');
  return [
    `${style('bold', plainText(request))}  ${often}, last ${last.slice(0, 10)}, ${where}`,
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
