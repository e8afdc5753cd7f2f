import type { ItemFailure, LoopCounts } from '../../../../contracts/loops.js';
import type { StepSummary, TaskResult } from '../../../../contracts/task.js';
import { isAmong } from '../../../../rules/number-ranges.js';
import { describeEnd, describeTurns, nameOf } from '../../../../rules/steps/describe-items.js';
import { counted } from '../plain-text.js';
import { escapeXml, quoteXml } from './xml.js';

/**
 * The maximum number of items of one loop with cases of their own, besides failed ones; the others are counted in one
 * case.
 */
const MAX_CASES = 1000;

export interface JunitCase {
  xml: string;
  end: 'passed' | 'failed' | 'skipped';
}

/**
 * One case an item, named by path: CI takes a changed name for a new case. Undefined for no `foreach` or unknown
 * items. @param covers whether a failure of the loop failed the task. @param inner rows of the steps in the loop.
 */
export function casesOfItems(
  row: StepSummary,
  inner: readonly StepSummary[],
  covers: boolean,
  { ability_id }: TaskResult,
): JunitCase[] | undefined {
  const { items, path, failures = [], failures_left_out: left = 0 } = row;
  if (items?.verb !== 'foreach' || path.includes('*')) return undefined;
  const failed = new Map(failures.map((failure) => [failure.item, failure]));
  const covered = coveredIn(row, inner);
  const open = (name: string): string => `    <testcase classname=${quoteXml(ability_id)} name=${quoteXml(name)}`;
  const cases: JunitCase[] = [];
  const counted = { passed: 0, skipped: 0, unknown: 0 };
  for (let item = 0; item < items.total; item += 1) {
    const failure = failed.get(item);
    if (failure) {
      cases.push(renderFailure(open(`${path}/${item}`), failure, row, covers));
      continue;
    }
    const end = endOf(items, item, left);
    if (cases.length >= MAX_CASES || end === 'unknown') counted[end] += 1;
    else if (end === 'skipped') cases.push({ xml: `${open(`${path}/${item}`)}><skipped/></testcase>`, end });
    else {
      const described = covered.get(item);
      const xml = described === undefined ? '/>' : `><skipped message=${quoteXml(described)}/></testcase>`;
      cases.push({ xml: `${open(`${path}/${item}`)}${xml}`, end: described === undefined ? 'passed' : 'skipped' });
    }
  }
  return [...cases, ...countedCases(open, row, counted, covers)];
}

/** How an item outside the failures ended; `unknown` if that was not kept. */
function endOf(items: LoopCounts, item: number, left: number): 'passed' | 'skipped' | 'unknown' {
  const { total, succeeded, skipped = 0, done, skipped_items: ranges } = items;
  if (skipped > 0 && ranges && isAmong(ranges, item)) return 'skipped';
  if (skipped > 0 && !ranges) return 'unknown';
  if (succeeded + skipped === total) return 'passed';
  if (done) return isAmong(done, item) ? 'passed' : left > 0 ? 'unknown' : 'skipped';
  return 'unknown';
}

function renderFailure(open: string, failure: ItemFailure, row: StepSummary, covers: boolean): JunitCase {
  const { path, task, status } = failure;
  const described = `${nameOf(failure, row)}${describeEnd(failure) || ` ${status}`}`;
  if (status === 'cancelled')
    return { xml: `${open}><skipped message=${quoteXml(described)}/></testcase>`, end: 'skipped' };
  if (!covers) {
    return {
      xml: `${open}><skipped message=${quoteXml(`did not fail the task: ${described}`)}/></testcase>`,
      end: 'skipped',
    };
  }
  const text = [described, ...restOf(failure, described), task === undefined ? `log: ${path}` : `task: ${task}`].join(
    '\n',
  );
  return {
    xml: `${open}><failure message=${quoteXml(described)}>${escapeXml(text)}</failure></testcase>`,
    end: 'failed',
  };
}

/** Message lines that `described` does not show; includes the first line if `described` shortened it. */
function restOf({ error }: ItemFailure, described: string): string[] {
  const [first = '', ...others] = (error?.message ?? '').split('\n');
  return described.endsWith(first) ? others : [first, ...others];
}

function coveredIn({ path }: StepSummary, inner: readonly StepSummary[]): Map<number, string> {
  const described = new Map<number, string>();
  for (const step of inner) {
    for (const failure of step.items ? [] : (step.failures ?? [])) {
      const item = Number(failure.path.slice(path.length + 1).split('/', 1)[0]);
      if (!described.has(item)) described.set(item, `did not fail the task: ${step.id}${describeEnd(failure)}`);
    }
  }
  return described;
}

function countedCases(
  open: (name: string) => string,
  row: StepSummary,
  { passed, skipped, unknown }: Record<'passed' | 'skipped' | 'unknown', number>,
  covers: boolean,
): JunitCase[] {
  const cases: JunitCase[] = [];
  const name = (what: string): string => open(`${row.path}: ${what}`);
  if (passed > 0)
    cases.push({
      xml: `${name('more items')}><system-out>${counted(passed, 'more item')} succeeded</system-out></testcase>`,
      end: 'passed',
    });
  if (skipped > 0) {
    const message = quoteXml(`${counted(skipped, 'more item')} skipped or not run`);
    cases.push({ xml: `${name('more items skipped')}><skipped message=${message}/></testcase>`, end: 'skipped' });
  }
  if (unknown > 0) {
    const head = describeTurns(row, 0)?.head ?? '';
    const message = `${counted(unknown, 'more item')} not listed; of all: ${head}`;
    const isBad = (row.failures_left_out ?? 0) > 0 && covers;
    const inside = isBad ? `<failure message=${quoteXml(message)}/>` : `<system-out>${escapeXml(message)}</system-out>`;
    cases.push({ xml: `${name('items not listed')}>${inside}</testcase>`, end: isBad ? 'failed' : 'passed' });
  }
  return cases;
}
