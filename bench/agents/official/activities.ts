/** What the tools of the official agents do: they call the same service as the product's. */
import { Agent, request } from 'undici';

const dispatcher = new Agent();

async function post(path: string, body: object): Promise<object> {
  const answer = await request(`${process.env['BENCH_SERVICE_URL']}${path}`, {
    method: 'POST',
    dispatcher,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return (await answer.body.json()) as object;
}

export async function lookup(input: { n: number }): Promise<object> {
  return post('/lookup', input);
}

export async function pay(input: { amount: number }): Promise<object> {
  return post('/pay', input);
}
