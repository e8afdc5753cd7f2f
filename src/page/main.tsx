import { render } from 'preact';
import { useEffect } from 'preact/hooks';
import { address, followLinks, goTo } from './address.js';
import { send } from './call.js';
import { isHelpOpen, onKey } from './parts/keys.js';
import { Dialog } from './parts/parts.js';
import { isReached, isSignedOut, language, type Me, me, notice, type Theme, theme } from './state.js';
import { type TextKey, t } from './texts/text.js';
import { Abilities } from './views/abilities.js';
import { AbilityView } from './views/ability.js';
import { Device } from './views/device.js';
import { Gaps } from './views/gaps.js';
import { Inbox } from './views/inbox.js';
import { Schedules } from './views/schedules.js';
import { SignIn } from './views/sign-in.js';
import { TaskPage } from './views/task.js';
import { Tasks } from './views/tasks.js';

const VIEWS = ['inbox', 'tasks', 'abilities', 'schedules', 'gaps'] as const;

function View() {
  const [, view = '', name] = address.value.pathname.split('/');
  const id = name === undefined ? undefined : decodeURIComponent(name);
  if (view === 'sign-in' || isSignedOut.value) return <SignIn />;
  switch (view) {
    case 'tasks':
      return id === undefined ? <Tasks /> : <TaskPage key={id} id={id} />;
    case 'abilities':
      return id === undefined ? <Abilities /> : <AbilityView key={id} id={id} />;
    case 'schedules':
      return <Schedules />;
    case 'gaps':
      return <Gaps />;
    case 'device':
      return <Device />;
    default:
      return <Inbox />;
  }
}

function Header() {
  const [, view = ''] = address.value.pathname.split('/');
  const who = me.value;
  return (
    <header class="top">
      <a class="skip" href="#content">
        {t('skip')}
      </a>
      <strong class="project">{who?.project ?? 'Ability Runtime'}</strong>
      <nav aria-label={t('views')}>
        {VIEWS.map((name) => (
          <a key={name} href={`/${name}`} aria-current={(view || 'inbox') === name ? 'page' : undefined}>
            {t(`view.${name}`)}
          </a>
        ))}
      </nav>
      <div class="settings">
        {who && <span class="who">{t(who.signed_in ? 'signed-in-as' : 'not-signed-in', { person: who.person })}</span>}
        {who?.signed_in ? (
          <button type="button" onClick={signOut}>
            {t('sign-out')}
          </button>
        ) : (
          <a href="/sign-in">{t('sign-in')}</a>
        )}
        <select
          aria-label={t('theme')}
          value={theme.value}
          onChange={({ currentTarget }) => {
            theme.value = currentTarget.value as Theme;
          }}
        >
          {(['system', 'light', 'dark'] as const).map((name) => (
            <option key={name} value={name}>
              {t(`theme.${name}`)}
            </option>
          ))}
        </select>
        <select
          aria-label={t('language')}
          value={language.value}
          onChange={({ currentTarget }) => {
            language.value = currentTarget.value as 'en' | 'zh';
          }}
        >
          <option value="en">English</option>
          <option value="zh">中文</option>
        </select>
        <button type="button" aria-label={t('keys.open')} onClick={() => (isHelpOpen.value = true)}>
          ?
        </button>
      </div>
    </header>
  );
}

async function signOut(): Promise<void> {
  const left = (await send('POST', '/page/sign-out').catch(() => null)) as { next: string | null } | null;
  if (left?.next) return location.assign(left.next);
  me.value = null;
  isSignedOut.value = true;
  goTo('/sign-in');
}

const KEYS: [string, TextKey][] = [
  ['j k', 'keys.move'],
  ['Enter', 'keys.enter'],
  ['a', 'keys.approve'],
  ['d', 'keys.deny'],
  ['c', 'keys.changes'],
  ['/', 'keys.search'],
  ['1 – 5', 'keys.views'],
  ['?', 'keys.help'],
];

function Help() {
  return (
    <Dialog title={t('keys.title')} onClose={() => (isHelpOpen.value = false)}>
      <dl class="keys">
        {KEYS.map(([keys, text]) => (
          <div key={keys}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{t(text)}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}

/** Reads who the person is; again once the door lets them in or out. */
async function readMe(): Promise<void> {
  try {
    me.value = (await send('GET', '/v1/me')) as Me;
    isSignedOut.value = false;
  } catch {
    // `isSignedOut` and `isReached` say why.
  }
}

function Page() {
  useEffect(() => {
    void readMe();
    document.addEventListener('click', followLinks);
    document.addEventListener('keydown', onKey);
  }, []);
  useEffect(() => {
    if (isReached.value && !me.value && !isSignedOut.value) void readMe();
  }, [isReached.value, isSignedOut.value, address.value]);
  const { pathname } = address.value;
  useEffect(() => {
    const name = VIEWS.find((view) => pathname.startsWith(`/${view}`)) ?? 'inbox';
    const view = pathname === '/device' ? t('device') : t(`view.${name}`);
    document.title = `${view} · ${me.value?.project ?? 'Ability Runtime'}`;
  }, [pathname, me.value]);
  return (
    <>
      <Header />
      {!isReached.value && (
        <div class="bar bad" role="status">
          {t('unreachable')}
        </div>
      )}
      <main id="content" tabIndex={-1}>
        {me.value || isSignedOut.value || pathname === '/sign-in' ? <View /> : <p class="quiet">{t('loading')}</p>}
      </main>
      <div class="notices" role="status" aria-live="polite">
        {notice.value && <div class={notice.value.isBad ? 'notice bad' : 'notice'}>{notice.value.text}</div>}
      </div>
      {isHelpOpen.value && <Help />}
    </>
  );
}

render(<Page />, document.getElementById('page') as HTMLElement);
