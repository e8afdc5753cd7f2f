import { type Connection, decide, signalTask } from '../client/index.js';
import type { Approval, Decision, Verdict } from '../contracts/approvals.js';
import { AbilityError, type Problem } from '../contracts/problem.js';
import type { TaskResult } from '../contracts/task.js';
import type { ScriptedDecision, ScriptedDecisions } from '../definitions/formats/cases.js';
import { needsComment, provedDecision } from '../rules/tasks/decision-form.js';
import type { Bench } from './open-bench.js';
import { lastOf, waitKey } from './plan-names.js';
import type { PreparedCase } from './prepared-case.js';

/** The decider if neither the case nor the approval names one. */
const DEFAULT_APPROVER = 'approver';

export class CaseApprovals {
  /** Approvals without a decision in the case; each fails it. */
  readonly undecided: Problem[] = [];
  /** Decisions that did not count, which explain why an approval expired. */
  readonly ignored: string[] = [];
  private readonly seen = new Set<string>();
  /** The only provable person, as in a project's own runtime: the first to decide where proof is required. */
  private owner: string | undefined;

  constructor(
    private readonly bench: Pick<Bench, 'connection' | 'prove'>,
    private readonly scripted: PreparedCase['approvals'],
  ) {}

  /** Decides open requests not seen before; those left undecided will expire. @returns whether it decided any. */
  async decideOn(workflow: string, approvals: readonly Approval[]): Promise<boolean> {
    const fresh = approvals.filter(({ status, id }) => status === 'open' && !this.seen.has(`${workflow} ${id}`));
    let decided = false;
    for (const approval of fresh) {
      this.seen.add(`${workflow} ${approval.id}`);
      for (const { decision, ...said } of this.decisionsFor(approval)) {
        const proved = this.withProof(approval, decision, { ...said, approval_id: approval.id });
        if (proved) await this.send(workflow, decision, proved);
        decided = true;
      }
    }
    return decided;
  }

  private decisionsFor(approval: Approval): ScriptedDecision[] {
    const scripted = findDecisions(this.scripted, approval);
    if (scripted === undefined) {
      const { id, title, path } = approval;
      this.undecided.push({
        code: 'test.no_decision',
        message: `The approval ${id} ("${title}") was requested, and the case does not decide it`,
        suggestion: `Set \`approvals: { ${lastOf(path)}: approve }\`, or deny, or expire.`,
      });
      return [];
    }
    if (scripted === 'expire') return [];
    if (scripted === 'deny' || scripted === 'request_changes') {
      return [completed({ decision: scripted }, approval, 0)];
    }
    if (scripted === 'approve') {
      return Array.from({ length: approval.quorum }, (_, turn) => completed({ decision: 'approve' }, approval, turn));
    }
    return [scripted].flat().map((decision, turn) => completed(decision, approval, turn));
  }

  /** Adds the owner's proof if one is required; undefined if the decider is another person. */
  private withProof(approval: Approval, verdict: Verdict, decision: Decision): Decision | undefined {
    if (approval.proof !== 'required') return decision;
    const { by = '' } = decision;
    this.owner ??= by;
    if (by === '' || by !== this.owner) {
      const why = `proof is required, and only ${this.owner || 'a person with a name'} can be proved in this case`;
      this.ignored.push(`${approval.id}: ${by || 'an unnamed person'} does not count: ${why}`);
      return undefined;
    }
    return { ...decision, proof: this.bench.prove(provedDecision(approval, verdict, decision)) };
  }

  private async send(workflow: string, verdict: Verdict, decision: Decision): Promise<void> {
    try {
      await decide(this.bench.connection, workflow, verdict, decision);
    } catch (error) {
      if (!(error instanceof AbilityError) || error.code !== 'approval.ignored') throw error;
      this.ignored.push(`${decision.approval_id}: ${error.message}`);
    }
  }
}

/** A case names an approval by its path, the last part of that, or the beginning of its id. */
function findDecisions(scripted: PreparedCase['approvals'], { path, id }: Approval): ScriptedDecisions | undefined {
  const name =
    [path, lastOf(path)].find((candidate) => Object.hasOwn(scripted, candidate)) ??
    Object.keys(scripted).find((candidate) => id.startsWith(candidate) && candidate.includes('-'));
  return name === undefined ? undefined : scripted[name];
}

/** Fills in the decider: the approvers in their order, and never the requester. */
function completed(
  decision: ScriptedDecision,
  { people, requested_by, comment }: Approval,
  turn: number,
): ScriptedDecision {
  const others = people.filter((name) => name !== requested_by.name);
  const by = others[turn] ?? (turn === 0 ? DEFAULT_APPROVER : `${DEFAULT_APPROVER}-${turn + 1}`);
  const needed = needsComment({ comment }, decision.decision);
  return { by, ...(needed && { comment: 'as the case says' }), ...decision };
}

/** Sends each signal when a step waits for it. */
export class CaseSignals {
  private left: PreparedCase['signals'];

  constructor(
    private readonly connection: Connection,
    signals: PreparedCase['signals'],
    private readonly waits: PreparedCase['waits'],
  ) {
    this.left = [...signals];
  }

  get unsent(): string[] {
    return this.left.map(({ name }) => name);
  }

  /** Sends the first signal that a step of this workflow waits for. @returns whether there was one. */
  async sendTo(workflow: string, { ability_id, steps }: Pick<TaskResult, 'ability_id' | 'steps'>): Promise<boolean> {
    const waiting = steps.filter(({ status }) => status === 'waiting');
    const awaited = waiting.map(({ id }) => this.waits.get(waitKey(ability_id, id)));
    const signal = this.left.find(({ name }) => awaited.includes(name));
    if (!signal) return false;
    this.left = this.left.filter((other) => other !== signal);
    await signalTask(this.connection, workflow, signal.name, signal.payload);
    return true;
  }
}
