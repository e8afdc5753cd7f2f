import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newAgentDocuments, skillMd } from '../../../src/authoring/agent-documents/plan-agent-documents.js';

const ROOT = join(import.meta.dirname, '../../..');
const ROLES = ['AI developer', 'Agent Runtime', 'Tool Runner', 'Hook Runner', 'humans'];

/**
 * What people and AIs read: the pages of this repository except the copy of the lines of the sources, and the
 * pages of a new project.
 */
const documents: Record<string, string> = {
  ...newAgentDocuments('registry'),
  'SKILL.md': skillMd('registry'),
  ...Object.fromEntries(
    [
      'README.md',
      'ABILITY.md',
      ...readdirSync(join(ROOT, 'docs'), { encoding: 'utf8', recursive: true }).map((name) => `docs/${name}`),
    ]
      .filter((name) => name.endsWith('.md') && name !== 'docs/contributing/requirements.md')
      .map((name) => [name, readFileSync(join(ROOT, name), 'utf8')]),
  ),
};

test('R-000-95: docs/contributing/words.md defines the five roles', () => {
  const [, table = ''] =
    /\| Word \|.*\n\|.*\|\n((?:\|.*\n)+)/.exec(documents['docs/contributing/words.md'] ?? '') ?? [];
  expect([...table.matchAll(/^\| ([^|]+?) \|/gm)].map(([, word]) => word)).toEqual(ROLES);
});

test.each(Object.keys(documents))('R-000-95: %s names no other role', (name) => {
  const ROLE = /\b[A-Z][A-Za-z]* (?:Runner|Runtime|Agent|Orchestrator|Manager|Executor|Dispatcher|[Dd]eveloper)\b/g;
  const named = [...(documents[name] ?? '').matchAll(ROLE)].map(([role]) => role);
  // The name of the product has the same form.
  expect(named.filter((role) => role !== 'Ability Runtime' && !ROLES.includes(role))).toEqual([]);
});
