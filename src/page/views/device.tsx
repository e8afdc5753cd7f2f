import { useState } from 'preact/hooks';
import { filter, setFilters } from '../address.js';
import { type Refusal, send } from '../call.js';
import { Ago, Facts, Problem } from '../parts/parts.js';
import { useAction, useData } from '../parts/use-data.js';
import { me } from '../state.js';
import { t } from '../texts/text.js';

/** The command line that waits with a code, as the door says it. */
interface AskedLogin {
  user_code: string;
  client: string;
  address: string | null;
  asked_at: string;
}

/** Lets a command line in, or not: it gets the rights of the person who confirms. */
export function Device() {
  const code = filter('code');
  return (
    <section class="card narrow">
      <h1>{t('device')}</h1>
      {code === '' ? <Code /> : <Asked key={code} code={code} />}
    </section>
  );
}

function Code() {
  const take = (event: SubmitEvent): void => {
    event.preventDefault();
    setFilters({ code: String(new FormData(event.currentTarget as HTMLFormElement).get('code')).trim() });
  };
  return (
    <form onSubmit={take}>
      <label>
        {t('device.code')}
        <input name="code" autocomplete="off" required maxLength={20} />
      </label>
      <button type="submit" class="primary">
        {t('device.look')}
      </button>
    </form>
  );
}

function Asked({ code }: { code: string }) {
  const confirm = (body: object) => send('POST', '/v1/login/confirm', { user_code: code, ...body });
  const { data, refusal } = useData(code, () => confirm({}) as Promise<AskedLogin>);
  const [answer, setAnswer] = useState<'confirm' | 'deny'>();
  const [failure, act] = useAction();
  const decide = (decision: 'confirm' | 'deny') => (): Promise<void> =>
    act(async () => {
      await confirm({ decision });
      setAnswer(decision);
    });
  if (answer) return <p role="status">{t(`device.done.${answer}`)}</p>;
  if (refusal || failure) return <Problem refusal={(failure ?? refusal) as Refusal} />;
  if (!data) return <p class="quiet">{t('loading')}</p>;
  return (
    <>
      <p>{t('device.why', { person: me.value?.person ?? '' })}</p>
      <Facts
        facts={[
          [t('device.code'), <strong>{data.user_code}</strong>],
          [t('device.client'), data.client],
          [t('device.address'), data.address],
          [t('device.asked'), <Ago at={data.asked_at} />],
        ]}
      />
      <p class="quiet">{t('device.compare')}</p>
      <div class="buttons">
        <button type="button" class="primary" onClick={decide('confirm')}>
          {t('device.confirm')}
        </button>
        <button type="button" onClick={decide('deny')}>
          {t('device.deny')}
        </button>
      </div>
    </>
  );
}
