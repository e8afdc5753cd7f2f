import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { filter, goTo } from '../address.js';
import { send } from '../call.js';
import { Problem } from '../parts/parts.js';
import { useAction } from '../parts/use-data.js';
import { isSignedOut, me } from '../state.js';
import { t } from '../texts/text.js';

const FAILURES = ['refused', 'late', 'name', 'failed'] as const;

function isFailure(text: string): text is (typeof FAILURES)[number] {
  return (FAILURES as readonly string[]).includes(text);
}

/** The view that a person was not let in to. */
function wanted(): string {
  const { pathname, search } = location;
  return pathname === '/sign-in' ? '/inbox' : pathname + search;
}

const provider = signal<string | null>(null);

/** Lets a person in: through the provider of the team, or with a token. */
export function SignIn() {
  const [refusal, act] = useAction();
  useEffect(() => {
    send('GET', '/page/ways').then(
      (ways) => (provider.value = (ways as { oidc: string | null }).oidc),
      () => {},
    );
  }, []);
  const signIn = (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    const token = String(new FormData(event.currentTarget as HTMLFormElement).get('token'));
    return act(async () => {
      await send('POST', '/page/sign-in', { token });
      me.value = null;
      isSignedOut.value = false;
      goTo(wanted());
    });
  };
  const failed = filter('failed');
  return (
    <form class="card narrow" onSubmit={signIn}>
      <h1>{t('sign-in')}</h1>
      {failed && <p role="alert">{t(`sign-in.failed.${isFailure(failed) ? failed : 'failed'}`)}</p>}
      {provider.value && (
        <p>
          <a class="button primary" href={`/page/oidc/start?to=${encodeURIComponent(wanted())}`}>
            {t('sign-in.with', { provider: provider.value })}
          </a>
        </p>
      )}
      {filter('link') === 'used' && <p role="alert">{t('sign-in.link-used')}</p>}
      <p>{t('sign-in.why')}</p>
      <label>
        {t('sign-in.token')}
        <input name="token" type="password" autocomplete="off" required />
      </label>
      {refusal && <Problem refusal={refusal} />}
      <button type="submit" class="primary">
        {t('sign-in')}
      </button>
      <p class="quiet">{t('sign-in.how')}</p>
      <p class="quiet">{t('sign-in.own')}</p>
    </form>
  );
}
