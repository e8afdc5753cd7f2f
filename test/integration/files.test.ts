import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { deleteTask, retryTask, signalTask, takeFiles } from '../../src/client/index.js';
import type { FileValue } from '../../src/contracts/files.js';
import type { JsonObject } from '../../src/contracts/json.js';
import type { TaskResult } from '../../src/contracts/task.js';
import { retryBy } from '../fixtures/caller.js';
import { LONG } from '../fixtures/extent.js';
import { openDoor } from '../fixtures/http-door.js';
import { workflow } from '../fixtures/project-folder.js';
import { type RunningProject, runProject } from '../fixtures/running-project.js';
import { scriptAbility } from '../fixtures/servers/definitions.js';

const FILE = { type: 'object', format: 'file' };
const NODE =
  "import { appendFileSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';";
const USES = 'void [appendFileSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync];';

/** A script that receives the folder for its files, or other `args`. */
function script(key: string, body: string, output_files: JsonObject | undefined, more: JsonObject = {}) {
  const { args = ['{output_dir}', '{output_file}'], ...rest } = more;
  const content = [NODE, USES, 'const [dir, out] = process.argv.slice(2);', 'void [dir, out];', body].join('\n');
  return scriptAbility(key, `scripts/${key}.mjs`, content, {
    script: { args },
    more: { ...(output_files && { output_files }), ...rest },
  });
}

const MAKE = script(
  'f.make',
  'writeFileSync(`${dir}/report.html`, `<h1>${process.argv[4]}</h1>`); writeFileSync(out, "{}");',
  { report: '*.html' },
  {
    args: ['{output_dir}', '{output_file}', '${{ input.text }}'],
    input_schema: { type: 'object', properties: { text: { type: 'string', default: 'hello' } } },
  },
);
const READ = script(
  'f.read',
  'const path = process.argv[2]; const mode = (statSync(path).mode & 0o777).toString(8);' +
    ' console.log(JSON.stringify({ text: readFileSync(path, "utf8"), mode, path }));',
  undefined,
  {
    args: ['${{ input.file }}'],
    input_schema: { type: 'object', required: ['file'], properties: { file: FILE } },
    output_schema: { type: 'object' },
  },
);

let project: RunningProject;

beforeAll(async () => {
  project = await runProject({ ...MAKE, ...READ });
});
afterAll(() => project.stop());

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const stored = (digest: string) => join(project.root, '.system/store/files', digest.slice(0, 2), digest);
const user = { name: 'tester', source: 'claimed' } as const;

