/**
 * Lets many connections share a database that has only one session, one at a time.
 *
 * The embedded engine runs the messages of all its connections through one session as they come. A query with
 * parameters is five messages; those of two clients would mix, and one would run the other's statement. So each client
 * gets its turn with its first message and keeps it until the engine is idle again, transactions included.
 */
import { connect, createServer } from 'node:net';

/** ReadyForQuery, outside a transaction: how every answer ends that leaves nothing open. */
const IDLE = Buffer.from([0x5a, 0, 0, 0, 5, 0x49]);

/**
 * Listens on a free loopback port, and passes on what clients send to the port given, by turns.
 *
 * Clients must wait for each answer before they send the next query, as drivers do by default.
 *
 * @param {number} port
 * @returns {Promise<{ port: number, stop(): void }>}
 */
export async function takeTurns(port) {
  let last = Promise.resolve();
  const sockets = new Set();
  /** Resolves, when it is this caller's turn, to what ends the turn. */
  const nextTurn = () => {
    const before = last;
    let end;
    last = new Promise((resolve) => {
      end = resolve;
    });
    return before.then(() => end);
  };
  const server = createServer((client) => {
    const engine = connect(port, '127.0.0.1');
    for (const socket of [client, engine]) sockets.add(socket.setNoDelay(true));
    serveByTurns(client, engine, nextTurn);
  });
  await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    port: server.address().port,
    stop() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

function serveByTurns(client, engine, nextTurn) {
  let endTurn;
  let tail = Buffer.alloc(0);
  const finishTurn = () => {
    endTurn?.();
    endTurn = undefined;
  };
  client.on('data', async (chunk) => {
    if (!endTurn) {
      client.pause();
      endTurn = await nextTurn();
      client.resume();
    }
    if (client.destroyed) finishTurn();
    else engine.write(chunk);
  });
  engine.on('data', (chunk) => {
    client.write(chunk);
    tail = Buffer.concat([tail, chunk]).subarray(-IDLE.length);
    if (tail.equals(IDLE)) finishTurn();
  });
  for (const [one, other] of [
    [client, engine],
    [engine, client],
  ]) {
    one.on('error', () => {});
    one.on('close', () => {
      other.destroy();
      finishTurn();
    });
  }
}
