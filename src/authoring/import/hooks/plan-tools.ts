import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fillTemplate } from '../../fill-template.js';
import { type PlannedFile, schemaLine } from '../../write-together.js';
import type { Shown } from './map-abilities.js';

const TEXT = { type: 'string' };

/** Abilities like the tools of Claude Code, each with its script; templates have the same names. */
const TOOLS: { ability: Shown; script: string }[] = [
  {
    ability: {
      key: 'tools.bash',
      effects: 'destructive',
      input_schema: { type: 'object', required: ['command'], properties: { command: TEXT } },
    },
    script: 'bash.sh',
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
    script: 'write.sh',
  },
];

/** Abilities like Bash and Write, which Claude Code's guards know. @param known keys that exist already. */
export function planTools(
  root: string,
  registry: string,
  known: readonly string[],
): { abilities: Shown[]; files: PlannedFile[] } {
  const missing = TOOLS.filter(({ ability }) => !known.includes(ability.key));
  const files = missing.flatMap(({ ability: { key }, script }) => {
    const path = `${registry}/low-level/${key}.yaml`;
    const SCHEMA = schemaLine({ kind: 'low-level', path, registry });
    return [
      { path, content: fillTemplate(`tools/${key}.yaml`, { SCHEMA }) },
      { path: `scripts/tools/${script}`, content: fillTemplate(`tools/${script}`) },
    ];
  });
  return {
    abilities: missing.map(({ ability }) => ability),
    files: files.filter(({ path }) => !existsSync(join(root, path))),
  };
}
