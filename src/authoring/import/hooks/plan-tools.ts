import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { PlannedFile } from '../../planned-file.js';
import { schemaLine } from '../../schema-line.js';
import type { Shown } from './map-abilities.js';

/** An ability that is like a tool of Claude Code, with the script behind it. */
interface Tool {
  ability: Shown;
  summary: string;
  script: string;
  implementation: string[];
  code: string;
}

const TEXT = { type: 'string' };

const TOOLS: Tool[] = [
  {
    ability: {
      key: 'tools.bash',
      effects: 'destructive',
      input_schema: { type: 'object', required: ['command'], properties: { command: TEXT } },
    },
    summary: 'Runs a command of the shell in the project.',
    script: 'bash.sh',
    implementation: ['args: [{ value: "${{ input.command }}", option: allowed }]', 'output: text'],
    code: '#!/usr/bin/env bash\n# Runs the command that it is given.\nset -eu\nexec bash -c -- "$1"\n',
  },
  {
    ability: {
      key: 'tools.write',
      effects: 'write_idempotent',
      input_schema: {
        type: 'object',
        required: ['file_path', 'content'],
        properties: { file_path: TEXT, content: TEXT },
      },
    },
    summary: 'Writes a file of the project.',
    script: 'write.sh',
    implementation: ['args: ["${{ input.file_path }}"]', 'stdin: "${{ input.content }}"', 'output: none'],
    code: '#!/usr/bin/env bash\n# Writes what is on stdin to the file that it is given.\nset -eu\nmkdir -p "$(dirname "$1")"\ncat > "$1"\n',
  },
];

/**
 * Abilities like Bash and Write, for a project that has none that the guards of Claude Code would know.
 *
 * @param known keys of the abilities there are; of a tool that is there nothing is planned.
 */
export function planTools(
  root: string,
  registry: string,
  known: readonly string[],
): { abilities: Shown[]; files: PlannedFile[] } {
  const missing = TOOLS.filter(({ ability }) => !known.includes(ability.key));
  const files = missing.flatMap((tool) => filesOf(tool, registry));
  return {
    abilities: missing.map(({ ability }) => ability),
    files: files.filter(({ path }) => !existsSync(join(root, path))),
  };
}

function filesOf({ ability, summary, script, implementation, code }: Tool, registry: string): PlannedFile[] {
  const path = `${registry}/low-level/${ability.key}.yaml`;
  const lines = [
    schemaLine({ kind: 'low-level', path, registry }),
    `operation_key: ${ability.key}`,
    'version: 1',
    `summary: ${summary}`,
    `effects: ${ability.effects}`,
    `input_schema: ${JSON.stringify({ ...ability.input_schema, additionalProperties: false })}`,
    'implementation:',
    '  kind: script',
    '  script:',
    `    path: scripts/tools/${script}`,
    '    interpreter: bash',
    ...implementation.map((line) => `    ${line}`),
  ];
  return [
    { path, content: `${lines.join('\n')}\n` },
    { path: `scripts/tools/${script}`, content: code },
  ];
}
