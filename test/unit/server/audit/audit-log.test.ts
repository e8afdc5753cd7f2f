import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { AuditEvent, AuditLine } from '../../../../src/contracts/audit.js';
import { canonicalJson } from '../../../../src/rules/canonical.js';
import { auditObject } from '../../../../src/server/audit/audit-chain.js';
import { AuditLog } from '../../../../src/server/audit/audit-log.js';
import { readAudit } from '../../../../src/server/audit/read-audit.js';
import { FolderStore } from '../../../../src/server/store/folder-store.js';
import { SealedStore } from '../../../../src/server/store/sealed-store.js';
import { errorOfAsync } from '../../error-of.js';

let folder: string;
let store: FolderStore;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ability-test-audit-'));
  store = new FolderStore(folder);
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
});

let count = 0;
const event = (by = 'alice'): AuditEvent => {
  count += 1;
  return {
    kind: 'decision',
    event: `run/${count}`,
    time: '2026-11-30T00:00:00.000Z',
    task: 't-1',
    by,
    result: 'approve',
  };
};
const all = async (from = 1, of: Parameters<typeof readAudit>[0] = store) => {
  const read = { lines: [] as AuditLine[], findings: [] as string[] };
  for await (const { lines, finding } of readAudit(of, 'acme', from)) {
    read.lines.push(...lines);
    if (finding) read.findings.push(`${finding.where}: ${finding.problem}`);
  }
  return read;
};
const pathOf = (object: number) => join(folder, auditObject('acme', object));
/** Objects 1 to 6; the third has two lines. */
async function sixObjects(project = 'acme', log = new AuditLog(store, project)): Promise<void> {
  for (let object = 1; object <= 6; object += 1) {
    const together = object === 3 ? [log.append(event()), log.append(event('bob'))] : [log.append(event())];
    await Promise.all(together);
  }
}
const linesOf = (object: number): AuditLine[] =>
  readFileSync(pathOf(object), 'utf8')
    .trim()
    .split('\n')
    .map((text) => JSON.parse(text) as AuditLine);
const textOf = (lines: readonly object[]): string => lines.map((line) => `${canonicalJson(line)}\n`).join('');
const sealed = ({ hash: _, ...line }: AuditLine): AuditLine =>
  ({ ...line, hash: createHash('sha256').update(canonicalJson(line)).digest('hex') }) as AuditLine;
const write = (object: number, lines: readonly object[]): void => writeFileSync(pathOf(object), textOf(lines));
const edit = (object: number, change: (lines: AuditLine[]) => object[]): void => write(object, change(linesOf(object)));
const raw = (object: number, change: (text: string) => string): void =>
  writeFileSync(pathOf(object), change(readFileSync(pathOf(object), 'utf8')));

/** What someone does to the log, and in which object it is found. */
const EDITS: [what: string, act: () => void | Promise<void>, found: number][] = [
  ['changes a name', () => raw(2, (text) => text.replace('alice', 'mallory')), 2],
  ['changes a name and its hash', () => edit(2, (lines) => lines.map((line) => sealed({ ...line, by: 'mallory' }))), 3],
  ['changes a time', () => raw(4, (text) => text.replace('2026-11-30', '2025-11-30')), 4],
  ['changes a verdict', () => raw(1, (text) => text.replace('approve', 'deny')), 1],
  ['adds a field', () => edit(2, ([line]) => [{ ...line, proof: 'os_user' }]), 2],
  ['removes a field', () => edit(2, ([line]) => [{ ...line, by: undefined }]), 2],
  ['says a field twice', () => raw(2, (text) => text.replace('"by":', '"by":"mallory","by":')), 2],
  ['adds a space', () => raw(5, (text) => text.replace('{', '{ ')), 5],
  ['cuts the last line', () => raw(6, (text) => text.slice(0, -20)), 6],
  ['cuts the end of the last line', () => raw(6, (text) => text.trimEnd()), 6],
  ['empties an object', () => writeFileSync(pathOf(4), ''), 4],
  ['removes the first of two lines', () => edit(3, ([, second]) => [second as AuditLine]), 3],
  ['removes the last of two lines', () => edit(3, ([first]) => [first as AuditLine]), 4],
  ['removes an object', () => rmSync(pathOf(3)), 3],
  ['removes the first object', () => rmSync(pathOf(1)), 1],
  [
    'removes an object and closes the gap',
    () => {
      rmSync(pathOf(5));
      renameSync(pathOf(6), pathOf(5));
    },
    5,
  ],
  ['reorders two lines', () => edit(3, ([first, second]) => [second as AuditLine, first as AuditLine]), 3],
  [
    'reorders two objects',
    () => {
      const [four, five] = [linesOf(4), linesOf(5)];
      write(4, five);
      write(5, four);
    },
    4,
  ],
  ['repeats a line', () => edit(2, ([line]) => [line as AuditLine, line as AuditLine]), 2],
  ['repeats an object at the end', () => write(7, linesOf(6)), 7],
  [
    'inserts a line that fits the one before',
    () => edit(2, ([line]) => [line as AuditLine, sealed({ ...linesOf(3)[0], by: 'mallory' } as AuditLine)]),
    3,
  ],
  [
    'inserts a line of another number',
    () => edit(2, ([line]) => [line as AuditLine, sealed({ ...line, seq: 9 } as AuditLine)]),
    2,
  ],
  [
    'puts the line of another project there',
    async () => {
      await sixObjects('other');
      const other = readFileSync(join(folder, auditObject('other', 2)), 'utf8');
      writeFileSync(pathOf(2), other);
    },
    2,
  ],
  ['writes something else', () => writeFileSync(pathOf(2), '[]\nnull\n'), 2],
  ['appends an object that continues nothing', () => write(7, [sealed({ ...linesOf(6)[0], seq: 8 } as AuditLine)]), 7],
];

