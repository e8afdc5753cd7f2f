import { writeFileSync } from 'node:fs';
import type { AuditEvent, AuditHead } from '../../contracts/audit.js';
import { AbilityError } from '../../contracts/problem.js';
import { attempt } from '../../text/attempt.js';
import type { Store } from '../store/store.js';
import { auditObject, auditStart, chainLines, readLines } from './audit-chain.js';

export type AuditStore = Pick<Store, 'createNamed' | 'getNamed' | 'listNamed' | 'where'>;

type Place = AuditHead & { object: number };

/**
 * Appends to the audit log of a project: each object is created exclusively under the number after that of the last one, so
 * that several processes and machines continue one chain, and a killed one leaves whole objects or none. What arrives while
 * an object is written goes into the next one together. Source: docs/decisions/0035-one-audit-chain-a-project.md.
 */
export class AuditLog {
  private last: Place | undefined;
  private writing: Promise<void> = Promise.resolve();
  private next: { events: AuditEvent[]; written: Promise<void> } | undefined;

  /** @param headFile where this machine keeps the last line that it has written, for `audit verify`. */
  constructor(
    private readonly store: AuditStore,
    private readonly project: string,
    private readonly headFile?: string,
  ) {}

  /** Resolves once the event is in the store. @throws AbilityError `audit.broken`, `store.full`, `store.not_shared`. */
  append(event: AuditEvent): Promise<void> {
    if (!this.next) {
      const events: AuditEvent[] = [];
      const written = this.writing.then(() => {
        this.next = undefined;
        return this.write(events);
      });
      this.next = { events, written };
      // After a failure, where the log ends is to be found out again.
      this.writing = written.catch(() => void (this.last = undefined));
    }
    this.next.events.push(event);
    return this.next.written;
  }

  private async write(events: readonly AuditEvent[]): Promise<void> {
    this.last ??= await this.findLast();
    for (let found: string | undefined, text = ''; !found || found !== text; ) {
      const { object, ...head } = this.last as Place;
      text = chainLines(this.project, head, events);
      const isOwn = await this.store.createNamed(auditObject(this.project, object + 1), Buffer.from(text));
      // The answer to an attempt that succeeded may have been lost.
      found = isOwn ? text : await this.read(object + 1);
      if (found !== undefined) this.last = this.lastOf(found, object + 1, head);
    }
    const { headFile, last } = this;
    if (headFile !== undefined) attempt(() => writeFileSync(headFile, JSON.stringify(last)));
  }

  /** Doubles and halves: few reads even of a long log. */
  private async findLast(): Promise<Place> {
    const create = () => this.store.createNamed(auditObject(this.project, 0), Buffer.from(`${this.project}\n`));
    const ignores = `${this.store.where} ignores conditional writes (If-None-Match): lines would be lost there`;
    if ((await create()) && (await create())) throw broken(ignores, 'Use a store that knows them.');
    let [low, step] = [0, 1];
    for (; await this.read(low + step); step *= 2) low += step;
    for (; step > 1; step /= 2) if (await this.read(low + step / 2)) low += step / 2;
    if (low === 0) return { object: 0, ...auditStart(this.project) };
    return this.lastOf((await this.read(low)) ?? '', low);
  }

  private async read(object: number): Promise<string | undefined> {
    const bytes = await this.store.getNamed(auditObject(this.project, object));
    return bytes && Buffer.from(bytes).toString('utf8');
  }

  /** @throws AbilityError `audit.broken`: nothing can continue what is damaged. */
  private lastOf(text: string, object: number, before?: AuditHead): Place {
    const { lines, problem } = readLines(text, this.project, before);
    const last = lines.at(-1);
    if (last && problem === undefined) return { object, seq: last.seq, hash: last.hash };
    const message = `${auditObject(this.project, object)} in ${this.store.where} cannot be continued: ${problem}`;
    throw broken(
      message,
      'Keep a copy of it as evidence, and move it away; `ability audit verify` names what is missing.',
    );
  }
}

function broken(message: string, suggestion: string): AbilityError {
  return new AbilityError({ code: 'audit.broken', message, suggestion });
}
