/** A source that is read once for all its listeners: everything so far, and the listeners that wait for more. */
interface Feed<T> {
  readonly read: (ending: AbortSignal) => AsyncIterable<T>;
  readonly items: T[];
  readonly ending: AbortController;
  /** Each is called once, with the next item or at the end. */
  readonly waiting: Set<() => void>;
  listeners: number;
  ended: boolean;
  error?: unknown;
  /** Excludes new listeners from this feed. */
  forget(): void;
}

/** Identifies a feed by owner and name. It ends with its listeners, not with its owner. */
export interface Shared<T> {
  owner: object;
  name: string;
  /** Starts with the first listener; aborted after the last one leaves. */
  read: Feed<T>['read'];
}

const feeds = new WeakMap<object, Map<string, Feed<never>>>();

/** All items from the start, for each listener at its own pace. @throws errors of the source, to each. */
export async function* listenTo<T>(
  shared: Shared<T>,
  wants: (item: T) => boolean,
  signal: AbortSignal,
): AsyncGenerator<T, void> {
  const feed = join(shared);
  try {
    for (let at = 0; !signal.aborted; ) {
      while (at < feed.items.length && !signal.aborted) {
        const item = feed.items[at++] as T;
        if (wants(item)) yield item;
      }
      if (at < feed.items.length) continue;
      if (feed.ended) {
        if (feed.error !== undefined) throw feed.error;
        return;
      }
      await news(feed, signal);
    }
  } finally {
    leave(feed);
  }
}

function join<T>({ owner, name, read }: Shared<T>): Feed<T> {
  const named = feeds.get(owner) ?? new Map<string, Feed<never>>();
  feeds.set(owner, named);
  const known = named.get(name) as Feed<T> | undefined;
  if (known) {
    known.listeners += 1;
    return known;
  }
  const feed: Feed<T> = {
    read,
    items: [],
    ending: new AbortController(),
    waiting: new Set(),
    listeners: 1,
    ended: false,
    forget: () => {
      if (named.get(name) === (feed as unknown)) named.delete(name);
    },
  };
  named.set(name, feed as unknown as Feed<never>);
  void fill(feed);
  return feed;
}

function leave<T>(feed: Feed<T>): void {
  feed.listeners -= 1;
  if (feed.listeners > 0) return;
  feed.forget();
  feed.ending.abort();
}

async function fill<T>(feed: Feed<T>): Promise<void> {
  try {
    for await (const item of feed.read(feed.ending.signal)) {
      feed.items.push(item);
      wake(feed);
    }
  } catch (error) {
    feed.error = error;
  }
  feed.ended = true;
  feed.forget();
  wake(feed);
}

function wake<T>({ waiting }: Feed<T>): void {
  const all = [...waiting];
  waiting.clear();
  for (const call of all) call();
}

function news<T>({ waiting }: Feed<T>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      signal.removeEventListener('abort', end);
      waiting.delete(end);
      resolve();
    };
    waiting.add(end);
    signal.addEventListener('abort', end);
    if (signal.aborted) end();
  });
}
