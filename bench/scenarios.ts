/** What both sides are asked to do, and how often. */
import type { JsonObject } from '../src/contracts/json.js';
import type { ScenarioName as Workflow } from './twin/contract.js';

/** What both sides are asked to do; the twin does `approval` in two ways. */
export type Scenario = Exclude<Workflow, 'bare'>;

/** The scenarios, in the order of the tables. */
export const SCENARIOS: readonly Scenario[] = ['noop', 'chain', 'fanout', 'loop', 'approval'];

/** The contender whose task has a contract for its output, which takes one event to check. */
export const CONTRACT = 'output contract';

/** The twin, and its worker with approvals that are a signal and nothing else. */
export const TWIN = 'twin';
export const BARE = 'bare signal';

/** Contenders that take part in one scenario only, since no other has an ability of that form. */
export const ONLY: Readonly<Record<string, Scenario>> = { fast: 'chain', [CONTRACT]: 'noop', [BARE]: 'approval' };

/** Whom a scenario is compared with. */
export function baselineOf(scenario: Scenario): string {
  return scenario === 'approval' ? BARE : TWIN;
}

/** Of `loop`. */
const TURNS = Array.from({ length: 30 }, (_, item) => item);

/** What a task of each scenario gets. */
export const INPUTS: { [S in Scenario]: JsonObject } = {
  noop: { text: 'hello' },
  chain: { n: 1 },
  fanout: { n: 1 },
  loop: { items: TURNS },
  approval: { title: 'Release?' },
};

/** What it must answer; anything else and the measurement is worth nothing. */
export const OUTPUTS: { [S in Scenario]: unknown } = {
  noop: { text: 'hello' },
  chain: { n: 7 },
  fanout: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
  loop: TURNS.map((item) => item + 1),
  approval: { decision: 'approved', by: 'ann', text: 'Release?' },
};

/** How much is measured. */
export interface Extent {
  rounds: number;
  /** Tasks one after the other, for each contender and round. */
  tasks: Record<Scenario, number>;
  /** Tasks with 50 in flight, for each contender and round; none of those that wait for people or take a minute. */
  burst: Partial<Record<Scenario, number>>;
  /** Tasks of 100 scripts at once, of the product with no hooks only. */
  scripts: number;
}

/** As in the published figures; ten minutes. */
export const FULL: Extent = {
  rounds: 7,
  tasks: { noop: 12, chain: 5, fanout: 6, loop: 2, approval: 4 },
  burst: { noop: 100, chain: 50, fanout: 50 },
  scripts: 8,
};

/** Under a minute and a half, to look whether a change costs much. */
export const SHORT: Extent = {
  rounds: 3,
  tasks: { noop: 4, chain: 2, fanout: 2, loop: 1, approval: 2 },
  burst: { noop: 50, chain: 50 },
  scripts: 4,
};
