/** A source that is read once for all its listeners: everything so far, and the listeners that wait for more. */
interface Feed<T> {
  readonly read: (ending: AbortSignal) => AsyncIterable<T>;
  readonly items: T[];
  readonly ending: AbortController;
  /** Called once at the next item, or at the end. */
  readonly waiting: Set<() => void>;
  listeners: number;
  ended: boolean;
  error?: unknown;
  /** Takes it out of those that others may join. */
  forget(): void;
}

/** Where a feed is found by those who ask for the same one: feeds end with their listeners, and not with their owner. */
export interface Shared<T> {
  owner: object;
  name: string;
  /** Begins when the first listener does, and is ended when the last one leaves. */
  read: Feed<T>['read'];
}

const feeds = new WeakMap<object, Map<string, Feed<never>>>();

/**
 * Everything from the beginning of a source, for each listener at its own pace, while the source is read once for all.
 *
 * @param wants which items the listener gets.
 * @param signal ends the listening.
 * @throws the error of reading the source, to each listener.
 */
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
