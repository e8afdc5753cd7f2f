import { afterEach, describe, expect, test } from 'vitest';
import {
  type ChildServer,
  ChildTransport,
  MessageLines,
  MessageTooLarge,
} from '../../../../../src/kinds/mcp/call/child-transport.js';

const opened: ChildTransport[] = [];
afterEach(async () => {
  for (const transport of opened.splice(0)) await transport.close();
});

/** A transport to a shell program, not yet started, and what it receives. */
function over(script: string, more: Partial<ChildServer> = {}) {
  const server = {
    command: 'sh',
    args: ['-c', script],
    cwd: '/',
    env: { PATH: process.env.PATH ?? '' },
    maxBytes: 1000,
    patienceMs: 20_000,
  };
  const transport = new ChildTransport({ ...server, ...more });
  opened.push(transport);
  const seen = { messages: [] as unknown[], errors: [] as Error[] };
  const closed = new Promise<void>((resolve) => {
    transport.onclose = resolve;
  });
  transport.onmessage = (message) => void seen.messages.push(message);
  transport.onerror = (error) => void seen.errors.push(error);
  return { transport, seen, closed };
}

const ping = (id: number, more: object = {}) => ({ jsonrpc: '2.0', id, method: 'ping', ...more }) as const;
const written = (...messages: object[]) => messages.map((each) => `echo '${JSON.stringify(each)}'`).join('; ');
/** Whether a process runs. */
const isRunning = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

describe('a server that runs as a process', () => {
  test('receives each message as a line of JSON, and its lines are messages', async () => {
    const { transport, seen } = over('cat');
    await transport.start();
    await transport.send(ping(1));
    await transport.send(ping(2, { params: { a: 'x\ny' } }));
    await expect.poll(() => seen.messages).toEqual([ping(1), ping(2, { params: { a: 'x\ny' } })]);
    expect(seen.errors).toEqual([]);
  });

  test('may write null where a member is absent, in lines that are messages', async () => {
    const { transport, seen } = over(written({ jsonrpc: '2.0', id: 1, result: { isError: null }, error: null }));
    await transport.start();
    await expect.poll(() => seen.messages).toEqual([{ jsonrpc: '2.0', id: 1, result: {} }]);
    expect(seen.errors).toEqual([]);
  });

  test('has its folder and its variables, and inherits nothing else', async () => {
    const { transport, seen, closed } = over(`echo '{"jsonrpc":"2.0","id":1,"method":"'"$PWD $MODE [$HOME]"'"}'`, {
      env: { MODE: 'on' },
    });
    await transport.start();
    await closed;
    expect(seen.messages).toMatchObject([{ method: '/ on []' }]);
  });

  test('receives a message that is larger than its pipe as fast as it reads', async () => {
    const { transport, seen } = over('cat', { maxBytes: 2_000_000 });
    await transport.start();
    const large = ping(1, { params: { text: 'x'.repeat(1_000_000) } });
    await transport.send(large);
    await expect.poll(() => seen.messages.length).toBe(1);
    expect(seen.messages).toEqual([large]);
  });

  test('that does not read delays the next message only until it ends', async () => {
    const { transport } = over('exec sleep 60', { patienceMs: 50 });
    await transport.start();
    let isSent = false;
    const large = ping(1, { params: { text: 'x'.repeat(1_000_000) } });
    // Whether it fails depends on what is noticed first.
    const sending = transport
      .send(large)
      .catch(() => {})
      .finally(() => {
        isSent = true;
      });
    await new Promise(setImmediate);
    expect(isSent).toBe(false);
    await transport.close();
    await sending;
  });

  test('reports its end, after which no message can be sent', async () => {
    const { transport, closed } = over(written(ping(1)));
    await transport.start();
    expect(transport.pid).toBeGreaterThan(0);
    await closed;
    expect(transport.pid).toBeNull();
    await expect(transport.send(ping(1))).rejects.toMatchObject({ code: 'NOT_CONNECTED' });
  });

  test('that cannot be started is a failure of the start', async () => {
    const { transport, seen } = over('', { command: '/nowhere/program' });
    await expect(transport.start()).rejects.toMatchObject({ code: 'ENOENT' });
    expect(seen.errors).toHaveLength(1);
  });

  test('has its stderr passed on from the first byte', async () => {
    const { transport, closed } = over('echo early >&2');
    const pieces: Buffer[] = [];
    transport.stderr.on('data', (piece: Buffer) => pieces.push(piece));
    await transport.start();
    await closed;
    expect(Buffer.concat(pieces).toString()).toBe('early\n');
  });
});

