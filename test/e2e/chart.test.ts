import { execFileSync, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { obtainTemporal } from '../../src/server/binary/find-temporal.js';
import { abilityJson } from '../fixtures/called-command.js';
import { start } from '../fixtures/command-line.js';
import { buildDeployTools, whyNoDeployTools } from '../fixtures/deploy-tools.js';
import { LONG } from '../fixtures/extent.js';
import { makeProject, operation, projectFile } from '../fixtures/project-folder.js';
import { closedPort } from '../fixtures/servers/recording-service.js';
import { startTemporal, type TestServer } from '../fixtures/temporal-server.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const CHART = join(ROOT, 'deploy/chart');
const BIN = join(ROOT, 'dist/command/bin.js');
const KEYS = `main:${randomBytes(32).toString('base64url')}`;
const missing = whyNoDeployTools();
const cannotBox = spawnSync('bwrap', ['--ro-bind', '/', '/', 'true']).status !== 0;

interface Container {
  image: string;
  args: string[];
  command?: string[];
  env: { name: string; value?: string }[];
  securityContext: Record<string, unknown>;
  readinessProbe: { httpGet: { path: string; httpHeaders?: { name: string; value: string }[] } };
}
interface Manifest {
  kind: string;
  metadata: { name: string; annotations?: Record<string, string> };
  spec: { replicas?: number; template: { spec: { containers: [Container]; securityContext: object } } };
}

describe.skipIf(missing !== undefined)(`the chart (${missing ?? 'helm is built here'})`, LONG, () => {
  let tools: { helm: string; strict: string };
  const helm = (...args: string[]) => spawnSync(tools.helm, args, { encoding: 'utf8' });
  const template = (...more: string[]) => helm('template', 'acme', CHART, '--kube-version', '1.32.0', ...more);
  const values = (name: string) => ['-f', join(CHART, `ci/${name}-values.yaml`)];
  const read = (text: string): Manifest[] =>
    parseAllDocuments(text, { merge: true }).flatMap((document) => (document.toJS() as Manifest | null) ?? []);

  beforeAll(() => {
    tools = buildDeployTools();
  }, 600_000);

  test.each(['whole', 'small'])('helm accepts it with the %s values, and Kubernetes knows every field', (name) => {
    const lint = helm('lint', '--strict', CHART, ...values(name));
    expect([lint.status, lint.stdout]).toEqual([0, expect.stringContaining('0 chart(s) failed')]);
    const { stdout, stderr } = template(...values(name));
    expect(stderr).toBe('');
    const kinds = execFileSync(tools.strict, ['manifests'], { input: stdout, encoding: 'utf8' }).trim().split('\n');
    const whole = [
      ...Array(3).fill('Deployment'),
      'Ingress',
      'Job',
      'PodDisruptionBudget',
      'PodDisruptionBudget',
      'Service',
    ];
    expect(kinds.sort()).toEqual(name === 'whole' ? whole : ['Deployment', 'PodDisruptionBudget']);
    const wrong = stdout.replace('containerPort: 9465', 'containerPrt: 9465');
    expect(spawnSync(tools.strict, ['manifests'], { input: wrong, encoding: 'utf8' }).stderr).toMatch(/unknown field/);
  });

  test.each([
    ['a current build without workers', ['--set', 'current=none'], /"none" is no build of this chart/],
    ['a door without a claim', ['--set', 'door.enabled=true,door.host=a.test'], /door\/claim/],
    ['an id that the worker refuses', ['--set', 'builds[0].id=a b,builds[0].tag=x'], /builds\/0\/id/],
    ['a value that does not exist', ['--set', 'worker.replica=3'], /additional properties 'replica' not allowed/],
    ['no server', ['--set', 'temporal.address='], /temporal\/address/],
  ])('it refuses %s', (_, more, reason) => {
    const { status, stderr } = template(...values('small'), ...more);
    expect([status, stderr]).toEqual([1, expect.stringMatching(reason)]);
  });

  test('every container runs without privileges, on a read-only image', () => {
    for (const { kind, spec } of read(template(...values('whole')).stdout)) {
      if (kind !== 'Deployment' && kind !== 'Job') continue;
      const { containers, securityContext } = spec.template.spec;
      expect(securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
      const expected = {
        readOnlyRootFilesystem: true,
        allowPrivilegeEscalation: false,
        capabilities: { drop: ['ALL'] },
      };
      for (const container of containers) expect(container.securityContext).toEqual(expected);
    }
  });

  describe('with its commands and settings but no container', () => {
    let server: TestServer;
    let folder: string;
    beforeAll(async () => {
      server = await startTemporal();
      folder = mkdtempSync(join(tmpdir(), 'ability-chart-'));
    });
    afterAll(async () => {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    });
    const named = (kind: string, part: string) => {
      const found = read(template(...values('whole')).stdout).find(
        (manifest) => manifest.kind === kind && manifest.metadata.name.includes(part),
      );
      return found?.spec.template.spec.containers[0] as Container;
    };
    const settings = ({ env }: Container, store: string) => ({
      ...Object.fromEntries(
        env.filter(({ name }) => !name.startsWith('TEMPORAL_TLS')).map(({ name, value }) => [name, value ?? '']),
      ),
      ...{ TEMPORAL_ADDRESS: server.address, ABILITY_SEAL_KEYS: KEYS, ABILITY_STORE: store },
    });

    test.skipIf(cannotBox)(
      'a worker serves its build as another user, where only .system, the store and /tmp can be written (needs bwrap)',
      async () => {
        const project = makeProject({
          'ability.yaml': projectFile('{ staging: {}, prod: {} }').replace(/^project: .*$/m, 'project: acme'),
          ...operation('util.who', 'return { done: true };'),
        });
        const container = named('Deployment', '4f2c1a9');
        const [port, metrics] = [await closedPort(), await closedPort()];
        const args = container.args.map((arg) =>
          arg.replace('0.0.0.0:9465', `127.0.0.1:${port}`).replace('0.0.0.0:9464', `127.0.0.1:${metrics}`),
        );
        const writable = [join(project.root, '.system'), join(folder, 'store')];
        for (const path of writable) mkdirSync(path, { recursive: true });
        // In the box, the user of this process is 1000.
        const box = ['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', '--tmpfs', '/tmp'];
        const binds = [['--ro-bind', project.root], ...writable.map((path) => ['--bind', path])];
        const bound = binds.flatMap(([how, path]) => [how as string, path as string, path as string]);
        const user = ['--unshare-user', '--uid', '1000', '--gid', '1000', '--cap-drop', 'ALL'];
        const node = [process.execPath, BIN, ...args];
        const worker = execa(
          'bwrap',
          [...box, ...bound, ...user, '--die-with-parent', '--chdir', project.root, ...node],
          {
            env: { ...settings(container, writable[1] as string), PATH: process.env.PATH, HOME: '/tmp' },
            extendEnv: false,
            reject: false,
          },
        );
        const healthy = () =>
          fetch(`http://127.0.0.1:${port}/`).then(
            ({ status }) => status,
            () => 0,
          );
        await expect.poll(healthy, { timeout: 30_000 }).toBe(200);
        await setCurrent();
        const env = { TEMPORAL_ADDRESS: server.address, ABILITY_STORE: writable[1] as string };
        const run = ['run', 'util.who', '--env', 'prod', '--timeout', '20s'];
        const { json } = await abilityJson(run, { cwd: project.root, env });
        expect(json).toMatchObject({ status: 'succeeded', output: { done: true } });
        worker.kill('SIGTERM');
        await worker;
        project.remove();
      },
      120_000,
    );

    /** Runs the script of the hook with the CLI of Temporal that users of the runtime have. */
    async function setCurrent(): Promise<void> {
      const { command = [], env } = named('Job', 'set-current');
      const { path } = await obtainTemporal(() => {});
      const temporal = join(path, '..');
      const variables = settings({ env } as Container, '');
      await expect
        .poll(
          () =>
            spawnSync(command[0] as string, command.slice(1), {
              env: { ...variables, PATH: `${temporal}:${process.env.PATH}`, HOME: folder },
              encoding: 'utf8',
            }).status,
          { timeout: 30_000 },
        )
        .toBe(0);
    }

    test('a door answers its probe under its host alone', async () => {
      const project = makeProject({ 'ability.yaml': projectFile('{ dev: {} }') });
      const container = named('Deployment', 'door');
      const options = { cwd: project.root, env: settings(container, join(folder, 'door-store')) };
      await abilityJson(['token', 'create', '--person', 'ada', '--can', 'read'], options);
      const port = String(await closedPort());
      const door = start(
        container.args.map((arg) => arg.replace('7230', port)),
        options,
      );
      const { path, httpHeaders = [] } = container.readinessProbe.httpGet;
      const probe = (headers: Record<string, string>) =>
        new Promise<number>((resolve) => {
          request({ host: '127.0.0.1', port, path, headers }, ({ statusCode = 0 }) => resolve(statusCode))
            .on('error', () => resolve(0))
            .end();
        });
      const sent = Object.fromEntries(httpHeaders.map(({ name, value }) => [name, value]));
      await expect.poll(() => probe(sent), { timeout: 20_000 }).toBe(200);
      expect(await probe({ Host: '10.1.2.3:7230' })).toBe(421);
      door.kill('SIGTERM');
      await door;
      project.remove();
    }, 60_000);
  });

  test('docker-compose.yml is read by the library of Docker Compose', () => {
    const file = join(ROOT, 'docker-compose.yml');
    const compose = () =>
      spawnSync(tools.strict, ['compose', file], {
        encoding: 'utf8',
        env: { ...process.env, ABILITY_SEAL_KEYS: KEYS },
      });
    expect(compose()).toMatchObject({ status: 0, stderr: '' });
    expect(compose().stdout.trim().split('\n').sort()).toEqual([
      'namespace',
      'postgresql',
      'schema',
      'serve',
      'temporal',
      'ui',
      'worker',
    ]);
    expect(readFileSync(file, 'utf8')).toMatch(/read_only: true/);
  });
});
