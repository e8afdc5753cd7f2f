import type { LastApproved, ShownApproval } from '../../../../client/index.js';
import type { Json } from '../../../../contracts/json.js';
import { oneLine, startOf } from '../../../../rules/shown-text.js';
import { tellMoment } from '../tell-time.js';
import type { Terminal } from '../terminal/terminal.js';
import { renderApproval } from './render-result.js';

const MOST_OF_A_VALUE = 120;
const MOST_DIFFERENCES = 20;

/** What a decider sees: what would run, where and why, who asked, and how it differs from what was approved last. */
export function renderShown(approval: ShownApproval, style: Terminal['style'], last?: LastApproved | null): string {
  const { task_key, task_ability, path, what_digest, proof } = approval;
  const step = path === 'run' ? 'the task itself' : `step ${path}`;
  return [
    renderApproval(approval, style),
    `  in: ${oneLine(task_ability)} ${task_key}, ${oneLine(step)}`,
    ...(proof === 'required'
      ? ['  proof: the owner of this runtime decides, without --as; others with a token in ABILITY_TOKEN']
      : []),
    ...(last === undefined ? [] : tellLast(last)),
    style('dim', `  what_digest: ${what_digest}`),
  ].join('\n');
}

function tellLast(last: LastApproved | null): string[] {
  if (last === null) return ['  approved before: none of this ability at this step, among the recent tasks'];
  const { task_key, by, at, differs } = last;
  const head = `  approved before: ${task_key} ${tellMoment(at)} by ${oneLine(by.join(', '))}`;
  if (differs.length === 0) return [`${head}; the same`];
  const more = differs.length - MOST_DIFFERENCES;
  return [
    `${head}; different now:`,
    ...differs
      .slice(0, MOST_DIFFERENCES)
      .map((one) => `    ${oneLine(one.at)}: ${shownValue(one.expected)} -> ${shownValue(one.actual)}`),
    ...(more > 0 ? [`    and ${more} more`] : []),
  ];
}

function shownValue(value: Json | undefined): string {
  return value === undefined ? 'nothing' : oneLine(startOf(JSON.stringify(value), MOST_OF_A_VALUE));
}
