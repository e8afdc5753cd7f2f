import { describe, expect, test } from 'vitest';
import { holdPlan } from '../../../../src/client/agent/judge-plan.js';
import { restore } from '../../../../src/client/agent/run-journal.js';
import type { RunState } from '../../../../src/client/agent/run-state.js';
import type { ConsentQuestion, PlannedEntry } from '../../../../src/contracts/agent-runtime.js';
import type { RunLogLine } from '../../../../src/contracts/routing.js';
import type { TurnContext } from '../../../../src/contracts/session.js';

const drop = (table: string): PlannedEntry => ({ id: table, ability_id: 'db.drop', input: { table } });
const CONFIRM = {
  ability_id: 'db.drop',
  decision: 'need_user_confirm',
  reason: 'It drops a table.',
  source: 'PromptSubmit.ask',
};

function contextOf(risk_alerts: string[], ability_guards: unknown[]): TurnContext {
  return {
    session_id: 's',
    turn_index: 1,
    hook_signals: { routing_hints: [], risk_alerts, ability_guards },
  } as TurnContext;
}

/** A run whose requester agrees to every question, with the questions that were asked. */
function run() {
  const questions: ConsentQuestion[] = [];
  const lines: RunLogLine[] = [];
  const log = {
    read: () => lines,
    append: (kind: RunLogLine['kind'], step: string | null, payload: object) =>
      lines.push({ ts: 0, kind, step, payload } as RunLogLine),
  };
  const begin = () =>
    ({
      options: {
        user: { name: 'ann', source: 'claimed' },
        journal: { log, isNew: true },
        agree: async (question: ConsentQuestion) => questions.push(question) > 0,
      },
      turns: 1,
      made: new Map(),
      recorded: new Map(),
      reported: new Map(),
      agreed: new Set(),
    }) as unknown as RunState;
  return { begin, questions };
}

describe('what the requester has to agree to', () => {
  test('consent to a call that a guard of the prompt wants confirmed does not cover another input (R-002-45)', async () => {
    const { begin, questions } = run();
    const state = begin();
    const context = contextOf([], [CONFIRM]);
    expect(await holdPlan(state, [drop('old')], context)).toBeUndefined();
    expect(await holdPlan(state, [drop('old')], context)).toBeUndefined();
    expect(questions.map(({ calls }) => calls)).toEqual([[drop('old')]]);
    expect(await holdPlan(state, [drop('old'), drop('users')], context)).toBeUndefined();
    expect(questions).toHaveLength(2);
    expect(questions[1]?.risks).toEqual(['db.drop: It drops a table.']);
  });

  test('a risk of the request is agreed to once (R-002-44)', async () => {
    const { begin, questions } = run();
    const state = begin();
    await holdPlan(state, [drop('old')], contextOf(['It is production.'], []));
    await holdPlan(state, [drop('users')], contextOf(['It is production.'], []));
    expect(questions.map(({ risks }) => risks)).toEqual([['It is production.']]);
  });

  test('a run that continues in another process knows exactly what was agreed to', async () => {
    const { begin, questions } = run();
    const context = contextOf(['It is production.'], [CONFIRM]);
    await holdPlan(begin(), [drop('old')], context);
    const later = begin();
    restore(later);
    await holdPlan(later, [drop('old')], context);
    expect(questions).toHaveLength(1);
    await holdPlan(later, [drop('users')], context);
    expect(questions[1]?.risks).toEqual(['db.drop: It drops a table.']);
  });
});
