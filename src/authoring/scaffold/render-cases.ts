import type { Json, JsonObject } from '../../contracts/json.js';
import { schemaLine } from '../schema-line.js';
import { flowYaml, indented } from '../write-yaml.js';
import type { Site } from './scaffold.js';

/** One case, which shows that an ability that was just scaffolded works. */
export interface FirstCase {
  ability: string;
  /** Where the file will be. */
  path: string;
  name: string;
  input: JsonObject;
  /** By step. */
  mocks: Record<string, JsonObject>;
  /** Steps that the environment asks people about. */
  approvals: string[];
  expect: Json;
}

/** A file of cases beside a new ability. Source: docs/testing.md. */
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
