import type { ListedCapability, ListedPack } from '../../answers/list-specialists.js';
import { renderTable } from './render-table.js';

export function renderPacks(packs: readonly ListedPack[]): string {
  return packs.map(renderPack).join('\n\n');
}

function renderPack(pack: ListedPack): string {
  const { id, description, workflow, workflow_defined: isDefined, builder, from } = pack;
  const lines: [string, string][] = [
    ['capabilities', listOf(pack.capabilities.map((name) => withDropped(name, pack)))],
    ['keywords', listOf(pack.keywords)],
    ['workflow', isDefined ? workflow : `${workflow} (not defined in this project)`],
    ...(builder === null ? [] : ([['builder', `${builder} (never executed)`]] as [string, string][])),
  ];
  return [`${id}  ${from}`, `  ${description}`, ...lines.map(([name, value]) => `  ${name}: ${value}`)].join('\n');
}

function withDropped(name: string, { dropped }: ListedPack): string {
  const where = dropped.find(({ capability }) => capability === name)?.environments;
  return where ? `${name} (not in ${where.join(', ')})` : name;
}

export function renderCapabilities(capabilities: readonly ListedCapability[]): string {
  const rows = capabilities.map(({ id, packs, from, needs, dropped_in: without, keywords, description }) => {
    const needed = needs === null ? '' : without.length > 0 ? `${needs}, not in ${without.join(', ')}` : needs;
    return [id, listOf(packs), from, needed, listOf(keywords), description];
  });
  return renderTable(['CAPABILITY', 'PACKS', 'FROM', 'NEEDS', 'KEYWORDS', 'DESCRIPTION'], rows);
}

function listOf(words: readonly string[]): string {
  return words.length > 0 ? words.join(', ') : 'none';
}
