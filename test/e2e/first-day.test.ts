import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RuntimeFile } from '../../src/contracts/runtime.js';
import { ability, abilityJson } from '../fixtures/called-command.js';
import { LONG, LONGER } from '../fixtures/extent.js';
import { killProcesses } from '../fixtures/kill-process.js';
import { makeProject, type ProjectFolder } from '../fixtures/project-folder.js';

/** Scripts of a team, none of them written for this product. */
const OPS = {
  'ops/deploy.sh': `#!/usr/bin/env bash
# Deploys a version to one host.
set -euo pipefail
while [ $# -gt 0 ]; do
  case "$1" in
    --host) host="$2"; shift 2 ;;
    --version) version="$2"; shift 2 ;;
    *) echo "unknown option $1" >&2; exit 64 ;;
  esac
done
mkdir -p state
if [ -e state/slow ]; then sleep 0.5; fi
if [ "$host" = host-13 ] && [ ! -e state/mended ]; then echo "$host: no route to host" >&2; exit 7; fi
echo "$version" > "state/$host"
echo "deployed $version to $host"
`,
  'ops/rollback.sh': `#!/usr/bin/env bash
# Takes a version away from one host.
while getopts "h:" o; do case "$o" in h) host="$OPTARG" ;; *) exit 64 ;; esac; done
rm -f "state/$host"
`,
  'ops/check.py': `#!/usr/bin/env python3
"""Checks that a host has a version."""
import argparse, json, pathlib, sys
p = argparse.ArgumentParser(description="Checks that a host has a version")
p.add_argument("--host", required=True)
p.add_argument("--version", required=True)
a = p.parse_args()
f = pathlib.Path("state") / a.host
ok = f.exists() and f.read_text().strip() == a.version
print(json.dumps({"ok": ok}))
sys.exit(0 if ok else 3)
`,
  'ops/backup.mjs': `#!/usr/bin/env node
// Dumps a database into a file.
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
const { values } = parseArgs({ options: { database: { type: 'string' }, out: { type: 'string' } } });
writeFileSync(values.out, ('row of ' + values.database + '\\n').repeat(1000));
`,
  'ops/verify.sh': `#!/usr/bin/env bash
# Verifies a dump.
# Usage: verify.sh FILE
lines=$(wc -l < "$1")
[ "$lines" -ge 1000 ] || { echo "only $lines lines" >&2; exit 4; }
echo "$lines lines"
`,
};

const DEPLOY = `
id: deploy
type: workflow
version: 1
summary: Deploy a version to all hosts, the first one before the others.
input_schema:
  type: object
  required: [version, hosts]
  properties: { version: { type: string }, hosts: { type: array, items: { type: string }, minItems: 1 } }
steps:
  - { id: release, approval: { title: "Deploy \${{ input.version }} to \${{ string(size(input.hosts)) }} hosts?" } }
  - id: canary
    call: ops.deploy
    with: { host: "\${{ input.hosts[0] }}", version: "\${{ input.version }}" }
    undo: { call: ops.rollback, with: { host: "\${{ input.hosts[0] }}" } }
  - { id: verify, call: ops.check, with: { host: "\${{ input.hosts[0] }}", version: "\${{ input.version }}" } }
  - id: rest
    foreach: input.hosts.filter(h, h != input.hosts[0])
    as: host
    max_parallel: 4
    on_failure: finish
    steps:
      - id: deploy
        call: ops.deploy
        with: { host: "\${{ host }}", version: "\${{ input.version }}" }
        retry: { attempts: 2, first: 50ms }
        undo: { call: ops.rollback, with: { host: "\${{ host }}" } }
output: { deployed: "\${{ size(steps.rest.output) + 1 }}" }
`;

const NIGHTLY = `
id: nightly
type: workflow
version: 1
summary: Back up the database, and verify the dump.
input_schema: { type: object, required: [database], properties: { database: { type: string } } }
schedules: [{ id: nightly-app, cron: "0 3 * * *", timezone: Europe/Berlin, environment: dev, input: { database: app } }]
steps:
  - { id: backup, call: ops.backup, with: { database: "\${{ input.database }}" } }
  - { id: verify, call: ops.verify, with: { file: "\${{ steps.backup.files.dump }}" } }
output: { verified: "\${{ steps.verify.output.text }}", dump: "\${{ steps.backup.files.dump }}" }
`;

let project: ProjectFolder;
const options = () => ({ cwd: project.root });
const run = (...args: string[]) => ability(args, options());
const json = (...args: string[]) => abilityJson(args, options());
const deployed = () => readdirSync(join(project.root, 'state')).filter((name) => name.startsWith('host-'));
const runtime = (): RuntimeFile => JSON.parse(readFileSync(join(project.root, '.system/runtime.json'), 'utf8'));
const edit = (file: string, ...changes: [string, string][]) => {
  const path = join(project.root, file);
  const text = readFileSync(path, 'utf8');
  for (const [from] of changes) expect(text).toContain(from);
  writeFileSync(
    path,
    changes.reduce((all, [from, to]) => all.replace(from, to), text),
  );
};

