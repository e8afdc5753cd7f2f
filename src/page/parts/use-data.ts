import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Refusal } from '../call.js';

/** What a view reads: the data, or why there is none. */
export interface Data<T> {
  data: T | undefined;
  refusal: Refusal | undefined;
  /** Reads once more, at once. */
  again(): void;
}

/** Reads what a view shows, and again every so often while the tab is seen. @param key what it depends on. */
export function useData<T>(key: string, read: () => Promise<T>, everyMs?: number): Data<T> {
  const [state, setState] = useState<{ key: string; data?: T; refusal?: Refusal }>({ key });
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    let isOver = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = async (): Promise<void> => {
      try {
        const data = await read();
        if (!isOver) setState({ key, data });
      } catch (error) {
        const refusal =
          error instanceof Refusal ? error : new Refusal({ code: 'internal.error', message: String(error) });
        // What was read stays on the screen while the door is out of reach.
        if (!isOver) setState((before) => ({ ...(before.key === key ? before : { key }), refusal }));
      }
      if (!isOver && everyMs !== undefined) timer = setTimeout(() => void wait(), everyMs);
    };
    const wait = (): Promise<void> | void => {
      if (!document.hidden) return look();
      document.addEventListener('visibilitychange', () => !isOver && void look(), { once: true });
    };
    void look();
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [key, turn]);
  const isCurrent = state.key === key;
  return {
    data: isCurrent ? state.data : undefined,
    refusal: isCurrent ? state.refusal : undefined,
    again: () => setTurn((before) => before + 1),
  };
}

/** Carries out what a person asks for, and keeps why the last of it was refused. @returns the refusal, and what to act with. */
export function useAction(): [Refusal | undefined, (action: () => Promise<unknown>) => Promise<void>] {
  const [refusal, setRefusal] = useState<Refusal>();
  const act = async (action: () => Promise<unknown>): Promise<void> => {
    setRefusal(undefined);
    try {
      await action();
    } catch (error) {
      setRefusal(error as Refusal);
    }
  };
  return [refusal, act];
}

/** Whether an element was on the screen: what costs much is read only then. @returns a reference to set on it. */
export function useSeen<T extends Element>(): [RefObject<T | null>, boolean] {
  const element = useRef<T>(null);
  const [isSeen, setSeen] = useState(false);
  useEffect(() => {
    const observer = new IntersectionObserver((entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      setSeen(true);
      observer.disconnect();
    });
    if (element.current) observer.observe(element.current);
    return () => observer.disconnect();
  }, []);
  return [element, isSeen];
}
