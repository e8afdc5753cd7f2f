import type { PlanHandler } from '../contracts/plan.js';
import type { CaseDefinition } from '../definitions/formats/cases.js';
import { nearestOrAll } from '../text/nearest.js';
import type { PlanNames } from './plan-names.js';

/** The part of a case, or of the defaults of a file, that contains names of the plan. */
export type NamingPart = Pick<CaseDefinition, 'mocks' | 'hooks' | 'approvals' | 'signals'> &
  Partial<Pick<CaseDefinition, 'expect'>>;

export interface NameFault {
  /** Relative to the part. */
  path: PropertyKey[];
  part: 'key' | 'value';
  message: string;
  suggestion: string | undefined;
}

/** Finds names that would never match anything, such as a mistyped mock. */
export function findNameFaults(part: NamingPart, names: PlanNames): NameFault[] {
  return [
    ...Object.keys(part.mocks ?? {}).flatMap((name) => mockFault(name, names)),
    ...Object.keys(part.hooks ?? {}).flatMap((id) => hookFault(id, names)),
    ...Object.keys(part.approvals ?? {}).flatMap((name) => approvalFault(name, names)),
    ...(part.signals ?? []).flatMap(({ name }, index) => signalFault(name, index, names)),
    ...Object.keys(part.expect?.steps ?? {}).flatMap((name) => stepFault(name, names)),
    ...(part.expect?.calls ?? []).flatMap((call, index) => callFault(call, index, names)),
  ];
}

export function lastOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function mockFault(name: string, { steps, operations, workflowCalls }: PlanNames): NameFault[] {
  const verb = steps.get(lastOf(name));
  const called = workflowCalls.get(lastOf(name));
  if (!operations.has(name) && called !== undefined) {
    const message = `\`${name}\` calls ${called}, which really runs`;
    return [key(['mocks', name], message, `Mock what it calls: \`${name}/STEP\`, or an operation by its key.`)];
  }
  if (operations.has(name) || verb === 'call') return [];
  if (verb !== undefined) {
    const suggestion =
      verb === 'approval' ? 'Decide it under `approvals`.' : 'Only steps that make calls are replaced.';
    return [key(['mocks', name], `\`${name}\` is a step that does not call (\`${verb}\`)`, suggestion)];
  }
  const calls = [...steps].filter(([, other]) => other === 'call').map(([id]) => id);
  const known = [...calls, ...operations];
  return [key(['mocks', name], `There is no step or operation \`${name}\``, nearestOrAll(name, known))];
}

const WHAT_ANSWERS: Record<Exclude<PlanHandler['kind'], 'script'>, string> = {
  expression: 'an expression',
  builtin: 'built in',
  ability: 'answered by an ability',
};

function hookFault(id: string, { hooks }: PlanNames): NameFault[] {
  const kind = hooks.get(id);
  if (kind === 'script') return [];
  if (kind !== undefined) {
    const message = `The hook \`${id}\` is ${WHAT_ANSWERS[kind]}, so it answers for itself`;
    return [key(['hooks', id], message, 'Only hooks that run a script are replaced.')];
  }
  const scripts = [...hooks].filter(([, other]) => other === 'script').map(([name]) => name);
  return [key(['hooks', id], `There is no hook \`${id}\` around this ability`, nearestOrAll(id, scripts))];
}

/** Any calling step may need approval; `run` is the task itself. */
function approvalFault(name: string, { steps }: PlanNames): NameFault[] {
  const id = lastOf(name).replace(/-[0-9a-f]{1,12}$/, '');
  const verb = steps.get(id);
  if (id === 'run' || verb === 'approval' || verb === 'call') return [];
  const asking = [...steps].filter(([, other]) => other === 'approval' || other === 'call').map(([step]) => step);
  const message =
    verb === undefined ? `There is no step \`${id}\`` : `The step \`${id}\` asks for no approval (\`${verb}\`)`;
  return [key(['approvals', name], message, nearestOrAll(id, [...asking, 'run']))];
}

function signalFault(name: string, index: number, { waits }: PlanNames): NameFault[] {
  const known = [...waits.values()];
  if (known.includes(name)) return [];
  const path = ['signals', index, 'name'];
  const message = `No step of this ability waits for the signal \`${name}\``;
  return [{ path, part: 'value', message, suggestion: nearestOrAll(name, known) }];
}

function stepFault(name: string, { steps }: PlanNames): NameFault[] {
  if (steps.has(lastOf(name))) return [];
  return [
    key(['expect', 'steps', name], `There is no step \`${name}\``, nearestOrAll(lastOf(name), [...steps.keys()])),
  ];
}

type ExpectedCall = NonNullable<CaseDefinition['expect']['calls']>[number];

function callFault(expected: ExpectedCall, index: number, { operations }: PlanNames): NameFault[] {
  const call = typeof expected === 'string' ? expected : expected.call;
  if (operations.has(call)) return [];
  const path = ['expect', 'calls', index, ...(typeof expected === 'string' ? [] : ['call'])];
  const message = `This ability never calls \`${call}\``;
  return [{ path, part: 'value', message, suggestion: nearestOrAll(call, [...operations]) }];
}

function key(path: PropertyKey[], message: string, suggestion: string | undefined): NameFault {
  return { path, part: 'key', message, suggestion };
}
