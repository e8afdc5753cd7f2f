import type { Approval, ListedCall } from '../../contracts/approvals.js';
import type { Json } from '../../contracts/json.js';
import type { CallStep, ForeachStep, PlanOperation } from '../../contracts/plan.js';
import { callInput, GUARD_APPROVAL_MS } from '../../rules/calls/call-defaults.js';
import { oneLine } from '../../rules/shown-text.js';
import { awaitApproval, subjectOf } from '../approvals/await-approval.js';
import { environmentAsks } from '../calls/allow-call.js';
import type { DecidedCall } from '../calls/schedule-call.js';
import { evaluateParameters } from '../steps/evaluate.js';
import type { Frame } from '../steps/frame.js';
import { StepFailure } from '../steps/step-failure.js';

/** What people can still read. */
const MAX_ITEMS = 500;
const MAX_CHARACTERS = 100_000;

/**
 * Asks people once for the calls of all items that are left, if the environment asks for them. @returns what they decided,
 * by index. @throws StepFailure `limit.approval_items`, `expression.*`, and as `awaitApproval`.
 */
export async function askOnce(
  step: ForeachStep,
  path: string,
  items: readonly Json[],
  frame: Frame,
): Promise<ReadonlyMap<number, DecidedCall>> {
  const { run } = frame;
  const { environment, operations } = run.task.plan;
  const call = step.steps[0] as CallStep;
  const operation = operations[call.call] as PlanOperation;
  if (!environment.approve.includes(operation.effects)) return new Map();
  const entry = run.steps.entry(path);
  const { asked } = entry;
  const known =
    asked &&
    run.approvals.list.find(
      ({ id, raised_at, status }) => id === asked.id && raised_at === asked.raised_at && status === 'approved',
    );
  if (known) return decidedIn(known, path, call);
  const isOver = (index: number): boolean =>
    Object.hasOwn(entry.items ?? {}, index) || entry.failed?.items.includes(index) === true;
  const listed = items.flatMap((item, index): ListedCall[] => {
    if (isOver(index)) return [];
    const names = { ...frame.names, [step.as]: item, ...(step.index && { [step.index]: index }) };
    const input = callInput(operation, evaluateParameters(call.with, call.call, { ...frame, names }));
    return [{ item: index + 1, input }];
  });
  if (listed.length === 0) return new Map();
  refuseTooLarge(listed);
  run.steps.note(path, step.id, { status: 'waiting' });
  const approval = await awaitApproval(
    run,
    {
      path,
      step: step.id,
      title: `${listed.length} ${listed.length === 1 ? 'call' : 'calls'} of ${operation.key} in ${environment.name}`,
      what: subjectOf(run, listed, operation),
      reasons: [{ text: environmentAsks(environment, operation) }],
      expiresMs: frame.budget.capWait(GUARD_APPROVAL_MS),
      items: items.length,
    },
    frame.branchStop,
  );
  const { id, raised_at } = approval;
  run.steps.note(path, step.id, { status: 'running', asked: { id, raised_at } });
  return decidedIn(approval, path, call);
}

function refuseTooLarge(listed: readonly ListedCall[]): void {
  if (listed.length <= MAX_ITEMS && JSON.stringify(listed).length <= MAX_CHARACTERS) return;
  throw new StepFailure({
    code: 'limit.approval_items',
    message: `People cannot be asked once for ${listed.length} calls: at most ${MAX_ITEMS}, and ${MAX_CHARACTERS} characters of input`,
    suggestion: 'Leave `approval` of the `foreach` out, or pass it a part of the list at a time.',
  });
}

function decidedIn({ id, what, title, decisions }: Approval, path: string, call: CallStep): Map<number, DecidedCall> {
  return new Map(
    (what.input as ListedCall[]).map(({ item, input }) => {
      const no = decisions.find(({ denied_items = [] }) => denied_items.includes(item));
      const who = no === undefined || no.by === 'unnamed' ? 'Someone' : oneLine(no.by.name);
      const message = `${who} denied item ${item} of "${title}"`;
      const denied = no && { code: 'approval.denied', message, details: { approval_id: id, item } };
      return [item - 1, { path: `${path}/${item - 1}/${call.id}`, input, ...(denied && { denied }) }];
    }),
  );
}
