import { existsSync, lstatSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { isOwnSocket, listenPrivately, type OwnSocket } from '../../../../src/server/runtime/runtime-socket.js';

let system: string;
let root: string;
const opened: { server: Server; socket: OwnSocket | undefined }[] = [];

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'sock-'));
  system = root;
});
afterEach(() => {
  for (const { server, socket } of opened.splice(0)) {
    socket?.remove();
    server.close();
  }
  rmSync(root, { recursive: true, force: true });
});

/** A server that answers with its name. */
async function open(name: string, earlier?: string): Promise<OwnSocket | undefined> {
  const server = createServer((socket) => socket.end(name));
  const socket = await listenPrivately(server, { system }, earlier);
  opened.push({ server, socket });
  return socket;
}

/** The answer of the server behind a path; undefined if none listens. */
function ask(path: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect(path);
    let text = '';
    socket.on('data', (piece) => {
      text += piece;
    });
    socket.on('end', () => resolve(text)).on('error', () => resolve(undefined));
  });
}

const inProject = (): string => join(system, 'runtime.sock');
const modeOf = (path: string): number => lstatSync(path).mode & 0o777;

/** The socket is in a folder of its own, which no one else can enter. */
function expectApart(socket: OwnSocket | undefined): void {
  expect(dirname(socket?.path as string)).not.toBe(system);
  expect(modeOf(dirname(socket?.path as string))).toBe(0o700);
  expect(isOwnSocket(socket?.path as string)).toBe(true);
}

describe('the socket of a runtime', () => {
  test('is in .system, only for its user, and leaves nothing else there', async () => {
    const socket = await open('one');
    expect(socket?.path).toBe(inProject());
    expect([modeOf(inProject()), isOwnSocket(inProject())]).toEqual([0o600, true]);
    expect(await ask(inProject())).toBe('one');
    socket?.remove();
    expect(existsSync(inProject())).toBe(false);
    expect(lstatSync(system).isDirectory()).toBe(true);
  });

  test('replaces that of a runtime that is gone, which no longer removes it', async () => {
    const first = await open('one');
    const second = await open('two', first?.path);
    expect(second?.path).toBe(inProject());
    expect(await ask(inProject())).toBe('two');
    first?.remove();
    expect(await ask(inProject())).toBe('two');
  });

  test.each([
    ['a file', (path: string) => writeFileSync(path, 'mine')],
    ['a folder', (path: string) => mkdirSync(path)],
    ['a link to a file', (path: string) => symlinkSync('/etc/hostname', path)],
    ['a link to nothing', (path: string) => symlinkSync(join(root, 'gone'), path)],
  ])('is in a separate folder if %s is in its place, which stays unchanged', async (_, put) => {
    put(inProject());
    const before = lstatSync(inProject());
    const socket = await open('apart');
    expectApart(socket);
    expect(await ask(socket?.path as string)).toBe('apart');
    expect(lstatSync(inProject()).ino).toBe(before.ino);
    expect(isOwnSocket(inProject())).toBe(false);
    const folder = dirname(socket?.path as string);
    socket?.remove();
    expect(existsSync(folder)).toBe(false);
  });

  test('is in a separate folder if its path would be too long', async () => {
    system = join(root, 'x'.repeat(100));
    mkdirSync(system);
    const socket = await open('apart');
    expectApart(socket);
    // The next runtime removes what a killed runtime left there.
    const next = await open('next', socket?.path);
    expect(existsSync(dirname(socket?.path as string))).toBe(false);
    expect(await ask(next?.path as string)).toBe('next');
  });

  test('is in a separate folder if its own folder cannot contain it', async () => {
    system = join(root, 'missing');
    expectApart(await open('apart'));
  });

  test('does not remove an earlier file that no runtime creates', async () => {
    const file = join(mkdtempSync(join(root, 'ability-')), 'runtime.sock');
    writeFileSync(file, 'mine');
    await open('one', file);
    expect(existsSync(file)).toBe(true);
  });
});

describe('a socket that may be trusted', () => {
  test('is not a link, and lets no other user in', async () => {
    await open('one');
    const link = join(root, 'link.sock');
    symlinkSync(inProject(), link);
    expect(isOwnSocket(link)).toBe(false);
    expect(isOwnSocket(join(root, 'none'))).toBe(false);
    const { chmodSync } = await import('node:fs');
    chmodSync(inProject(), 0o666);
    expect(isOwnSocket(inProject())).toBe(false);
  });
});