beforeAll(() => {
  project = makeProject(OPS);
  for (const file of Object.keys(OPS)) chmodSync(join(project.root, file), 0o755);
});
afterAll(async () => {
  await run('down');
  project.remove();
});

/** The inputs of each script, as a person names them in its draft. */
const NAMED: Record<string, { properties: string; args: string[] }> = {
  'ops.deploy': {
    properties: 'host: { type: string }, version: { type: string }',
    args: ['--host', '"${{ input.host }}"', '--version', '"${{ input.version }}"'],
  },
  'ops.rollback': { properties: 'host: { type: string }', args: ['-h', '"${{ input.host }}"'] },
  'ops.check': {
    properties: 'host: { type: string }, version: { type: string }',
    args: ['"--host=${{ input.host }}"', '"--version=${{ input.version }}"'],
  },
  'ops.backup': {
    properties: 'database: { type: string }, out: { type: string }',
    args: ['"--database=${{ input.database }}"', '"--out=${{ input.out }}"'],
  },
  'ops.verify': { properties: 'file: { type: string }', args: ['"${{ input.file }}"'] },
};

test('scripts become abilities with one command, in which inputs are named and effects declared', LONGER, async () => {
  expect(await run('scaffold', 'scripts', ...Object.keys(OPS))).toMatchObject({ exitCode: 0 });
  for (const [id, { properties, args }] of Object.entries(NAMED)) {
    const path = join(project.root, `registry/low-level/${id}.yaml`);
    const effects = /check|verify/.test(id) ? 'read' : 'write_idempotent';
    const named = readFileSync(path, 'utf8')
      .replace('effects: destructive', `effects: ${effects}`)
      .replace(/^ {2}properties:\n.*\n/m, `  properties: { ${properties} }\n`)
      .replace(/^ {6}- \{ each: .*\n/m, args.map((item) => `      - ${item}\n`).join(''));
    writeFileSync(path, named);
  }
  project.write({ 'registry/high-level/deploy.yaml': DEPLOY });
  expect(await run('lint')).toMatchObject({ exitCode: 0 });
});

test(
  'a deployment to 20 hosts: approval, canary; one host fails and all is undone; after kill -9 a retry completes it',
  LONG,
  async () => {
    const hosts = Array.from({ length: 20 }, (_, n) => `host-${n + 1}`);
    project.write({ 'in.json': JSON.stringify({ version: '1.4.0', hosts }) });
    expect((await run('run', 'deploy', '--input', '@in.json', '--key', 'd')).exitCode).toBe(5);
    expect((await run('approve', 'd')).exitCode).toBe(0);
    const failed = await run('task', 'watch', 'd');
    expect(failed.exitCode).toBe(1);
    expect(failed.stdout + failed.stderr).toMatch(/18 of 19 succeeded; failed: item 11 \(host-13\) after 2 attempts/);
    expect(failed.stdout + failed.stderr).toMatch(/host-13: no route to host[\s\S]*ability task retry d /);
    expect(deployed()).toEqual([]);

    project.write({ 'state/mended': '', 'state/slow': '' });
    expect((await run('task', 'retry', 'd', '--detach')).exitCode).toBe(0);
    await expect.poll(async () => (await run('approve', 'd.r2')).exitCode, { timeout: 20_000 }).toBe(0);
    await expect.poll(deployed, { timeout: 20_000 }).not.toEqual([]);
    await killProcesses(runtime().pid);
    const { exitCode, json: result } = await json('task', 'watch', 'd.r2');
    expect({ exitCode, output: result.output }).toEqual({ exitCode: 0, output: { deployed: 20 } });
    expect(deployed()).toHaveLength(20);
  },
);

test('a nightly backup: its file is verified by another script, and a schedule starts it', async () => {
  edit(
    'registry/low-level/ops.backup.yaml',
    ['"--out=${{ input.out }}"', '"--out={output_dir}/dump.sql"'],
    ['implementation:', 'output_files: { dump: dump.sql }\nimplementation:'],
  );
  edit('registry/low-level/ops.verify.yaml', [
    '{ file: { type: string } }',
    '{ file: { type: object, format: file } }',
  ]);
  project.write({ 'registry/high-level/nightly.yaml': NIGHTLY });
  expect(await run('lint')).toMatchObject({ exitCode: 0 });
  expect(await run('schedule', 'sync')).toMatchObject({ exitCode: 0, stdout: 'nightly-app: created' });
  expect(await run('schedule', 'run', 'nightly-app')).toMatchObject({ exitCode: 0 });
  const firing = async () => (await json('schedule', 'show', 'nightly-app')).json.firings[0];
  await expect.poll(async () => (await firing())?.status, { timeout: 20_000 }).toBe('succeeded');
  const { task_key: key } = await firing();
  expect((await json('task', 'result', key)).json.output).toMatchObject({ verified: '1000 lines' });
  expect((await run('task', 'files', key, '--out', 'files')).exitCode).toBe(0);
  expect(existsSync(join(project.root, 'files'))).toBe(true);
});
