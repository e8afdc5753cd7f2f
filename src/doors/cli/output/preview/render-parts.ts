import { isJsonObject, type Json } from '../../../../contracts/json.js';
import type { ApprovalPreview, HookPreview, ValuePreview } from '../../../../contracts/preview.js';
import { oneLine } from '../../../../rules/shown-text.js';
import { whoDecides } from '../result/render-approval.js';
import type { Style } from '../terminal/terminal.js';

const MAX_CHARACTERS = 300;

const WORDS = { allow: 'allows', deny: 'denies', need_user_confirm: 'asks people' } as const;
const COLORS = { allow: 'green', deny: 'red', need_user_confirm: 'yellow' } as const;

export function hookLine(hook: HookPreview, style: Style): string {
  const { id, decision, status, reason, asks, depends_on, phase, handler, warnings } = hook;
  const when = phase === 'PostAbilityCall' ? 'after it, ' : '';
  const warned = warnings.length > 0 ? `; warns: ${warnings.map((text) => oneLine(text)).join('; ')}` : '';
  if (asks !== null) return `${when}hook ${id}: ${style('cyan', 'runs then')}, not now (${handler} ${oneLine(asks)})`;
  if (decision === null)
    return `${when}hook ${id}: ${style('cyan', 'not known yet')}, depends on ${depends_on.join(', ')}${warned}`;
  const isPlain = reason === null || (decision === 'allow' && status === 'ok');
  const because = isPlain ? '' : `: ${status === 'error' ? 'it fails: ' : ''}${oneLine(reason)}`;
  return `${when}hook ${id} ${style(COLORS[decision], WORDS[decision])}${because}${warned}`;
}

export function approvalLine(approval: ApprovalPreview, style: Style): string {
  const { asked, reasons, quorum, self_approval, expires, comment, fields } = approval;
  const asks = asked === 'yes' ? style('yellow', 'asks people') : style('cyan', 'may ask people');
  const filled = Object.keys(fields);
  const more = [
    `${quorum} of ${whoDecides(approval)} ${quorum === 1 ? 'decides' : 'decide'}`,
    self_approval ? 'also the requester' : 'not the requester',
    `no answer within ${oneLine(expires)} is a denial`,
    ...(comment === 'required' ? ['with a comment'] : comment === 'on_deny' ? ['a denial with a comment'] : []),
    ...(filled.length > 0 ? [`fills in ${filled.join(', ')}`] : []),
  ];
  const why = reasons.length > 0 ? `${reasons.map((reason) => oneLine(reason)).join(' ')} ` : '';
  return `${asks}: ${why}${more.join('; ')}`;
}

/** One line per member; members that depend on the run appear as written. */
export function valueLines({ value, open, problem }: ValuePreview): string[] {
  const members = isJsonObject(value) ? Object.entries(value) : [];
  const own = members.map(([key, item]) => `${oneLine(key)}: ${itemOf(item, open[key])}`);
  const lines = own.length > 0 ? own : [itemOf(value, open[''])];
  return problem ? [...lines, `fails: ${problem.code} ${oneLine(problem.message)}`] : lines;
}

/** A value on one line; `--json` has all of it. */
export function shorten(text: string): string {
  const line = oneLine(text);
  return line.length > MAX_CHARACTERS ? `${line.slice(0, MAX_CHARACTERS)}... (${text.length} characters)` : line;
}

function itemOf(value: Json, depends: readonly string[] | undefined): string {
  const text = shorten(typeof value === 'string' ? value : JSON.stringify(value));
  return depends ? `${text}  <- depends on ${depends.join(', ')}` : text;
}
