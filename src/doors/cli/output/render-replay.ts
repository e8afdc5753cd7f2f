import type { ReplayEnd } from '../../../worker/replay/replay-history.js';
import { describeProblem } from './describe-problem.js';
import type { Style } from './terminal/terminal.js';

export function renderReplay(end: ReplayEnd, style: Style): string {
  const { name, events } = end;
  switch (end.status) {
    case 'ok':
      return `${style('green', '✓')} ${name}  ${style('dim', `${events} events`)}`;
    case 'differs':
      return `${style('red', '✗')} ${name}  ${differenceOf(end)}`;
    case 'not_replayed':
      return `${style('red', '?')} ${name}  ${describeProblem(end.problem, style)}`;
  }
}

function differenceOf({ difference }: Extract<ReplayEnd, { status: 'differs' }>): string {
  const { event_id, event_type, about, step, wanted } = difference;
  const named = [event_type, ...(about === null ? [] : [JSON.stringify(about)])].join(' ');
  const where = step === null ? '' : ` of step ${step}`;
  return `differs at event ${event_id}, ${named}${where}: this build would ${wanted}`;
}

export function renderReplays(ends: readonly ReplayEnd[], style: Style): string {
  const count = (status: ReplayEnd['status']): number => ends.filter((end) => end.status === status).length;
  const [ok, differing, broken] = [count('ok'), count('differs'), count('not_replayed')];
  const bad = [
    ...(differing > 0 ? [`${differing} ${differing === 1 ? 'differs' : 'differ'}`] : []),
    ...(broken > 0 ? [`${broken} not replayed`] : []),
  ];
  const parts = [...bad.map((text) => style('red', text)), style(bad.length > 0 ? 'dim' : 'green', `${ok} replayed`)];
  return parts.join(', ');
}
