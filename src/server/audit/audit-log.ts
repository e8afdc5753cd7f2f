import { writeFileSync } from 'node:fs';
import type { AuditEvent, AuditHead } from '../../contracts/audit.js';
import { AbilityError } from '../../contracts/problem.js';
import { attempt } from '../../text/attempt.js';
import type { Store } from '../store/store.js';
import { auditObject, auditStart, chainLines, headOf, readLines, textOfLines } from './audit-chain.js';

export type AuditStore = Pick<Store, 'createNamed' | 'getNamed' | 'listNamed' | 'where'>;

/** Lines that are written as one object. */
const MAX_TOGETHER = 500;

interface Waiting {
  events: readonly AuditEvent[];
  done: () => void;
  failed: (error: unknown) => void;
}

/** The last object of a log, and its last line. */
interface Place extends AuditHead {
  object: number;
}

/**
 * Appends to the audit log of a project: each object is created exclusively under the number after that of the last one, so
 * that several processes and machines continue one chain, and a killed one leaves whole objects or none. What arrives while
 * an object is written goes into the next one together. Source: docs/decisions/0035-one-audit-chain-a-project.md.
 */
export class AuditLog {
  private last: Place | undefined;
  private readonly waiting: Waiting[] = [];
  private writing: Promise<void> | undefined;

  /** @param headFile where this machine keeps the last line that it has written, for `audit verify`. */
  constructor(
    private readonly store: AuditStore,
    private readonly project: string,
    private readonly headFile?: string,
  ) {}

  /** Resolves once all of it is in the store. @throws AbilityError `audit.broken`, `store.full`, `store.not_shared`. */
  append(events: readonly AuditEvent[]): Promise<void> {
    return new Promise((done, failed) => {
      this.waiting.push({ events, done, failed });
      // After the other appends of this turn, which go into the same object.
      this.writing ??= Promise.resolve()
        .then(() => this.writeAll())
        .finally(() => {
          this.writing = undefined;
        });
    });
  }

  private async writeAll(): Promise<void> {
    while (this.waiting.length > 0) {
      let [count, lines] = [0, 0];
      while (count < this.waiting.length && (count === 0 || lines < MAX_TOGETHER)) {
        lines += (this.waiting[count] as Waiting).events.length;
        count += 1;
      }
      const together = this.waiting.splice(0, count);
      try {
        await this.write(together.flatMap(({ events }) => events));
        for (const { done } of together) done();
      } catch (error) {
        this.last = undefined;
        for (const { failed } of together) failed(error);
      }
    }
  }

  private async write(events: readonly AuditEvent[]): Promise<void> {
    this.last ??= await this.findLast();
    for (;;) {
      const { object, ...head }: Place = this.last;
      const lines = chainLines(this.project, head, events);
      const name = auditObject(this.project, object + 1);
      const text = textOfLines(lines);
      const isOwn = await this.store.createNamed(name, Buffer.from(text));
      // The answer to an attempt that succeeded may have been lost.
      const found = isOwn ? text : await this.read(name);
      if (found === undefined) continue;
      this.last = this.lastOf(found, object + 1, head);
      if (found === text) return this.keepHead();
    }
  }

  /** Doubles and halves: few reads even of a long log. */
  private async findLast(): Promise<Place> {
    await this.refuseReplacing();
    const exists = async (object: number): Promise<boolean> =>
      (await this.read(auditObject(this.project, object))) !== undefined;
    let [low, step] = [0, 1];
    while (await exists(low + step)) {
      low += step;
      step *= 2;
    }
    for (; step > 1; step /= 2) if (await exists(low + step / 2)) low += step / 2;
    if (low === 0) return { object: 0, ...auditStart(this.project) };
    return this.lastOf((await this.read(auditObject(this.project, low))) ?? '', low, undefined);
  }

  /** Not every object store knows conditional writes: one that ignores them would lose lines. */
  private async refuseReplacing(): Promise<void> {
    const name = auditObject(this.project, 0);
    const create = (): Promise<boolean> => this.store.createNamed(name, Buffer.from(`${this.project}\n`));
    if (!(await create()) || !(await create())) return;
    throw new AbilityError({
      code: 'store.not_shared',
      message: `${this.store.where} replaces an object that a conditional write (If-None-Match) must leave as it is, so no audit log can be kept there`,
      suggestion: 'Use a store with conditional writes, or leave `audit` out of ability.yaml.',
    });
  }

  private async read(name: string): Promise<string | undefined> {
    const bytes = await this.store.getNamed(name);
    return bytes && Buffer.from(bytes).toString('utf8');
  }

  /** @throws AbilityError `audit.broken`: nothing can continue what is damaged. */
  private lastOf(text: string, object: number, before: AuditHead | undefined): Place {
    const { lines, problem } = readLines(text, this.project, before);
    const last = lines.at(-1);
    if (last && problem === undefined) return { object, ...headOf(last) };
    throw new AbilityError({
      code: 'audit.broken',
      message: `${auditObject(this.project, object)} in ${this.store.where} cannot be continued: ${problem}`,
      suggestion:
        'Keep a copy of it as evidence, and move it away; `ability audit verify` then reports what is missing.',
    });
  }

  /** Where it cannot be kept, `audit verify` finds one removed line less. */
  private keepHead(): void {
    const { headFile, last } = this;
    if (headFile !== undefined && last) attempt(() => writeFileSync(headFile, `${JSON.stringify(headOf(last))}\n`));
  }
}
