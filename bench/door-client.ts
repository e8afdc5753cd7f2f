/** A caller of the door as programs are: one connection for each request in flight, kept. */
import { Agent, type IncomingMessage, request } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import type { JsonObject } from '../src/contracts/json.js';

/** One stream of events. */
export interface Listening {
  /** Resolves with the first event. */
  first: Promise<void>;
  /** Resolves with the moment of the last event, in milliseconds of `performance.now`. */
  ended: Promise<number>;
}

/** Asks one door. */
export class DoorClient {
  private readonly agent = new Agent({ keepAlive: true });

  constructor(private readonly url: string) {}

  /** Asks again where the door takes no more a second. @throws Error for any other failure. */
  async ask(method: 'GET' | 'POST', path: string, body?: JsonObject): Promise<{ status: number; body: JsonObject }> {
    for (;;) {
      const response = await this.send(method, path, body);
      const text = await textOf(response);
      const status = response.statusCode ?? 0;
      if (status < 300) return { status, body: JSON.parse(text) as JsonObject };
      if (status !== 429) throw new Error(`${method} ${path} answered ${status}: ${text}`);
      await wait(Number(response.headers['retry-after'] ?? 1) * 1000);
    }
  }

  /** Listens to a task until its end. */
  listen(key: string): Listening {
    let heard = (): void => {};
    const first = new Promise<void>((resolve) => {
      heard = resolve;
    });
    const ended = this.follow(`/v1/tasks/${key}/events`, heard);
    return { first: Promise.race([first, ended.then(() => undefined)]), ended };
  }

  close(): void {
    this.agent.destroy();
  }

  private async follow(path: string, heard: () => void): Promise<number> {
    for (;;) {
      const response = await this.send('GET', path, undefined);
      if (response.statusCode === 429) {
        response.resume();
        await wait(1000);
        continue;
      }
      if (response.statusCode !== 200) throw new Error(`GET ${path} answered ${response.statusCode}`);
      let last = '';
      let at = 0;
      for await (const chunk of response.setEncoding('utf8') as AsyncIterable<string>) {
        heard();
        last = (last + chunk).slice(-4096);
        if (last.includes('event: task.ended') && at === 0) at = performance.now();
      }
      if (at === 0) throw new Error(`${path} ended without the end of the task`);
      return at;
    }
  }

  private send(method: string, path: string, body: JsonObject | undefined): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const sent = request(
        `${this.url}${path}`,
        { method, agent: this.agent, ...(body && { headers: { 'content-type': 'application/json' } }) },
        resolve,
      );
      sent.on('error', reject);
      sent.end(body && JSON.stringify(body));
    });
  }
}

async function textOf(response: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of response.setEncoding('utf8') as AsyncIterable<string>) text += chunk;
  return text;
}
