import type { PlanStep, PlanTool } from '../../contracts/plan.js';
import { TURNS } from '../../rules/agent-turns.js';
import { digestOf } from '../../rules/canonical.js';

/** Longest name of a function that OpenAI-compatible endpoints take. */
const LONGEST_NAME = 64;

/**
 * What a model calls an ability: its id with what endpoints do not take replaced, cut where it is too long, and unique.
 *
 * @param taken names that are used already; the new one is added.
 */
export function toolNameOf(ability: string, taken: Set<string>): string {
  const plain = ability.replaceAll(/[^A-Za-z0-9_]/g, '_');
  const mark = `_${digestOf(ability).slice(0, 8)}`;
  const name =
    plain.length <= LONGEST_NAME && !taken.has(plain) ? plain : plain.slice(0, LONGEST_NAME - mark.length) + mark;
  taken.add(name);
  return name;
}

/**
 * The turns of an agent as steps: its model is asked, then what it asked for is called. They say which calls there may be,
 * so that results, records and previews list them; which of them are made, the model decides.
 */
export function stepsOfAgent(model: string, tools: readonly PlanTool[], maxTurns: number): PlanStep[] {
  const calls: PlanStep = {
    id: TURNS.calls,
    verb: 'foreach',
    foreach: { expression: `steps.${TURNS.model}.output.calls` },
    as: 'call',
    max_parallel: 1,
    steps: tools.map(({ name, ability }) => ({
      id: name,
      verb: 'call',
      call: ability,
      with: '${{ call.input }}',
      if: `call.tool == "${name}"`,
    })),
  };
  return [
    {
      id: TURNS.turns,
      verb: 'repeat',
      repeat: { until: `!has(steps.${TURNS.model}.output.calls)`, every: '0s', max: maxTurns },
      steps: [{ id: TURNS.model, verb: 'call', call: model, with: {} }, ...(tools.length > 0 ? [calls] : [])],
    },
  ];
}
