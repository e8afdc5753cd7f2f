import { effect, signal } from '@preact/signals';

/** Who the person is to the door, as `GET /v1/me` says. */
export interface Me {
  person: string;
  agent: string | null;
  rights: ('read' | 'run' | 'approve')[];
  groups: string[];
  signed_in: boolean;
  project: string;
  environments: string[];
  environment: string | null;
  temporal_ui: string | null;
}

export const me = signal<Me | null>(null);
/** Whether the door answered last. */
export const isReached = signal(true);
/** The door lets the person in no longer. */
export const isSignedOut = signal(false);
/** What has just been done, for a few seconds. */
export const notice = signal<{ text: string; isBad: boolean } | null>(null);
/** The time, once a second, for what is shown as a distance. */
export const now = signal(Date.now());
setInterval(() => {
  now.value = Date.now();
}, 1000);

export type Theme = 'system' | 'light' | 'dark';
export const theme = signal<Theme>(kept('theme', ['system', 'light', 'dark']));
export const language = signal<'en' | 'zh'>(
  kept('language', navigator.language.startsWith('zh') ? ['zh', 'en'] : ['en', 'zh']),
);
effect(() => {
  localStorage.setItem('theme', theme.value);
  document.documentElement.dataset.theme = theme.value;
});
effect(() => {
  localStorage.setItem('language', language.value);
  document.documentElement.lang = language.value;
});

function kept<T extends string>(name: string, choices: readonly T[]): T {
  const found = localStorage.getItem(name);
  return choices.find((choice) => choice === found) ?? (choices[0] as T);
}

let timer: ReturnType<typeof setTimeout> | undefined;

/** Shows what was done, or why it was not. */
export function announce(text: string, isBad = false): void {
  clearTimeout(timer);
  notice.value = { text, isBad };
  timer = setTimeout(
    () => {
      notice.value = null;
    },
    isBad ? 15_000 : 6000,
  );
}

export function mayDo(right: Me['rights'][number]): boolean {
  return me.value?.rights.includes(right) ?? false;
}
