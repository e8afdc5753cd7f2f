import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';

const CONTEXT = fileURLToPath(new URL('../..', import.meta.url));

/** The lines of the Dockerfile, with continued lines joined. */
const lines = readFileSync(join(CONTEXT, 'Dockerfile'), 'utf8')
  .replaceAll(/\\\n/g, ' ')
  .split('\n')
  .filter((line) => /^[A-Z]+ /.test(line))
  .map((line) => {
    const [, verb = '', rest = ''] = /^([A-Z]+) +(.*)$/.exec(line) ?? [];
    return { verb, rest };
  });

const ignored = readFileSync(join(CONTEXT, '.dockerignore'), 'utf8').split('\n').filter(Boolean);
const isSent = (name: string): boolean =>
  !ignored.some((entry) => entry === name || (entry === '.env.*' && name.startsWith('.env.')));

/** What exists only in a system image: its packages, and the user that it creates. */
const OF_THE_IMAGE = /^apt-get |^mkdir -p .* && chown /;

const root = realpathSync(mkdtempSync(join(tmpdir(), 'ability-image-')));
// Tens of thousands of files, which Node deletes more slowly.
afterAll(() => execFileSync('rm', ['-rf', root]));

/** A stage as folders: `/x` in its image is `<root>/<stage>/x`. */
interface Stage {
  name: string;
  folder: string;
  cwd: string;
}

function copy(stage: Stage, rest: string, stages: Map<string, Stage>): void {
  const [, from, ...words] = /^(?:--from=(\S+) )?(.*)$/.exec(rest) ?? [];
  const [sources, target] = [(words[0] ?? '').split(' ').slice(0, -1), (words[0] ?? '').split(' ').at(-1) ?? ''];
  const source = from === undefined ? CONTEXT : (stages.get(from)?.folder ?? '');
  for (const path of sources) {
    const into = target.endsWith('/') ? join(stage.cwd, target, basename(path)) : join(stage.cwd, target);
    if (from !== undefined && !existsSync(into)) {
      // A finished stage is not read again, and moving is cheaper than copying.
      renameSync(join(source, path), into);
      continue;
    }
    const filter =
      from === undefined && path === '.' ? (at: string) => at === CONTEXT || isSent(topOf(at)) : () => true;
    cpSync(join(source, path), into, { recursive: true, filter, verbatimSymlinks: true });
  }
}

const topOf = (path: string): string => path.slice(CONTEXT.length).split('/').filter(Boolean)[0] ?? '';

function runLine({ cwd }: Stage, command: string): void {
  if (OF_THE_IMAGE.test(command)) return;
  if (command.startsWith('npm ci ')) installAsHere(cwd);
  else {
    if (command === 'npm run build') takeBuildOf(cwd);
    const env = Object.fromEntries(
      Object.entries(process.env).filter(([name]) => !/^(npm_|VITEST|NODE_ENV|INIT_CWD)/.test(name)),
    );
    execFileSync('sh', ['-c', command], { cwd, env, stdio: 'pipe' });
  }
}

/** Uses the packages installed for this checkout, instead of fetching them again from a registry. */
function installAsHere(cwd: string): void {
  const from = join(CONTEXT, 'node_modules');
  link(from, join(cwd, 'node_modules'));
  // Files that are written in place must not be those of the checkout.
  rmSync(join(cwd, 'node_modules/.cache'), { recursive: true, force: true });
  for (const name of ['.cache/ability-build.json', '.package-lock.json']) {
    rmSync(join(cwd, 'node_modules', name), { force: true });
    if (existsSync(join(from, name))) cpSync(join(from, name), join(cwd, 'node_modules', name));
  }
}

/** Uses the build of this checkout, which is accepted if it was made from exactly the sources that were sent. */
function takeBuildOf(cwd: string): void {
  for (const folder of ['build', 'dist']) link(join(CONTEXT, folder), join(cwd, folder));
}