describe('a file left by a script', () => {
  test('is a value, passed to the next call as a read-only copy that is removed with the call', async () => {
    project.write(
      workflow(
        'pass_on',
        `
steps:
  - { id: build, call: f.make, with: { text: one } }
  - { id: read, call: f.read, with: { file: "\${{ steps.build.files.report }}" } }
output: { file: "\${{ steps.build.files.report }}", read: "\${{ steps.read.output }}" }`,
      ),
    );
    const result = await project.run('pass_on');
    const digest = sha256('<h1>one</h1>');
    const file: FileValue = { $file: digest, name: 'report.html', bytes: 12, media_type: 'text/html' };
    expect(result).toMatchObject({ status: 'succeeded', files: [{ step: 'build', name: 'report', file }] });
    const { read, ...output } = result.output as { read: { path: string } };
    expect(output).toEqual({ file });
    expect(read).toMatchObject({ text: '<h1>one</h1>', mode: '444' });
    expect(read.path).toContain('.system/calls/');
    expect(existsSync(read.path)).toBe(false);
    expect(readFileSync(stored(digest), 'utf8')).toBe('<h1>one</h1>');
    const calls = join(project.root, '.system/calls');
    expect(readdirSync(calls).flatMap((worker) => readdirSync(join(calls, worker)))).toEqual([]);
  });

  test('is downloaded over HTTP as an attachment, by whoever may read its task; a file of another task is not', async () => {
    const door = await openDoor(project.connection, { mcp: undefined as never });
    try {
      const { task_key: key } = await project.run('f.make', { text: 'over HTTP' });
      const path = (task: string | null) => `${door.url}/v1/tasks/${task}/files/${sha256('<h1>over HTTP</h1>')}`;
      const answer = await fetch(path(key));
      expect(await answer.text()).toBe('<h1>over HTTP</h1>');
      expect(Object.fromEntries(answer.headers)).toMatchObject({
        'content-type': 'application/octet-stream',
        'content-disposition': "attachment; filename*=UTF-8''report.html",
        'x-content-type-options': 'nosniff',
      });
      const { task_key: other } = await project.run('f.make', { text: 'another' });
      expect(await (await fetch(path(other))).json()).toMatchObject({ status: 404, code: 'file.not_of_task' });
    } finally {
      await door.close();
    }
  });

  test('is read on stdin if `stdin` contains nothing else', LONG, async () => {
    project.write({
      ...scriptAbility(
        'f.stdin',
        'scripts/stdin.mjs',
        'const chunks = []; for await (const chunk of process.stdin) chunks.push(chunk); console.log(Buffer.concat(chunks).toString());',
        {
          script: { args: [], stdin: '${{ input.file }}', env: { FILE: '${{ input.file }}' }, output: 'text' },
          more: { input_schema: { type: 'object', properties: { file: FILE } } },
        },
      ),
      ...workflow(
        'by_stdin',
        `
steps:
  - { id: build, call: f.make }
  - { id: read, call: f.stdin, with: { file: "\${{ steps.build.files.report }}" } }
output: "\${{ steps.read.output.text }}"`,
      ),
    });
    const { output } = await project.run('by_stdin');
    expect(String(output).trim()).toBe('<h1>hello</h1>');
  });

  test.each([
    ['none', '', { report: '*.html' }, /left no file for `report` \(\*\.html\)/],
    ['two', 'for (const n of ["a.html", "b.html"]) writeFileSync(`${dir}/${n}`, n);', { report: '*.html' }, /2 files/],
    ['a link', 'symlinkSync("/etc/passwd", `${dir}/a.html`);', { report: '*.html' }, /a\.html is a link/],
  ])('is missing unless there is exactly one: %s', async (name, body, files, message) => {
    const key = `f.missing_${name.replaceAll(' ', '_')}`;
    project.write(script(key, `appendFileSync("${key}", "x"); ${body} writeFileSync(out, "{}");`, files));
    const result = await project.run(key);
    expect(result).toMatchObject({ status: 'failed', error: { code: 'file.missing' } });
    expect(result.error?.message).toMatch(message);
    expect(readFileSync(join(project.root, key), 'utf8')).toBe('x');
  });

  test('is one of many if the contract allows it, also in subfolders', LONG, async () => {
    const body =
      'mkdirSync(`${dir}/a/b`, { recursive: true }); for (const n of ["z.log", "a/b/y.log", "x.txt"]) writeFileSync(`${dir}/${n}`, n); writeFileSync(out, "{}");';
    project.write({
      ...script('f.many', body, { logs: { glob: '**/*.log', many: true }, none: { glob: '*.none', many: true } }),
      ...workflow(
        'many',
        `
steps:
  - { id: make, call: f.many }
  - id: each
    foreach: steps.make.files.logs
    as: log
    steps: [{ id: read, call: f.read, with: { file: "\${{ log }}" } }]
output: { n: "\${{ size(steps.make.files.none) }}", texts: "\${{ steps.each.output.map(o, o.text) }}" }`,
      ),
    });
    expect(await project.run('many')).toMatchObject({ output: { n: 0, texts: ['a/b/y.log', 'z.log'] } });
  });
});

describe('a call that must not be repeated and whose files cannot be stored', () => {
  test.each([
    [
      'a name is no text',
      'file.missing',
      'writeFileSync(Buffer.concat([Buffer.from(`${dir}/`), Buffer.from([0xff]), Buffer.from(".html")]), "x");',
    ],
    [
      'the store takes nothing',
      'store.full',
      'writeFileSync(`${dir}/a.html`, "lost"); rmSync(`${dir}/../../../../store/new`, { recursive: true, force: true }); writeFileSync(`${dir}/../../../../store/new`, "");',
    ],
  ])('has had its effect: it is not repeated, and its undo is due: %s', async (name, code, body) => {
    const id = code.replace('.', '_');
    const add = (text: string) => `appendFileSync("${id}", "${text}");`;
    project.write({
      ...script(
        `f.${id}`,
        `${add('did ')} ${body} writeFileSync(out, "{}");`,
        { report: '*.html' },
        { effects: 'write_additive' },
      ),
      ...script(`f.undo_${id}`, `${add('undid')} console.log("{}");`, undefined, {
        args: [],
        effects: 'write_idempotent',
        output_schema: { type: 'object' },
      }),
      ...workflow(
        id,
        `steps: [{ id: make, call: f.${id}, retry: { attempts: 3, first: 10ms }, undo: { call: f.undo_${id} } }]`,
      ),
    });
    const result = await project.run(id);
    rmSync(join(project.root, '.system/store/new'), { recursive: true, force: true });
    expect(result, name).toMatchObject({ status: 'failed', error: { code, step: 'make' } });
    expect(readFileSync(join(project.root, id), 'utf8')).toBe('did undid');
  });
});