describe('what a server prints', () => {
  test('between its messages is ignored', async () => {
    const { transport, seen, closed } = over(
      `echo starting; ${written(ping(1))}; echo; echo '{ broken'; ${written(ping(2))}`,
    );
    await transport.start();
    await closed;
    expect(seen).toEqual({ messages: [ping(1), ping(2)], errors: [] });
  });

  test('as JSON that is no message is an error, and the connection continues', async () => {
    const { transport, seen, closed } = over(`echo '{"jsonrpc":"1.0"}'; ${written(ping(2))}`);
    await transport.start();
    await closed;
    expect(seen.messages).toEqual([ping(2)]);
    expect(seen.errors).toHaveLength(1);
  });

  test('as a line that does not end is an error, and ends the server', async () => {
    const { transport, seen, closed } = over(`printf '%2000s' x; cat`);
    await transport.start();
    await closed;
    expect(seen.errors).toEqual([expect.any(MessageTooLarge)]);
    expect(seen.messages).toEqual([]);
  });
});

describe('a server that is closed', () => {
  /** Starts a program, waits for its first message and closes it. @returns how it ended. */
  async function closing(script: string, patienceMs: number) {
    const { transport, seen } = over(`${script}`, { patienceMs });
    const first = new Promise<void>((resolve) => {
      transport.onmessage = () => resolve();
    });
    await transport.start();
    await first;
    const pid = transport.pid ?? 0;
    await transport.close();
    return { pid, seen };
  }

  test('ends by itself when its stdin closes', async () => {
    const { pid } = await closing(`${written(ping(1))}; exec cat`, 20_000);
    expect(isRunning(pid)).toBe(false);
  });

  test('is terminated if it does not end by itself', async () => {
    const { pid } = await closing(`${written(ping(1))}; exec sleep 60`, 50);
    await expect.poll(() => isRunning(pid)).toBe(false);
  });

  test('is killed if it ignores that', async () => {
    const { pid } = await closing(`trap '' TERM; ${written(ping(1))}; exec sleep 60`, 50);
    await expect.poll(() => isRunning(pid)).toBe(false);
  });

  test('accepts no further message', async () => {
    const { transport } = over('cat');
    await transport.start();
    await transport.close();
    await expect(transport.send(ping(1))).rejects.toMatchObject({ code: 'NOT_CONNECTED' });
  });

  test('may be closed twice, and before it starts', async () => {
    const { transport } = over('cat');
    await transport.close();
    await transport.start();
    await transport.close();
    await transport.close();
  });
});

describe('lines', () => {
  const linesOf = (most: number, ...pieces: string[]) => {
    const lines = new MessageLines(most);
    return pieces.flatMap((piece) => [...lines.add(Buffer.from(piece))].map(String));
  };

  test.each<[string[], string[]]>([
    [['a\nb\n'], ['a', 'b']],
    [
      ['a', 'b\nc', '\n'],
      ['ab', 'c'],
    ],
    [['\n\n'], ['', '']],
    [['a'], []],
  ])('of %j are %j', (pieces, lines) => {
    expect(linesOf(10, ...pieces)).toEqual(lines);
  });

  test('may each have a limited number of bytes, and no more', () => {
    expect(linesOf(3, 'abc\n', 'ab', 'c\n')).toEqual(['abc', 'abc']);
    expect(() => linesOf(3, 'ab', 'cd')).toThrow(MessageTooLarge);
    expect(() => linesOf(3, 'abcd\n')).toThrow(MessageTooLarge);
  });

  test('start afresh after one that is too large, and after they are cleared', () => {
    const lines = new MessageLines(3);
    expect(() => [...lines.add(Buffer.from('abcd'))]).toThrow(MessageTooLarge);
    expect([...lines.add(Buffer.from('e\nab'))].map(String)).toEqual(['e']);
    lines.clear();
    expect([...lines.add(Buffer.from('xyz\n'))].map(String)).toEqual(['xyz']);
  });
});
