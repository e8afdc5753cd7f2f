import type { LoopCounts } from '../../../../contracts/loops.js';
import type { Terminal } from '../terminal/terminal.js';

const FAILED = ['failed', 'denied', 'timed_out', 'cancelled', 'unknown'] as const;
/** Cells of a bar on a screen of usual width. */
const WIDEST_BAR = 20;

/** How far a loop is: a bar and `8/20` of a `foreach`, `turn 3` of a `repeat`; with how many items failed. */
export function tellLoop(items: LoopCounts, { columns, style }: { columns: number; style: Terminal['style'] }): string {
  const { verb, total, succeeded, skipped = 0 } = items;
  const failed = FAILED.reduce((sum, end) => sum + (items[end] ?? 0), 0);
  const bad = failed === 0 ? '' : `  ${style('red', `${failed} failed`)}`;
  if (verb === 'repeat') return `turn ${total}${bad}`;
  const done = succeeded + skipped + failed;
  return `${barOf(done, total, Math.min(WIDEST_BAR, Math.floor(columns / 6)))} ${done}/${total}${bad}`;
}

/** As {@link tellLoop}, without a bar. */
export function endedOf({ verb, total, ...ends }: LoopCounts): string {
  const failed = FAILED.reduce((sum, end) => sum + (ends[end] ?? 0), 0);
  const bad = failed === 0 ? '' : `, ${failed} failed`;
  return verb === 'repeat' ? `turn ${total}${bad}` : `${ends.succeeded + (ends.skipped ?? 0) + failed}/${total}${bad}`;
}

function barOf(done: number, total: number, width: number): string {
  // Never full before the end, never empty after the beginning.
  const share = total === 0 ? width : Math.floor((done / total) * width);
  const full = done > 0 ? Math.max(1, share) : share;
  return `${'█'.repeat(full)}${'░'.repeat(Math.max(0, width - full))}`;
}
