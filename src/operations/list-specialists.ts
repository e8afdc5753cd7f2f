import { z } from 'zod';
import { isNetworkAllowed } from '../choosing/recruit/recruit.js';
import type { SourceLocation } from '../contracts/problem.js';
import { loadedAbility } from '../definitions/find-ability.js';
import type { Registry } from '../definitions/registry.js';
import { listSpecialists } from '../definitions/specialists.js';
import { resolveEnvironment } from '../planning/resolve/resolve-environment.js';
import { environment } from './fields.js';
import { answer, environmentOf, operation } from './operation.js';

/** Source: R-004-02 to R-004-07, R-004-14. */
export const listRecruits = operation({
  summary: 'The packs that requests recruit, and the capabilities for which they do.',
  right: 'read',
  at: 'GET /v1/recruits',
  input: z.strictObject({ environment: environment.optional().describe('Looks there alone; in all without it.') }),
  answers: answer(
    'Both, in order of precedence; built-in ones, too.',
    z.strictObject({ packs: z.array(z.looseObject({})), capabilities: z.array(z.looseObject({})) }),
  ),
  run: async (project, _, { environment: name }) => {
    const registry = project.registry();
    const { environments } = registry.project;
    const names = name ? [resolveEnvironment(registry, name).name] : Object.keys(environments);
    return { packs: packsOf(registry, names), capabilities: capabilitiesOf(registry, names) };
  },
  // They are about all abilities.
  concerns: {
    each: (found, may, { project, input }) => {
      const where = environmentOf(project, project.registry(), input.environment);
      return may({ ability: undefined, environment: where }) ? found : { packs: [], capabilities: [] };
    },
  },
});

/** One pack in a list. Source: R-004-14, C-41, C-48. */
export interface ListedPack {
  id: string;
  description: string;
  capabilities: string[];
  keywords: string[];
  workflow: string;
  workflow_defined: boolean;
  /** What builds the pack elsewhere; never executed. */
  builder: string | null;
  /** `built-in`, or file and line. */
  from: string;
  /** Capabilities that environments take from the pack, and which environments do so. */
  dropped: { capability: string; environments: string[] }[];
}

/** One capability in a list. Source: R-004-02 to R-004-07. */
export interface ListedCapability {
  id: string;
  description: string;
  keywords: string[];
  needs: 'network' | null;
  packs: string[];
  /** `built-in`, or file and line. */
  from: string;
  /** Environments in which no pack has it, because they lack a requirement. */
  dropped_in: string[];
}

/** The packs that can be recruited, in order of precedence. @param environments to search. */
function packsOf(registry: Registry, environments: readonly string[]): ListedPack[] {
  const dropped = new Map(capabilitiesOf(registry, environments).map(({ id, dropped_in }) => [id, dropped_in]));
  return listSpecialists(registry).packs.map((pack) => {
    const { id, description, capabilities, keywords, workflow, builder = null, from } = pack;
    const workflow_defined = loadedAbility(registry, workflow) !== undefined;
    const lost = capabilities.flatMap((capability) => {
      const where = dropped.get(capability) ?? [];
      return where.length > 0 ? [{ capability, environments: where }] : [];
    });
    const origin = { builder, from: originOf(from), dropped: lost };
    return { id, description, capabilities, keywords, workflow, workflow_defined, ...origin };
  });
}

/** The capabilities that a request can need, in order. @param environments to search. */
function capabilitiesOf(registry: Registry, environments: readonly string[]): ListedCapability[] {
  const { capabilities, packs } = listSpecialists(registry);
  const without = environments.filter((name) => !isNetworkAllowed(registry, name));
  return capabilities.map(({ id, description, keywords, needs = null, from }) => ({
    id,
    description,
    keywords,
    needs,
    packs: packs.filter((pack) => pack.capabilities.includes(id)).map((pack) => pack.id),
    from: originOf(from),
    dropped_in: needs === 'network' ? without : [],
  }));
}

function originOf(from: SourceLocation | null): string {
  return from === null ? 'built-in' : [from.file, from.line].filter((part) => part !== undefined).join(':');
}
