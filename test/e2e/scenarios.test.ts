import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
// @ts-expect-error: a script, which has no types
import { findGaps } from '../../scripts/scenarios/record.mjs';

const SCRIPT = fileURLToPath(new URL('../../scripts/run-scenarios.mjs', import.meta.url));
const root = join(tmpdir(), `ability-scenarios-${process.pid}`);
const names = ['telemetry-hook', 'guard-deny'];
let end: { exitCode?: number | undefined; stdout: string };
let folders: string[];

beforeAll(async () => {
  end = await execa(process.execPath, [SCRIPT, '--in', root, '--only', names.join(',')], { reject: false });
  const date = /\d{4}-\d{2}-\d{2}/.exec(end.stdout)?.[0] ?? 'none';
  folders = names.map((name) => join(root, 'integration/workdocs', name, date));
}, 600_000);
afterAll(() => rmSync(root, { recursive: true, force: true }));

const read = (folder: string, file: string): string => readFileSync(join(folder, file), 'utf8');

describe('npm run scenarios', () => {
  test('a guard and a telemetry hook pass for real, and the AI reacts to the denial (R-002-64, R-002-69)', () => {
    expect(end).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/passed +guard-deny/) });
    expect(read(folders[1] as string, 'README.md')).toMatch(/yes the AI asks: .*another way\?/);
  });

  test('each scenario leaves its complete record in the workdocs of its scope (R-002-66)', () => {
    for (const folder of folders) expect(findGaps(folder)).toEqual([]);
    expect(
      read(folders[0] as string, 'usage.jsonl')
        .trim()
        .split('\n'),
    ).toHaveLength(5);
  });

  test('a missing or empty file is a failure', () => {
    const [folder] = folders as [string];
    const [{ key }] = JSON.parse(read(folder, 'tasks.json'));
    for (const file of ['README.md', 'commands.json', 'usage.jsonl', 'log.txt', `records/${key}/tool_call.md`]) {
      const before = read(folder, file);
      rmSync(join(folder, file));
      expect(findGaps(folder)).toEqual([`${file} is missing or empty`]);
      writeFileSync(join(folder, file), '');
      expect(findGaps(folder)).toEqual([`${file} is missing or empty`]);
      writeFileSync(join(folder, file), before);
    }
  });
});
