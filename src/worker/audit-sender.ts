import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { cloudEvent, noticeFailure, post } from '../activities/notices/send-notice.js';
import type { SecretReader } from '../activities/secrets/secret-reader.js';
import type { PlanWebhook } from '../contracts/notices.js';
import type { Registry } from '../definitions/registry.js';
import { auditObject } from '../server/audit/audit-chain.js';
import { readAudit } from '../server/audit/read-audit.js';
import type { Store } from '../server/store/store.js';
import { log } from './logger.js';

const LOOK_MS = 2000;
/** After so long without a sign, another worker goes on. */
const LEASE_MS = 60_000;
/** Within this time a store shows all workers who took the lease last. */
const SETTLE_MS = 500;

/** `object`: the last one that was sent. */
type Sent = { object: number; owner: string; until: number };

/**
 * Sends the lines of the audit log as CloudEvents to `audit.to`, in order and at least once: one worker of the project at a
 * time, from where the last one has got to. While the receiver does not take a line, none after it is sent.
 */
export class AuditSender {
  private readonly owner = randomUUID();
  private readonly closing = new AbortController();
  private running = Promise.resolve();

  constructor(
    private readonly store: Store,
    private readonly project: string,
    private readonly lastDefinitions: () => Registry | undefined,
    private readonly secrets: (environment: string) => SecretReader,
  ) {}

  start(): void {
    this.running = this.untilClosed(this.closing.signal);
  }

  async close(): Promise<void> {
    this.closing.abort();
    await this.running;
  }

  private async untilClosed(signal: AbortSignal): Promise<void> {
    for (let pauseMs = LOOK_MS; !signal.aborted; ) {
      await sleep(pauseMs, undefined, { signal, ref: false }).catch(() => {});
      const failed = signal.aborted ? undefined : await this.look().catch((error) => noticeFailure(error).message);
      pauseMs = failed === undefined ? LOOK_MS : Math.min(300_000, pauseMs * 2);
      if (failed) log.warn({ reason: failed, again_in_ms: pauseMs }, 'lines of the audit log could not be sent');
    }
  }

  private async look(): Promise<undefined> {
    const { store, project } = this;
    const { audit, policy, environments, default_environment: usual } = this.lastDefinitions()?.project ?? {};
    if (typeof audit !== 'object') return;
    const { object: before, owner, until } = await this.read();
    if (owner !== this.owner && until > Date.now()) return;
    if ((await store.getNamed(auditObject(project, before + 1))) === undefined) return;
    await this.keep(before);
    if (owner !== this.owner) await sleep(SETTLE_MS);
    if ((await this.read()).owner !== this.owner) return;
    const reader = this.secrets(usual ?? Object.keys(environments ?? {})[0] ?? '');
    const references = [{ reference: audit.to }, { reference: audit.secret }];
    const secrets = await reader.read(references, AbortSignal.timeout(LEASE_MS / 2));
    const hosts = policy?.allowed_hosts && { allowed_hosts: policy.allowed_hosts };
    const target: PlanWebhook = { webhook: audit.to, secret: audit.secret, on: [], format: 'cloudevents', ...hosts };
    for await (const { object, lines, finding } of readAudit(store, project, before + 1)) {
      if (finding) log.error(finding, 'the audit log is not as it was written');
      for (const line of lines) {
        await this.keep(object - 1);
        const [id, type] = [`${project}:${line.seq}`, `ability.audit.${line.kind}`];
        const event = cloudEvent(project, { id, type, subject: line.task, time: line.time, data: line });
        await post(target, secrets, id, event);
      }
      await this.keep(object);
      if (this.closing.signal.aborted) return;
    }
  }

  private async read(): Promise<Sent> {
    const bytes = await this.store.getNamed(`audit-sent/${this.project}`);
    return bytes ? (JSON.parse(Buffer.from(bytes).toString('utf8')) as Sent) : { object: 0, owner: '', until: 0 };
  }

  private async keep(object: number): Promise<void> {
    const sent: Sent = { object, owner: this.owner, until: Date.now() + LEASE_MS };
    await this.store.putNamed(`audit-sent/${this.project}`, Buffer.from(JSON.stringify(sent)));
  }
}
