import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { SecretReader } from '../../src/activities/secrets/secret-reader.js';
import type { AuditLine } from '../../src/contracts/audit.js';
import { loadRegistry } from '../../src/definitions/load-registry.js';
import { SecretSource } from '../../src/planning/secrets/secret-source.js';
import { AuditLog } from '../../src/server/audit/audit-log.js';
import { FolderStore } from '../../src/server/store/folder-store.js';
import { AuditSender } from '../../src/worker/audit-sender.js';
import { LONG } from '../fixtures/extent.js';
import { makeProject, type ProjectFolder } from '../fixtures/project-folder.js';

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const DEFINITION = (more: string) =>
  `format: 1\nproject: acme\nenvironments: { dev: {} }\naudit: { to: env:TO, secret: env:SIGN }\n${more}`;

interface Received {
  id: string;
  type: string;
  subject: string;
  data: AuditLine;
}
let project: ProjectFolder;
let server: Server;
let store: FolderStore;
let log: AuditLog;
let received: Received[];
/** Statuses of the next answers; then 200. */
let answers: number[];
const senders: AuditSender[] = [];

beforeEach(async () => {
  [received, answers] = [[], []];
  server = createServer(async (request, response) => {
    const body = await text(request);
    const status = answers.shift() ?? 200;
    const { headers } = request;
    expect(headers['content-type']).toBe('application/cloudevents+json');
    expect(() => new Webhook(SECRET).verify(body, headers as Record<string, string>)).not.toThrow();
    if (status === 200) received.push(JSON.parse(body) as Received);
    response.writeHead(status).end();
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  project = makeProject({
    'ability.yaml': DEFINITION(''),
    '.env': `TO=http://127.0.0.1:${port}/audit\nSIGN=${SECRET}\n`,
  });
  const folder = mkdtempSync(join(tmpdir(), 'ability-test-audit-'));
  store = new FolderStore(folder);
  log = new AuditLog(store, 'acme');
});
afterEach(async () => {
  await Promise.all(senders.splice(0).map((sender) => sender.close()));
  await new Promise((done) => server.close(done));
  rmSync(store.folder, { recursive: true, force: true });
  project.remove();
});

const append = (n: number) =>
  log.append({ kind: 'decision', event: `run/${n}`, time: '2026-11-30T00:00:00.000Z', task: `t-${n}` });
function send(): AuditSender {
  const secrets = (environment: string): SecretReader => ({
    read: async () => new SecretSource(project.root, environment),
    recall: async () => {},
    valuesOf: () => [],
  });
  const sender = new AuditSender(store, 'acme', () => loadRegistry(project.root), secrets);
  senders.push(sender);
  sender.start();
  return sender;
}
const seqs = () => received.map(({ data }) => data.seq);

test('lines are sent as signed CloudEvents, in order, by one of several workers', async () => {
  await Promise.all([1, 2].map(append));
  await append(3);
  for (const _ of [1, 2, 3]) send();
  await expect.poll(() => received.length, { timeout: 10_000 }).toBe(3);
  await append(4);
  await expect.poll(seqs, { timeout: 10_000 }).toEqual([1, 2, 3, 4]);
  expect(received[3]).toMatchObject({
    id: 'acme:4',
    type: 'ability.audit.decision',
    subject: 't-4',
    data: { project: 'acme' },
  });
});

test('a receiver that is down, and a worker that ends, lose no line', LONG, async () => {
  answers = [200, 503, 503];
  for (const n of [1, 2, 3]) await append(n);
  const first = send();
  await expect.poll(() => answers.length, { timeout: 20_000 }).toBe(0);
  await first.close();
  // Its lease is over by the clock of who goes on.
  const sent = JSON.parse(Buffer.from((await store.getNamed('audit-sent/acme')) ?? '').toString()) as {
    object: number;
  };
  expect(sent.object).toBe(1);
  await store.putNamed('audit-sent/acme', Buffer.from(JSON.stringify({ ...sent, until: 0 })));
  send();
  await expect.poll(seqs, { timeout: 20_000 }).toEqual([1, 2, 3]);
});

test('nothing is sent to a host that the policy forbids', async () => {
  project.write({ 'ability.yaml': DEFINITION('policy: { allowed_hosts: [elsewhere.test] }') });
  await append(1);
  send();
  await expect.poll(async () => store.getNamed('audit-sent/acme'), { timeout: 10_000 }).toBeDefined();
  await new Promise((done) => setTimeout(done, 1000));
  expect(received).toEqual([]);
});
