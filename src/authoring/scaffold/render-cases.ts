import type { Json, JsonObject } from '../../contracts/json.js';
import { schemaLine } from '../file-draft.js';
import { flowYaml, indented } from '../write-yaml.js';
import type { Site } from './scaffold.js';

export interface FirstCase {
  ability: string;
  path: string;
  name: string;
  input: JsonObject;
  mocks: Record<string, JsonObject>;
  /** Steps that need approval in the environment. */
  approvals: string[];
  expect: Json;
}

/** Renders the file of cases of a new ability. Source: docs/testing.md. */
export function renderCases(site: Site, { ability, path, name, input, mocks, approvals, expect }: FirstCase): string {
  const lines = [
    ...(Object.keys(input).length > 0 ? [`input: ${flowYaml(input)}`] : []),
    'mocks:',
    ...Object.entries(mocks).map(([step, mock]) => `  ${flowYaml(step)}: ${flowYaml(mock)}`),
    ...(approvals.length > 0
      ? [`approvals: ${flowYaml(Object.fromEntries(approvals.map((step) => [step, 'approve'])))}`]
      : []),
    `expect: ${flowYaml(expect)}`,
  ];
  return `${schemaLine({ kind: 'cases', path, registry: site.folders.registry })}
# Run with: ability test ${ability}
ability: ${ability}
cases:
  - name: ${flowYaml(name)}
    environment: ${site.environment}
${indented(lines.join('\n'), 4)}
`;
}
