import type { Finding } from '../../../../contracts/findings.js';

const SCHEMA = 'https://json.schemastore.org/sarif-2.1.0.json';

/** SARIF 2.1.0, which code hosts show at the affected lines. */
export function renderSarif(findings: readonly Finding[]): string {
  const codes = [...new Map(findings.map((finding) => [finding.code, finding])).values()];
  const rules = codes.map(({ code, why }) => ({
    id: code,
    shortDescription: { text: why },
    help: { text: `${why} More: docs/lint.md.` },
  }));
  const run = {
    tool: {
      driver: { name: 'ability lint', rules },
    },
    originalUriBaseIds: { PROJECT: { description: { text: 'The folder with ability.yaml.' } } },
    columnKind: 'utf16CodeUnits',
    results: findings.map(resultOf),
  };
  return JSON.stringify({ $schema: SCHEMA, version: '2.1.0', runs: [run] }, null, 2);
}

function resultOf({ code, severity, message, fix, location }: Finding): object {
  const { file, line, column } = location;
  const region =
    line === undefined ? {} : { region: { startLine: line, ...(column !== undefined && { startColumn: column }) } };
  return {
    ruleId: code,
    level: severity,
    message: { text: `${message}. ${fix}` },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: file.split('/').map(encodeURIComponent).join('/'), uriBaseId: 'PROJECT' },
          ...region,
        },
      },
    ],
  };
}