describe('someone who changes an audit log is found out', () => {
  test.each(EDITS)('who %s', async (_, act, found) => {
    await sixObjects();
    expect(await all()).toMatchObject({ findings: [], lines: { length: 7 } });
    await act();
    const { findings } = await all();
    expect(findings[0]).toContain(auditObject('acme', found));
    // From a later part on, what is before it was verified with the part before.
    if (found > 1) expect((await all(found)).findings[0]).toContain(auditObject('acme', found));
  });

  test('also in a store that encrypts: an object of another place is no object of this one', async () => {
    const keyed = new SealedStore(store, new Map([['k', new Uint8Array(32).fill(7)]]));
    await sixObjects('acme', new AuditLog(keyed, 'acme'));
    expect(readFileSync(pathOf(2), 'latin1')).not.toContain('alice');
    expect(await all(1, keyed)).toMatchObject({ findings: [], lines: { length: 7 } });
    renameSync(pathOf(6), pathOf(2));
    expect((await all(1, keyed)).findings).toEqual([
      expect.stringContaining(`${auditObject('acme', 2)}: a line after 1 was changed`),
    ]);
  });
});

describe('an audit log', () => {
  test('is one chain of several writers at once, with what each has written', async () => {
    const logs = Array.from({ length: 4 }, () => new AuditLog(new FolderStore(folder), 'acme'));
    await Promise.all(
      logs.map(async (log, writer) => {
        for (let turn = 0; turn < 20; turn += 1)
          await Promise.all([log.append(event(`${writer}`)), log.append(event())]);
      }),
    );
    const { lines, findings } = await all();
    expect(findings).toEqual([]);
    expect(lines.map(({ seq }) => seq)).toEqual(Array.from({ length: 160 }, (_, index) => index + 1));
    expect(lines.filter(({ by }) => by === '2')).toHaveLength(20);
    expect((await all(50)).findings).toEqual([]);
  });

  test('goes on after a restart, and its last line is kept on the machine', async () => {
    const head = join(folder, 'head.json');
    for (let turn = 1; turn <= 9; turn += 1) await new AuditLog(store, 'acme', head).append(event());
    const { lines, findings } = await all();
    expect([lines.length, findings]).toEqual([9, []]);
    expect(JSON.parse(readFileSync(head, 'utf8'))).toMatchObject({ seq: 9, hash: lines[8]?.hash });
  });

  test('has a line once, if the answer to its writing was lost', async () => {
    const lossy: typeof store = Object.create(store);
    lossy.createNamed = async (name, bytes) => (await store.createNamed(name, bytes)) && name.endsWith('0');
    const log = new AuditLog(lossy, 'acme');
    for (let turn = 0; turn < 3; turn += 1) await log.append(event());
    expect(await all()).toMatchObject({ findings: [], lines: { length: 3 } });
  });

  test('fails where it cannot be written, for all that wait, and goes on later', async () => {
    const log = new AuditLog(store, 'acme');
    await log.append(event());
    renameSync(join(folder, 'audit'), join(folder, 'away'));
    writeFileSync(join(folder, 'audit'), '');
    const failed = await Promise.allSettled([log.append(event()), log.append(event())]);
    expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    rmSync(join(folder, 'audit'));
    renameSync(join(folder, 'away'), join(folder, 'audit'));
    await log.append(event());
    expect(await all()).toMatchObject({ findings: [], lines: { length: 2 } });
  });

  test.each(['', 'half a li'])('is not continued after a damaged end: %j', async (end) => {
    await sixObjects();
    writeFileSync(pathOf(6), end);
    const error = await errorOfAsync(() => new AuditLog(store, 'acme').append(event()));
    expect(error).toMatchObject({ code: 'audit.broken', message: expect.stringContaining(auditObject('acme', 6)) });
  });

  test('is refused by a store that ignores conditional writes', async () => {
    const careless: typeof store = Object.create(store);
    careless.createNamed = async (name, bytes) => {
      await store.putNamed(name, bytes);
      return true;
    };
    const error = await errorOfAsync(() => new AuditLog(careless, 'acme').append(event()));
    expect(error).toMatchObject({ code: 'audit.broken', message: expect.stringContaining('If-None-Match') });
  });
});