describe('a file is passed on only if the task has it', () => {
  test('not if a script or an expression names its digest', async () => {
    const made = await project.run('f.make', { text: 'of another task' });
    const file = made.files?.[0]?.file as FileValue;
    project.write({
      ...script('f.forge', `writeFileSync(out, JSON.stringify({ file: ${JSON.stringify(file)} }));`, undefined, {
        args: ['-', '{output_file}'],
      }),
      ...workflow(
        'forged_output',
        `
steps:
  - { id: own, call: f.make }
  - { id: forge, call: f.forge }
  - { id: read, call: f.read, with: { file: "\${{ steps.forge.output.file }}" } }`,
      ),
      ...workflow('forged_literal', `steps: [{ id: read, call: f.read, with: { file: ${JSON.stringify(file)} } }]`),
    });
    for (const ability of ['forged_output', 'forged_literal']) {
      expect(await project.run(ability)).toMatchObject({
        status: 'failed',
        error: { code: 'file.not_of_task', step: 'read' },
      });
    }
  });

  test('a child has what it was passed, and its caller what the child returned', async () => {
    project.write({
      ...workflow(
        'inner',
        `
input_schema: { type: object, properties: { given: { type: object, format: file } } }
steps:
  - { id: read, call: f.read, with: { file: "\${{ input.given }}" } }
  - { id: kept, call: f.make, with: { text: kept } }
  - { id: out, call: f.make, with: { text: out } }
output: { text: "\${{ steps.read.output.text }}", out: "\${{ steps.out.files.report }}", name: "\${{ steps.kept.files.report.name }}" }`,
      ),
      ...workflow(
        'outer',
        `
steps:
  - { id: build, call: f.make, with: { text: outer } }
  - { id: child, call: inner, with: { given: "\${{ steps.build.files.report }}" } }
  - { id: read, call: f.read, with: { file: "\${{ steps.child.output.out }}" } }
output: ["\${{ steps.child.output.text }}", "\${{ steps.read.output.text }}"]`,
      ),
    });
    const result = await project.run('outer');
    expect(result).toMatchObject({ status: 'succeeded', output: ['<h1>outer</h1>', '<h1>out</h1>'] });
    expect(result.files?.map(({ step, called }) => [step, called ?? false])).toEqual([
      ['build', false],
      ['child/kept', true],
      ['child/out', false],
    ]);
  });
});

