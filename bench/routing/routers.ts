/** What becomes of a request, by rules and by models on a loopback endpoint, on the way that the product takes. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { decideInPool } from '../../src/choosing/decide/decide-in-project.js';
import { focusOf } from '../../src/choosing/decide/focus.js';
import { modelRouter } from '../../src/choosing/decide/model-router.js';
import type { Effect } from '../../src/contracts/effects.js';
import type { ToolTarget } from '../../src/contracts/routing.js';
import { poolFor } from './contenders.js';
import { halfOf } from './evaluate.js';
import { meanOf, ndcgAt, quantile } from './measures.js';
import type { Query, RoutingSet, Tool } from './read-sets.js';

/** What a router did with the requests of a set; shares of those that a tool is for, but `abstained`. */
export interface RouterFigures {
  router: string;
  set: string;
  requests: number;
  /** The model was shown a right tool; of rules, it was suggested. */
  shown: number;
  /** NDCG@5 of the chosen tool, followed by the suggestions. */
  ndcg: number;
  right: number;
  wrong: number;
  /** A question to the person. */
  asked: number;
  /** Of the requests that no tool is for, the share where none was called. */
  abstained: number;
  p50: number;
  p95: number;
}

/** Chooses among what it is shown, in its order; undefined: asks the person. */
type Choice = (shown: readonly string[], gold: readonly string[]) => string | undefined;

/** The first is the upper bound: what it gets wrong, the shortlist or the limits have kept from it. */
const MODELS: Record<string, Choice> = {
  'model that knows': (shown, gold) => shown.find((id) => gold.includes(id)),
  'model that takes the first': ([first]) => first,
};

/** About so many requests of a set are decided. */
const MOST = 2000;
const SERVER = 'set';

/** Decides about requests as if all tools had these effects. */
export async function measureRouters(sets: readonly RoutingSet[], effects: Effect): Promise<RouterFigures[]> {
  const figures: RouterFigures[] = [];
  for (const set of sets) {
    figures.push(await measure(set, effects, 'rules', undefined));
    for (const [name, choice] of Object.entries(MODELS)) figures.push(await measure(set, effects, name, choice));
  }
  return figures;
}

