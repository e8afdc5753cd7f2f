import type { PlanConfinement } from '../contracts/plan-operation.js';

/** What a box lets a process do, after its description; empty without a box. */
export function describeBox({ sandbox }: PlanConfinement): string {
  if (!sandbox) return '';
  const list = (verb: string, names: readonly string[]) => (names.length > 0 ? [`${verb} ${names.join(', ')}`] : []);
  const hosts = sandbox.allowed_hosts;
  const may = [...list('reads', sandbox.read), ...list('writes', sandbox.write), ...list('reaches', hosts)];
  return `, in a box that ${[...may, ...(hosts.length > 0 ? [] : ['has no network'])].join('; ')}`;
}
