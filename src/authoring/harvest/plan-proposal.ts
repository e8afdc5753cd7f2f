import { ABILITY_ID } from '../../contracts/names.js';
import { planHighLevel } from '../scaffold/plan-high-level.js';
import { fileNameOf, type Scaffold, type Site } from '../scaffold/scaffold.js';
import { FileDraft, schemaLine } from '../write-together.js';
import { flowYaml } from '../write-yaml.js';

export interface ProposedCalls {
  id: string;
  type: 'workflow' | 'agent';
  calls: string[];
  /** In how many pieces of work they were seen. */
  times: number;
  /** Purposes of that work, in words. */
  intents: string[];
}

/** Id of a proposal, derived from its calls. */
export function proposalId(type: ProposedCalls['type'], calls: readonly string[]): string {
  const id = type === 'workflow' ? calls.join('_then_') : `agent_${[...calls].sort().join('_')}`;
  return ABILITY_ID.test(id) ? id : `${id.slice(0, 90).replace(/[._-]+$/, '')}_${calls.length}`;
}

/** Holds no value of a task: those may be private. Source: R-000-94. @throws AbilityError as a scaffold. */
export function planProposal(site: Site, { id, type, calls, times, intents }: ProposedCalls): Scaffold {
  const what = intents.at(-1) ?? `Calls ${calls.join(', then ')}.`;
  if (type === 'workflow') {
    return planHighLevel(site, { id, calls, summary: `${endOf(what)} Seen ${times} times.`, scope: {} });
  }
  const draft = new FileDraft(site.registry.root);
  const file = `${site.folders.registry}/high-level/${fileNameOf(id)}.yaml`;
  const summary = intents.length > 0 ? what : `Uses ${calls.join(', ')} in the order that the request needs.`;
  draft.add(
    file,
    `${schemaLine({ kind: 'high-level', path: file, registry: site.folders.registry })}
id: ${id}
type: agent
version: 1
summary: ${flowYaml(`${endOf(summary)} Seen ${times} times.`)}
instructions: ${flowYaml(`Do what the request asks for with the operations that it needs, in the order that it needs. They were called together ${times} times, in different orders.`)}
operations: ${flowYaml(calls)}
`,
  );
  return { files: draft.files(), abilities: [], notes: [], next: [] };
}

function endOf(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim().slice(0, 200);
  return /[.!?]$/.test(line) ? line : `${line}.`;
}
