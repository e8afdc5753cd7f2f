import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HOOK_RESULT_KEYS } from '../../src/activities/hooks/read-hook-result.js';
import type { TaskResult } from '../../src/contracts/task.js';
import { KNOWN_SIGNALS } from '../../src/rules/sessions/merge-signals.js';
import { operation, type ProjectFiles } from '../fixtures/project-folder.js';
import { type RunningProject, runProject } from '../fixtures/running-project.js';

const ROOT = join(import.meta.dirname, '../..');
const page = readFileSync(join(ROOT, 'docs/hooks.md'), 'utf8');
const PHASES = ['PreAbilityCreate', 'PreAbilityCall', 'PostAbilityCall'] as const;

interface Event {
  plan_digest?: string;
}

/** The example of a phase: its definition, its script, its input and its output. Later phases show what differs in the input. */
function exampleOf(phase: string): { yaml: string; script: string; reads: Event; prints: object } {
  const section = page.split(/^## /m).find((text) => text.startsWith(`${phase}\n`)) ?? '';
  const blocks = [...section.matchAll(/^```(\w+)\n([\s\S]*?)^```/gm)].map(([, kind, text = '']) => ({ kind, text }));
  const of = (kind: string) => blocks.filter((block) => block.kind === kind).map(({ text }) => text);
  const [own = '', prints = ''] = of('json');
  const reads = { ...(phase === PHASES[0] ? {} : exampleOf(PHASES[0]).reads), ...JSON.parse(own) };
  return { yaml: of('yaml')[0] ?? '', script: of('js')[0] ?? '', reads, prints: JSON.parse(prints) };
}

/** The keys of a table of the page. */
function keysOf(name: string): string[] {
  const [, table = ''] = new RegExp(`<!-- keys:${name} -->\\n([\\s\\S]*?)<!-- end -->`).exec(page) ?? [];
  return [...table.matchAll(/^\| `(\w+)` \|/gm)].map(([, key = '']) => key);
}

/** The hooks of a page as files; an added last line of each script saves what it read and printed. */
function filesOf(phase: string): ProjectFiles {
  const { yaml, script } = exampleOf(phase);
  const [, path = ''] = /path: (\S+\.mjs)/.exec(yaml) ?? [];
  const keep = `import { writeFileSync as keep } from 'node:fs';\nkeep('${phase}.json', JSON.stringify({ event, answer }));\n`;
  return { [`registry/hooks/${phase}.yaml`]: yaml, [path]: `${script}${keep}` };
}

let project: RunningProject;
let result: TaskResult;
const kept = (phase: string) => JSON.parse(readFileSync(join(project.root, `${phase}.json`), 'utf8'));
const ADA = { user: { name: 'ada', source: 'claimed' } } as const;

beforeAll(async () => {
  project = await runProject({
    ...Object.assign({}, ...PHASES.map(filesOf)),
    ...operation('db.delete.row', 'return { deleted: 1 };', {
      effects: 'destructive',
      yaml: [
        'scope: { modules: [infra/db] }',
        'input_schema: { type: object, required: [table, id], properties: { table: { type: string }, id: { type: string } } }',
        'output_schema: { type: object, properties: { deleted: { type: integer } } }',
        'hooks: { pre_create: [known_table], pre_call: [test_rows_only], post_call: [audit] }',
      ].join('\n'),
      script: '}\n  tags: [sql]\n  defaults: {',
    }),
  });
  result = await project.run('db.delete.row', { table: 'users', id: 'u-7' }, { key: 'clean-up-7', ...ADA });
});
afterAll(() => project.stop());

describe('docs/hooks.md', () => {
  test.each(PHASES)('R-002-17, R-002-18: %s shows what its script really reads and prints', (phase) => {
    const { reads, prints } = exampleOf(phase);
    const { event, answer } = kept(phase);
    expect(event.plan_digest).toMatch(/^[0-9a-f]{64}$/);
    expect({ ...event, plan_digest: reads.plan_digest }).toEqual(reads);
    expect(answer).toEqual(prints);
    expect(Object.keys(event).sort()).toEqual(keysOf('EventContext').sort());
  });

  test('the answers have the effects that the page describes', () => {
    expect(result).toMatchObject({ status: 'succeeded', output: { deleted: 1 }, warnings: [] });
    expect(result.hooks.map(({ hook_id }) => hook_id)).toEqual(['known_table', 'test_rows_only', 'audit']);
    expect(result.hooks).toMatchObject([
      { hook_id: 'known_table', status: 'ok', decision: 'allow', infra: { metrics: { tables: 2 } } },
      { hook_id: 'test_rows_only', status: 'ok', decision: 'allow', reason: 'The row u-7 is one of a test.' },
      {
        hook_id: 'audit',
        status: 'ok',
        infra: {
          log: 'ada deleted users/u-7: succeeded',
          usage_record: { ability: 'db.delete.row', rows: 1 },
        },
      },
    ]);
  });

  test('the guards refuse what the page says they refuse', async () => {
    const denied = await project.run('db.delete.row', { table: 'users', id: '7' }, ADA);
    expect(denied.error).toMatchObject({ code: 'guard.denied' });
    expect(denied.error?.message).toMatch(/The row 7 is not one of a test/);
    const unknown = project.create('db.delete.row', { table: 'plans', id: 'u-7' }, ADA);
    await expect(unknown).rejects.toMatchObject({ code: 'guard.denied', suggestion: 'Pass users or orders.' });
  });

  test('R-002-18: it has exactly the keys of a HookResult, and the signals of an answer', () => {
    expect(keysOf('HookResult').sort()).toEqual([...HOOK_RESULT_KEYS].sort());
    for (const name of KNOWN_SIGNALS.filter((signal) => signal.endsWith('s'))) expect(page).toContain(`\`${name}\``);
    expect(page).toContain('`normalized_intent`');
  });

  test('C-44: it explains which hooks are global, with the codes of lint', () => {
    expect(page).toMatch(/## Which hooks are global[\s\S]*`lint\.hook_narrowed`[\s\S]*`lint\.break_guard`/);
  });

  test.each(['README.md', 'docs/guide.md'])('%s links to it', (name) => {
    expect(readFileSync(join(ROOT, name), 'utf8')).toMatch(/\]\((docs\/)?hooks\.md\)/);
  });
});