/** Copies a folder by links to its files, or completely if the disk or `cp` does not support links. */
function link(from: string, to: string): void {
  try {
    execFileSync('cp', ['-al', from, to], { stdio: 'pipe' });
  } catch {
    rmSync(to, { recursive: true, force: true });
    execFileSync('cp', ['-a', from, to]);
  }
}

/** Runs the stages in folders. @returns the last one. */
function build(): Stage {
  const stages = new Map<string, Stage>();
  let stage: Stage = { name: '', folder: '', cwd: '' };
  for (const { verb, rest } of lines) {
    if (verb === 'FROM') {
      const name = / AS (\w+)$/.exec(rest)?.[1] ?? 'final';
      stage = { name, folder: join(root, name), cwd: join(root, name) };
      stages.set(name, stage);
    } else if (verb === 'WORKDIR') {
      stage.cwd = join(stage.folder, rest);
      mkdirSync(stage.cwd, { recursive: true });
    } else if (verb === 'COPY') copy(stage, rest, stages);
    else if (verb === 'RUN') runLine(stage, rest);
  }
  return stage;
}

function installedIn(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => !name.startsWith('.'))
    .flatMap((name) =>
      name.startsWith('@') ? readdirSync(join(folder, name)).map((part) => `${name}/${part}`) : name,
    );
}

describe('the Dockerfile, with its commands run in folders', () => {
  test('has a last stage without development packages, whose command runs the example project', () => {
    const { cwd } = build();
    const { dependencies, devDependencies } = JSON.parse(readFileSync(join(cwd, 'package.json'), 'utf8'));
    const missing = Object.keys(dependencies).filter((name) => !existsSync(join(cwd, 'node_modules', name)));
    expect(missing).toEqual([]);
    // A package that is a regular dependency as well stays.
    expect(
      ['vitest', '@biomejs/biome', 'execa'].filter(
        (name) => name in devDependencies && existsSync(join(cwd, 'node_modules', name)),
      ),
    ).toEqual([]);
    expect(readdirSync(cwd)).not.toContain('src');
    const { bomFormat, components } = JSON.parse(readFileSync(join(cwd, 'sbom.cdx.json'), 'utf8'));
    const listed = new Set(
      (components as { 'bom-ref': string }[]).map((part) => part['bom-ref'].replace(/@[^@]*$/, '')),
    );
    expect(bomFormat).toBe('CycloneDX');
    expect(installedIn(join(cwd, 'node_modules')).filter((name) => !listed.has(name))).toEqual([]);
    expect([...listed].filter((name) => ['vitest', '@biomejs/biome'].includes(name))).toEqual([]);
    const entry = lines.find(({ verb }) => verb === 'ENTRYPOINT')?.rest ?? '[]';
    const [program = '', ...args] = (JSON.parse(entry) as string[])
      .slice(3)
      .map((word) => word.replace(/^\/app\//, `${cwd}/`));
    expect(program).toBe(`${cwd}/dist/command/bin.js`);
    const call = (...words: string[]) =>
      execFileSync(process.execPath, [program, ...args, ...words], { cwd, encoding: 'utf8' });
    expect(call('lint')).toMatch(/^No findings/);
    expect(call('test', 'generate_example_data')).toMatch(/ passed/);
    expect(call('worker', '--help')).toMatch(/--placement/);
  }, 180_000);

  test('is on one release of Node, with years of support left, that package.json allows', () => {
    const images = lines.filter(({ verb }) => verb === 'FROM').map(({ rest }) => rest.replace(/ AS .*/, ''));
    const [major] = images.map((image) => Number(/^node:(\d+)-bookworm-slim$/.exec(image)?.[1]));
    expect([new Set(images).size, (major as number) % 2, (major as number) >= 24]).toEqual([1, 0, true]);
  });

  test('runs as a user other than root', () => {
    const user = lines.findIndex(({ verb }) => verb === 'USER');
    expect(lines[user]?.rest).toBe('1000');
    expect(lines.slice(user).map(({ verb }) => verb)).not.toContain('RUN');
  });
});