export function tableOfRouters(figures: readonly RouterFigures[]): string {
  const names = [...new Set(figures.map(({ router }) => router))];
  const measures = ['shown', 'ndcg', 'right', 'wrong', 'asked', 'abstained', 'p50', 'p95'] as const;
  const means = names.map((router): RouterFigures => {
    const own = figures.filter((one) => one.router === router);
    const mean = (measure: (typeof measures)[number]): number => {
      return meanOf(own.map((one) => one[measure]).filter((value) => !Number.isNaN(value)));
    };
    const values = Object.fromEntries(measures.map((measure) => [measure, mean(measure)]));
    const requests = own.reduce((sum, one) => sum + one.requests, 0);
    return { router, set: '**mean of sets**', requests, ...values } as RouterFigures;
  });
  const header = [
    'Set',
    'Router',
    'Requests',
    'shown',
    'NDCG@5',
    'right',
    'wrong',
    'asked',
    'abstained',
    'p50 ms',
    'p95 ms',
  ];
  const rows = [...figures, ...means].map(({ set, router, requests, ...shares }) => {
    return [
      set,
      router,
      String(requests),
      ...measures.map((one) => (Number.isNaN(shares[one]) ? '' : shares[one].toFixed(3))),
    ];
  });
  return [header, header.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

async function measure(
  set: RoutingSet,
  effects: Effect,
  router: string,
  choice: Choice | undefined,
): Promise<RouterFigures> {
  const all = set.queries.filter((query) => halfOf(query) === 'report');
  const every = Math.max(1, Math.ceil(all.length / MOST));
  const model = choice && (await openModel(choice));
  const [shown, ndcg, right, wrong, asked, abstained, times]: number[][] = [[], [], [], [], [], [], []];
  for (const query of all.filter((_, at) => at % every === 0)) {
    const start = performance.now();
    const { target, decision, suggested } = await decided(set, query, effects, model);
    times?.push(performance.now() - start);
    const { gold } = query;
    if (gold.length === 0) abstained?.push(target === undefined ? 1 : 0);
    else {
      const isRight = target !== undefined && gold.includes(target);
      const seen = model ? model.shown() : suggested;
      const ids = target === undefined ? suggested : [target, ...suggested.filter((id) => id !== target)];
      shown?.push(seen.some((id) => gold.includes(id)) ? 1 : 0);
      ndcg?.push(ndcgAt(5, ids, gold));
      right?.push(isRight ? 1 : 0);
      wrong?.push(target !== undefined && !isRight ? 1 : 0);
      asked?.push(decision === 'clarify' ? 1 : 0);
    }
  }
  await model?.close();
  const mean = (values: number[] | undefined): number => meanOf(values ?? []);
  const shares = { shown: mean(shown), ndcg: mean(ndcg), right: mean(right), wrong: mean(wrong), asked: mean(asked) };
  const took = { p50: quantile(times ?? [], 0.5), p95: quantile(times ?? [], 0.95) };
  return { router, set: set.name, requests: times?.length ?? 0, ...shares, abstained: mean(abstained), ...took };
}

const pools = new WeakMap<object, ReturnType<typeof poolFor>>();

/** A request with candidates is one to a project of these alone. */
function placeOf(
  { tools, queries }: RoutingSet,
  query: Query,
): { among: readonly Tool[]; pool: ReturnType<typeof poolFor> } {
  const among = query.candidates ? tools.filter(({ id }) => query.candidates?.includes(id)) : tools;
  const key = query.candidates ? query : queries;
  const pool = pools.get(key) ?? poolFor(among);
  pools.set(key, pool);
  return { among, pool };
}

async function decided(set: RoutingSet, query: Query, effects: Effect, model: LoopbackModel | undefined) {
  const { among, pool } = placeOf(set, query);
  const tools = among.map(({ id, description }): ToolTarget => {
    return { extensionId: SERVER, capabilityId: id, abilityId: id, summary: description, effects, available: true };
  });
  const message = { id: 'm-1', role: 'user', text: query.text, at: new Date().toISOString() } as const;
  const focus = focusOf({ key: 'bench', messages: [message], pending: null, now: Date.now() });
  model?.expect(query.gold);
  const given = { focus, targets: { tools, workflows: [], agents: [] }, check: () => {} };
  const { decision, target } = await decideInPool(pool, { ...given, ...(model && { router: model.router }) });
  const { ranked } = await pool.ranker.rank({ text: query.text, limit: 5 });
  const called = target && 'capabilityId' in target ? target.capabilityId : undefined;
  return { decision, target: called, suggested: ranked.map(({ id }) => id) };
}

interface LoopbackModel {
  router: ReturnType<typeof modelRouter>;
  /** The right tools of the next request. */
  expect(gold: readonly string[]): void;
  /** What the last request showed; nothing if the model was not asked. */
  shown(): readonly string[];
  close(): Promise<unknown>;
}

/** An OpenAI-compatible endpoint on this machine. */
async function openModel(choose: Choice): Promise<LoopbackModel> {
  let gold: readonly string[] = [];
  let shown: readonly string[] = [];
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    const { messages } = JSON.parse(Buffer.concat(parts).toString('utf8')) as { messages: { content: string }[] };
    const { tools } = JSON.parse(messages[1]?.content ?? '') as { tools: { capabilityId: string }[] };
    shown = tools.map(({ capabilityId }) => capabilityId);
    const chosen = choose(shown, gold);
    const decision = chosen === undefined ? 'clarify' : 'tool';
    const target = chosen === undefined ? null : { extensionId: SERVER, capabilityId: chosen };
    const references = { refersTo: 'focus_anchor', refersToReason: 'it is asked' };
    const content = JSON.stringify({ decision, target, confidence: 0.9, rationale: 'it fits', references });
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ choices: [{ message: { role: 'assistant', content }, finish_reason: 'stop' }] }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const url = new URL(`http://127.0.0.1:${port}/v1`);
  return {
    router: modelRouter({ url, allowed: [`127.0.0.1:${port}`], model: 'loopback', timeoutMs: 10_000 }),
    expect(next) {
      [gold, shown] = [next, []];
    },
    shown: () => shown,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}
