import type { Plan, PlanImplementation, PlanOperation } from '../../contracts/plan.js';
import { guardAbilitiesOf } from '../hooks/hook-parts.js';

/** The secrets an operation needs, or all of a plan's. */
export function credentialsOf(plan: Plan, operation?: PlanOperation): { reference: string; what: string }[] {
  const operations = operation ? [operation] : [...Object.values(plan.operations), ...guardAbilitiesOf(plan)];
  return operations.flatMap(({ implementation }) => credentialReferences(implementation));
}

/** The secrets an implementation needs, as references. */
export function credentialReferences(implementation: PlanImplementation): { reference: string; what: string }[] {
  const list = (references: Record<string, string>, what: string) =>
    Object.entries(references).map(([name, reference]) => ({ reference, what: `${what} ${name}` }));
  if (implementation.kind === 'script') return list(implementation.script.env.secrets, 'secret');
  if (implementation.kind === 'api') return list(implementation.api.credentials, 'credential');
  if (implementation.kind === 'model') return list(implementation.model.script?.env.secrets ?? {}, 'secret');
  const { server } = implementation.mcp;
  return server.transport === 'stdio' ? list(server.env.secrets, 'secret') : list(server.credentials, 'credential');
}