describe('the files of a task', () => {
  test('include its input if the schema declares files, also for a retry', async () => {
    const made = await project.run('f.make', { text: 'input' });
    const file = made.files?.[0]?.file as FileValue;
    expect(await project.run('f.read', { file })).toMatchObject({
      output: { text: '<h1>input</h1>' },
      files: [{ step: '', name: 'file', file }],
    });
    const absent = { ...file, $file: 'a'.repeat(64) };
    await expect(project.run('f.read', { file: absent })).rejects.toMatchObject({ code: 'store.not_shared' });
    await expect(project.run('f.read', { file: { $file: 'x' } })).rejects.toMatchObject({ code: 'input.invalid' });
  });

  test('are passed to a retry that reuses the step that made them', LONG, async () => {
    const steps = (call: string) => `
steps:
  - { id: build, call: f.make, with: { text: again } }
  - { id: check, call: ${call}, with: { file: "\${{ steps.build.files.report }}" } }
output: "\${{ steps.check.output.text }}"`;
    project.write({
      ...script('f.refuse', 'process.exit(1);', undefined, { args: [], output_schema: { type: 'object' } }),
      ...workflow('again', steps('f.refuse')),
    });
    const { id } = await project.create('again', {}, { key: 'again' });
    expect(await project.wait(id)).toMatchObject({ result: { status: 'failed' } });
    project.write(workflow('again', steps('f.read')));
    const next = await retryTask(project.connection, id, { ...retryBy(user), run: true });
    expect(await project.wait(next.id)).toMatchObject({ result: { status: 'succeeded', output: '<h1>again</h1>' } });
  });

  test('come from the caller, and are removed if the task is not created', async () => {
    const path = join(project.root, 'given.txt');
    project.write({ 'given.txt': 'given' });
    const files = { paths: { file: [path] }, maxBytes: 1000 };
    const { id } = await project.create('f.read', {}, { key: 'given', files });
    expect(await project.wait(id)).toMatchObject({ result: { output: { text: 'given' } } });
    expect((await project.create('f.read', {}, { key: 'given', files })).attached).toBe(true);
    project.write({ 'given.txt': 'other' });
    await expect(project.create('f.read', {}, { key: 'given', files })).rejects.toMatchObject({
      code: 'task.key_conflict',
    });
    project.write({ 'given.txt': 'refused' });
    await expect(project.create('f.read', { more: 1 }, { files: { ...files, maxBytes: 3 } })).rejects.toMatchObject({
      code: 'file.too_large',
    });
    await expect(project.create('f.absent', {}, { files })).rejects.toMatchObject({ code: 'ability.not_found' });
    expect(existsSync(stored(sha256('refused')))).toBe(false);
    expect(existsSync(stored(sha256('given')))).toBe(true);
  });

  test('are copied out under their names, and nothing is overwritten', async () => {
    const folder = join(project.root, 'out');
    const first = await project.run('f.make', { text: 'first' });
    const second = await project.run('f.make', { text: 'second' });
    const names = async (result: TaskResult) =>
      (await takeFiles(project.connection, result.files ?? [], folder)).map(({ path, wasThere }) => [
        basename(path),
        wasThere,
      ]);
    expect(await names(first)).toEqual([['report.html', false]]);
    expect(await names(second)).toEqual([['report-2.html', false]]);
    expect(await names(first)).toEqual([['report.html', true]]);
    expect(readdirSync(folder).sort()).toEqual(['report-2.html', 'report.html']);
  });

  test('are limited in size, each and together', async () => {
    project.write({
      'ability.yaml': readFileSync(join(project.root, 'ability.yaml'), 'utf8').concat(
        'policy: { max_file: 20B, max_task_files: 30B }\n',
      ),
      ...workflow(
        'too_much',
        `
steps:
  - { id: a, call: f.make, with: { text: aaaa } }
  - { id: b, call: f.make, with: { text: bbbb } }
  - { id: c, call: f.make, with: { text: cccc } }`,
      ),
    });
    try {
      expect(await project.run('f.make', { text: 'longer than the limit' })).toMatchObject({
        error: { code: 'file.too_large', message: expect.stringContaining('20 B') },
      });
      expect(await project.run('too_much')).toMatchObject({ error: { code: 'file.too_large', step: 'c' } });
    } finally {
      project.write({
        'ability.yaml': readFileSync(join(project.root, 'ability.yaml'), 'utf8').replace(/policy:.*\n/, ''),
      });
    }
  });

  test('are retained for a time after the end of the task, and then collected', LONG, async () => {
    project.write(
      workflow(
        'held_open',
        `
steps:
  - { id: build, call: f.make, with: { text: open } }
  - { id: go, wait: { signal: go } }
  - { id: read, call: f.read, with: { file: "\${{ steps.build.files.report }}" } }`,
      ),
    );
    const held = await project.create('held_open', {}, { key: 'held-open' });
    await vi.waitFor(() => expect(existsSync(stored(sha256('<h1>open</h1>')))).toBe(true), 20_000);
    await project.run('f.make', { text: 'old' }, { key: 'old' });
    const path = stored(sha256('<h1>old</h1>'));
    const day = 24 * 60 * 60_000;
    const at = (days: number) => new Date(Date.now() + days * day);
    await project.host().collectFiles(at(29));
    expect(existsSync(path)).toBe(true);
    await project.host().collectFiles(at(31));
    expect(existsSync(path)).toBe(false);
    await expect(
      project.run('f.read', { file: { $file: sha256('<h1>old</h1>'), name: 'a', bytes: 12, media_type: 'text/html' } }),
    ).rejects.toMatchObject({ code: 'store.not_shared' });
    const other = { $file: sha256('<h1>open</h1>'), name: 'a', bytes: 12, media_type: 'text/html' };
    await expect(project.run('f.read', { file: other })).rejects.toMatchObject({
      code: 'file.not_of_task',
      message: 'a has 13 bytes, and the value that names it states 12',
    });
    await signalTask(project.connection, held.id, 'go', null);
    expect(await project.wait(held.id)).toMatchObject({ result: { status: 'succeeded' } });
  });

  test('are removed with the last task that has them', async () => {
    const run = (key: string) => project.run('f.make', { text: 'shared' }, { key });
    await Promise.all([run('one'), run('two')]);
    const path = stored(sha256('<h1>shared</h1>'));
    await deleteTask(project.connection, 'one', { by: user, purge: false });
    expect(existsSync(path)).toBe(true);
    await deleteTask(project.connection, 'two', { by: user, purge: false });
    expect(existsSync(path)).toBe(false);
    const names = readdirSync(join(project.root, '.system/store'), { recursive: true }).map(String);
    expect(names.filter((name) => /by-task\/[^/]+\/(one|two)|leaving\/./.test(name))).toEqual([]);
  });
});
