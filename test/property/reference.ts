/**
 * The meaning of the workflow language, written from the texts (design, section 5; answers, 44 to 52) and not from
 * the interpreter: plain recursion over the tree, with the moment passed as an argument instead of a clock.
 *
 * Branches run one after the other, each as if alone; then again with the moment from which the others stop them.
 */
import type { Json, JsonObject } from '../../src/contracts/json.js';
import type {
  CallStep,
  ErrorHandler,
  OnFailure,
  Plan,
  PlanOperation,
  PlanRetry,
  PlanStep,
  StepModifiers,
} from '../../src/contracts/plan.js';
import { AbilityError } from '../../src/contracts/problem.js';
import { parseDuration } from '../../src/rules/duration.js';
import { compileExpression } from '../../src/rules/expressions/evaluate.js';
import { evaluateTemplate } from '../../src/rules/expressions/template.js';
import { type Account, type Effect, inOrder, type Script } from './script.js';

/** Two things end at the same moment, and the texts do not define which of them is first. */
export class Ambiguous extends Error {}

interface Failure {
  code: string;
  step?: string;
  path?: string;
}

/** What unwinds: a failure, an early end, a cancellation, or other branches that stop this one. */
class Stop extends Error {
  constructor(
    readonly kind: 'failed' | 'end' | 'cancelled' | 'halted',
    readonly at: number,
    readonly failure: Failure = { code: '' },
    readonly output: Json = null,
  ) {
    super(kind);
  }
}

interface Done {
  at: number;
  output: Json;
  ran: boolean;
}

/** Where in the tree, and from when on calls (`cancelAt`) or new work (`haltAt`) are stopped. */
interface Place {
  prefix: string;
  names: JsonObject;
  cancelAt: number;
  haltAt: number;
  /** In `finally` and in undo calls, to which the limit on calls does not apply. */
  isCleanup?: true;
  /** The enclosing items of each `foreach`, outermost first, each with values of its own. */
  items: string[];
  /** The step whose expressions are evaluated. */
  own?: string;
  /** Whether that step has failed and is now in its handler. */
  isHandled?: true;
  /** The steps of the innermost loop, as they were when they last ran in a completed turn. */
  last?: Record<string, Value>;
}

type Value = { output: Json; status: string; error: Json };

interface State {
  effects: Effect[];
  statuses: Record<string, { status: string; error: Json }>;
  /** By item of a `foreach`, with `''` for the task: what expressions see of the steps. */
  values: Record<string, Record<string, Value>>;
  /** By path of a `foreach`: what its completed items leave to the next one. */
  last: Record<string, Record<string, Value>>;
  undos: Record<string, { at: number; order: number; call: string; with: JsonObject | null }>;
  calls: number;
  order: number;
}

/** One of several pieces of work. */
type Unit = (place: Place, at: number) => Done;

const NEVER_RAN: Value = { output: null, status: 'pending', error: null };
const NEVER = Number.POSITIVE_INFINITY;

/** Runs a plan. @throws Ambiguous. */
export function interpret(plan: Plan, input: JsonObject, script: Script): Account {
  return new Reference(plan, input, script).run();
}

class Reference {
  private state: State = { effects: [], statuses: {}, values: { '': {} }, last: {}, undos: {}, calls: 0, order: 0 };
  private ending: { status: string; error: Json } = { status: 'running', error: null };

  constructor(
    private readonly plan: Plan,
    private readonly input: JsonObject,
    private readonly script: Script,
  ) {
    for (const { id } of everyStep(plan)) this.values('')[id] = { output: null, status: 'pending', error: null };
  }

  run(): Account {
    const { plan } = this;
    const top: Place = { prefix: '', names: {}, cancelAt: this.script.cancelAt ?? NEVER, haltAt: NEVER, items: [] };
    let end: Stop | Done;
    try {
      end = this.work(top);
    } catch (error) {
      end = stopOf(error);
    }
    let failure = end instanceof Stop && end.kind === 'failed' ? end.failure : null;
    let status = !(end instanceof Stop) || end.kind === 'end' ? 'succeeded' : 'cancelled';
    if (failure) status = endOf(failure.code);
    let output = status === 'succeeded' ? end.output : null;
    this.ending = { status, error: failure && { code: failure.code } };
    let { at } = end;
    if (status !== 'succeeded') at = this.undo(at);
    const left = Object.entries(this.state.statuses).filter(
      ([path, one]) => path.endsWith('.undo') && one.status !== 'succeeded',
    );
    if (left.length > 0) {
      const [lost] = left.reverse().find(([, one]) => one.status === 'unknown') ?? [];
      if (lost !== undefined && failure?.code !== 'outcome.unknown') failure = { code: 'outcome.unknown', path: lost };
      failure ??= { code: 'task.not_undone' };
      status = failure.code === 'outcome.unknown' ? 'unknown' : 'failed';
      this.ending = { status, error: { code: failure.code } };
    }
    const cleanup = this.cleanUp(plan.finally, top, at);
    if (cleanup.failure && status === 'succeeded') {
      failure = cleanup.failure;
      status = 'failed';
      output = null;
    }
    const error = failure && { code: failure.code, step: failure.step ?? null, path: failure.path ?? null };
    return { status, output, error, effects: inOrder(this.state.effects), steps: this.summary() };
  }

  private work(top: Place): Done {
    try {
      const { at } = this.steps(this.plan.steps, top, 0);
      return {
        at,
        output: this.plan.output === undefined ? null : this.template(this.plan.output, top, at),
        ran: true,
      };
    } catch (error) {
      const stop = stopOf(error);
      const handler = stop.kind === 'failed' ? handlerOf(this.plan.on_error, stop.failure.code) : undefined;
      if (!handler) throw stop;
      this.ending = { status: 'running', error: { code: stop.failure.code } };
      const done = this.handle(handler, stop, top);
      this.ending = { status: 'running', error: null };
      return done;
    }
  }

  private steps(steps: readonly PlanStep[], place: Place, begun: number): Done {
    let done: Done = { at: begun, output: null, ran: false };
    for (const step of steps) {
      const { at, output, ran } = this.step(step, place, done.at);
      done = { at, output: ran ? output : done.output, ran: true };
    }
    return done;
  }

  /** The order of modifiers: retry, on_error, finally, continue_on_error. Source: answers, 47. */
  private step(step: PlanStep, around: Place, at: number): Done {
    const place = { ...around, own: step.id };
    // The texts do not define whether branches cancelled at the same moment stop it before it begins.
    if (place.cancelAt === at) throw new Ambiguous();
    if (place.haltAt <= at) throw new Stop('halted', at);
    if (place.cancelAt < at) throw new Stop('cancelled', at);
    const path = place.prefix + step.id;
    try {
      if (step.if !== undefined && !this.condition(step.if, place, at)) {
        this.skip(step, around.prefix, around);
        return { at, output: null, ran: false };
      }
      this.note(step.id, path, place, 'running');
      const done = this.withFinally(step, path, place, at);
      this.note(step.id, path, place, 'succeeded', done.output);
      return { ...done, ran: true };
    } catch (error) {
      const stop = locate(stopOf(error), step.id, path);
      const { code } = stop.failure;
      if (stop.kind === 'end') this.note(step.id, path, place, 'succeeded', stop.output);
      else if (stop.kind !== 'failed') this.note(step.id, path, place, 'cancelled');
      else {
        this.note(step.id, path, place, statusOf(code), null, { code });
        if (step.continue_on_error && isCaughtByAll(code)) return { at: stop.at, output: null, ran: true };
      }
      throw stop;
    }
  }

  private withFinally(step: PlanStep, path: string, place: Place, begun: number): Done {
    let end: Stop | Done;
    try {
      end = this.withHandlers(step, path, place, begun);
    } catch (error) {
      end = stopOf(error);
    }
    const { at, failure } = this.cleanUp(step.finally ?? [], inside(place, path), end.at);
    if (end instanceof Stop) throw new Stop(end.kind, at, end.failure, end.output);
    if (failure) throw new Stop('failed', at, failure);
    return { ...end, at };
  }

  private withHandlers(step: PlanStep, path: string, place: Place, begun: number): Done {
    try {
      return this.withTimeout(step, path, place, begun);
    } catch (error) {
      const stop = locate(stopOf(error), step.id, path);
      const { code } = stop.failure;
      const handler = stop.kind === 'failed' ? handlerOf(step.on_error, code) : undefined;
      if (!handler) throw stop;
      this.note(step.id, path, place, 'running', null, { code });
      return this.handle(handler, stop, inside(place, path), { ...place, isHandled: true });
    }
  }

  private handle(handler: ErrorHandler, stop: Stop, place: Place, own = place): Done {
    const { at } = this.steps(handler.steps, place, stop.at);
    if (handler.rethrow) throw new Stop('failed', at, stop.failure);
    return { at, output: handler.output === undefined ? null : this.template(handler.output, own, at), ran: true };
  }

  private withTimeout(step: PlanStep, path: string, place: Place, begun: number): Done {
    if (step.timeout === undefined) return this.withRetry(step, path, place, begun);
    const limit = begun + parseDuration(step.timeout);
    try {
      return this.withRetry(step, path, { ...place, cancelAt: Math.min(place.cancelAt, limit) }, begun);
    } catch (error) {
      const stop = stopOf(error);
      if (stop.kind !== 'cancelled' || place.cancelAt <= stop.at) throw stop;
      throw new Stop('failed', stop.at, { code: 'timeout.step' });
    }
  }

  /** Only for groups; the attempts of a call are counted where it is made. */
  private withRetry(step: PlanStep, path: string, place: Place, begun: number): Done {
    if (step.verb !== 'steps' || !step.retry) return this.verb(step, path, place, begun);
    let at = begun;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return this.verb(step, path, place, at);
      } catch (error) {
        const stop = stopOf(error);
        const again = stop.kind === 'failed' && isTriedAgain(stop.failure.code, step.retry.errors);
        if (!again || attempt >= step.retry.attempts) throw stop;
        at = this.pause(place, stop.at, stop.at + pauseBefore(attempt + 1, step.retry));
      }
      for (const { id } of step.steps) this.forget(`${path}/${id}`);
    }
  }

  private verb(step: PlanStep, path: string, place: Place, at: number): Done {
    const within = inside(place, path);
    switch (step.verb) {
      case 'call':
        return this.call(step, path, place, at);
      case 'approval': {
        const { ms, says } = this.script.verdict(path);
        const expires = parseDuration(step.approval.expires);
        const end = this.pause(place, at, at + (says === 'nothing' ? expires : Math.min(ms, expires)), path, step);
        if (says === 'nothing' || ms >= expires) throw new Stop('failed', end, { code: 'approval.expired' });
        if (says === 'deny') throw new Stop('failed', end, { code: 'approval.denied' });
        return { at: end, output: { decision: 'approve', by: 'ada', comment: null, fields: {} }, ran: true };
      }
      case 'wait': {
        if (!('for' in step.wait)) throw new Error('The reference knows only waits for time');
        const ms = parseDuration(this.template(step.wait.for, place, at));
        return { at: this.pause(place, at, at + ms, path, step), output: null, ran: true };
      }
      case 'steps':
        return this.steps(step.steps, within, at);
      case 'let':
        return { at, output: this.template(step.let, place, at), ran: true };
      case 'fail':
        throw new Stop('failed', at, { code: step.fail.code });
      case 'end':
        throw new Stop('end', at, undefined, this.template(step.end.output, place, at));
      case 'switch': {
        const chosen = step.cases.find((item) => item.if === undefined || this.condition(item.if, place, at));
        for (const { steps } of step.cases.filter((item) => item !== chosen)) {
          for (const inner of steps) this.skip(inner, `${path}/`, place);
        }
        return chosen ? this.steps(chosen.steps, within, at) : { at, output: null, ran: true };
      }
      case 'repeat': {
        const { until, every, max } = step.repeat;
        let now = at;
        let last: Record<string, Value> = {};
        for (const { id } of everyStep({ steps: step.steps, finally: [] })) this.forgetValue(id, place);
        for (let turn = 0; turn < Number(max); turn += 1) {
          const names = step.index === undefined ? place.names : { ...place.names, [step.index]: turn };
          const body = { ...inside(place, `${path}/${turn}`), names, last };
          const done = this.steps(step.steps, body, now);
          last = this.leave(step.steps, body, last);
          if (this.condition(until, { ...place, names }, done.at)) return { ...done, ran: true };
          now = done.at;
          if (turn + 1 < Number(max) && parseDuration(every) > 0) {
            this.note(step.id, path, place, 'waiting');
            now = this.pause(place, now, now + parseDuration(every));
            this.note(step.id, path, place, 'running');
          }
        }
        throw new Stop('failed', now, { code: 'repeat.exhausted' });
      }
      case 'foreach': {
        const list = this.list(step.foreach, place, at);
        const most = Number(step.max_parallel);
        // Pieces of work are evaluated more than once here, so the memory is part of the state.
        this.state.last[path] = {};
        const units = list.map(
          (item, index): Unit =>
            (outer, begun) => {
              const key = `${path}/${index}`;
              const before = most === 1 ? this.state.values[`${path}/${index - 1}`] : undefined;
              this.state.values[key] = structuredClone(before ?? {});
              const names = { ...outer.names, [step.as]: item, ...(step.index && { [step.index]: index }) };
              const last = this.state.last[path] ?? {};
              const body = { ...inside(outer, key), names, items: [...outer.items, key], last };
              const done = this.steps(step.steps, body, begun);
              if (most === 1) this.state.last[path] = this.leave(step.steps, body, last);
              return done;
            },
        );
        const { at: end, outputs } = this.many(units, most, step.on_failure, place, at);
        return { at: end, output: outputs, ran: true };
      }
      case 'parallel': {
        const most = Number(step.max_parallel ?? step.branches.length);
        const units = step.branches.map(
          (branch): Unit =>
            (outer, begun) =>
              this.step(branch, inside(outer, path), begun),
        );
        const { at: end, outputs } = this.many(units, most, step.on_failure, place, at);
        const named = step.branches.map(({ id }, index): [string, Json] => [id, outputs[index] ?? null]);
        return { at: end, output: Object.fromEntries(named), ran: true };
      }
      case 'race':
        return this.race(step.branches, within, at);
    }
  }

  private call(step: CallStep, path: string, place: Place, begun: number): Done {
    const input = this.parameters(step.with, place, begun);
    const done = this.attempts(step.call, path, input, place, begun, step.retry);
    if (step.undo) {
      // The input of the undo call is evaluated when the call has succeeded, and may read its output.
      this.note(step.id, path, place, 'succeeded', done.output);
      let settled: JsonObject | null = null;
      try {
        const { own: _, ...now } = place;
        settled = this.parameters(step.undo.with, now, done.at);
      } catch (error) {
        if (stopOf(error).kind !== 'failed') throw error;
      }
      this.note(step.id, path, place, 'running');
      this.state.order += 1;
      this.keepEarlier(step.call, path, settled);
      this.state.undos[path] = { at: done.at, order: this.state.order, call: step.undo.call, with: settled };
    }
    return done;
  }

  /** What an earlier attempt of a group has done is undone as well, unless both did the same. */
  private keepEarlier(call: string, path: string, settled: JsonObject | null): void {
    const before = this.state.undos[path];
    if (!before) return;
    const { effects } = this.plan.operations[call] as PlanOperation;
    const isSame = JSON.stringify(before.with) === JSON.stringify(settled);
    if (isSame && effects !== 'write_additive' && effects !== 'destructive') return;
    const times = Object.keys(this.state.undos).filter((known) => known.startsWith(`${path}~`)).length;
    this.state.undos[`${path}~${times + 1}`] = before;
  }

  private attempts(
    call: string,
    path: string,
    input: JsonObject,
    place: Place,
    begun: number,
    retry: PlanRetry | undefined,
  ): Done {
    const { max_calls: limit } = this.plan.limits;
    if (!place.isCleanup) {
      if (limit !== undefined && this.state.calls >= limit)
        throw new Stop('failed', begun, { code: 'limit.max_calls' });
      this.state.calls += 1;
    }
    if (place.cancelAt <= begun) throw new Stop('cancelled', begun);
    const repeatable = this.plan.operations[call]?.effects !== 'write_additive';
    const policy = { attempts: repeatable ? 3 : 1, first: '1s', factor: 2, max: '30s', ...retry };
    let at = begun;
    for (let attempt = 1; ; attempt += 1) {
      const nth = this.state.effects.filter((effect) => effect.path === path).length;
      this.state.effects.push({ at, path, call, with: input });
      const outcome = this.script.attempt(path, nth);
      at += outcome.ms;
      if (place.cancelAt < at) throw new Stop('cancelled', place.cancelAt);
      if ('output' in outcome) return { at, output: outcome.output, ran: true };
      const again = attempt < policy.attempts && isTriedAgain(outcome.code, retry?.errors);
      if (!again) throw new Stop('failed', at, { code: outcome.code });
      at += pauseBefore(attempt + 1, policy);
      if (place.cancelAt < at) throw new Stop('cancelled', place.cancelAt);
    }
  }

  /** Several pieces of work, with a limit on how many run at once. Source: answers, "on_failure". */
  private many(
    units: readonly Unit[],
    most: number,
    onFailure: OnFailure | undefined,
    place: Place,
    begun: number,
  ): { at: number; outputs: Json[] } {
    const before = structuredClone(this.state);
    const alone = this.lanes(units, most, begun, () => place);
    const stops = alone.filter(({ end }) => end instanceof Stop && end.kind !== 'halted');
    const deciding = stops.filter(({ end }) => onFailure !== 'finish' || (end as Stop).kind !== 'failed');
    const from = Math.min(NEVER, ...deciding.map(({ end }) => (end as Stop).at));
    let ends = alone;
    let decides = units.map(() => true);
    if (from < NEVER) {
      if (from === begun && most > 1 && units.length > 1) throw new Ambiguous();
      this.state = before;
      const atOnce = deciding.filter(({ end }) => end.at === from);
      refuseTie(stops.map(({ end }) => end).filter((end) => end.at === from));
      const cancels = onFailure === 'cancel' && atOnce.some(({ end }) => end instanceof Stop && end.kind === 'failed');
      const stopped = {
        ...place,
        haltAt: Math.min(place.haltAt, from),
        cancelAt: cancels ? Math.min(place.cancelAt, from) : place.cancelAt,
      };
      const early = atOnce.filter((one) => one.start < from || alone.indexOf(one) < most);
      const those = early.length > 0 ? early : atOnce.slice(0, 1);
      // A stop does not affect pieces that ended earlier or at the very same moment.
      const last = most === 1 ? alone.indexOf(those[0] as (typeof alone)[number]) : -1;
      decides = alone.map(
        (one, index) => those.includes(one) || index < last || (one.start < from && one.end.at <= from),
      );
      ends = this.lanes(units, most, begun, (index) => (decides[index] ? place : stopped));
    }
    const at = Math.max(begun, ...ends.map(({ end }) => end.at));
    // Pieces cancelled by the first failure end at the same moment, but theirs is not the failure of the whole.
    const thrown = [...ends.filter((_, index) => decides[index]), ...ends.filter((_, index) => !decides[index])]
      .map(({ end }) => end)
      .filter((end): end is Stop => end instanceof Stop && end.kind !== 'halted')
      .sort((a, b) => a.at - b.at)[0];
    if (thrown) throw new Stop(thrown.kind, at, thrown.failure, thrown.output);
    if (place.haltAt <= at) throw new Stop('halted', at);
    return { at, outputs: ends.map(({ end }) => end.output) };
  }

  private lanes(
    units: readonly Unit[],
    most: number,
    begun: number,
    placeOf: (index: number) => Place,
  ): { start: number; end: Stop | Done }[] {
    const free = units.slice(0, most).map(() => begun);
    return units.map((unit, index) => {
      const start = Math.min(...free);
      const lane = free.indexOf(start);
      const place = placeOf(index);
      let end: Stop | Done;
      try {
        if (place.haltAt <= start) throw new Stop('halted', start);
        end = unit(place, start);
      } catch (error) {
        end = stopOf(error);
      }
      free[lane] = end.at;
      return { start, end };
    });
  }

  /** The first to end wins, the others are cancelled; a branch whose `if` is false takes no part. */
  private race(branches: readonly PlanStep[], place: Place, begun: number): Done {
    const before = structuredClone(this.state);
    const one = (branch: PlanStep, within: Place): Stop | Done => {
      try {
        return this.step(branch, within, begun);
      } catch (error) {
        return stopOf(error);
      }
    };
    const takesPart = (end: Stop | Done): boolean => (end instanceof Stop ? end.kind !== 'halted' : end.ran);
    const alone = branches.map((branch) => one(branch, place));
    const from = Math.min(NEVER, ...alone.filter(takesPart).map(({ at }) => at));
    if (from === begun && branches.length > 1) throw new Ambiguous();
    refuseTie(alone.filter((end) => takesPart(end) && end.at === from));
    this.state = before;
    const loser = { ...place, cancelAt: Math.min(place.cancelAt, from) };
    const wins = (end: Stop | Done): boolean => takesPart(end) && end.at === from;
    const ends = branches.map((branch, index) => one(branch, wins(alone[index] as Done) ? place : loser));
    const at = Math.max(begun, ...ends.map((end) => end.at));
    const index = alone.findIndex(wins);
    const winner = ends[index];
    if (winner instanceof Stop) throw new Stop(winner.kind, at, winner.failure, winner.output);
    if (winner) return { at, output: { winner: branches[index]?.id ?? null, output: winner.output }, ran: true };
    if (place.haltAt <= at) throw new Stop('halted', at);
    return { at, output: { winner: null, output: null }, ran: true };
  }

  /** Runs each step, whatever happens to the others and around them. */
  private cleanUp(steps: readonly PlanStep[], place: Place, begun: number): { at: number; failure: Failure | null } {
    let at = begun;
    let failure: Failure | null = null;
    for (const step of steps) {
      try {
        at = this.step(step, { ...place, cancelAt: NEVER, haltAt: NEVER, isCleanup: true }, at).at;
      } catch (error) {
        const stop = stopOf(error);
        at = stop.at;
        if (stop.kind === 'failed') failure ??= stop.failure;
      }
    }
    return { at, failure };
  }

  /** Undoes the calls, starting with the last that succeeded. */
  private undo(begun: number): number {
    let at = begun;
    const place: Place = { prefix: '', names: {}, cancelAt: NEVER, haltAt: NEVER, items: [], isCleanup: true };
    const entries = Object.entries(this.state.undos).sort(([, a], [, b]) => b.at - a.at || b.order - a.order);
    for (const [path, { call, with: input }] of entries) {
      let status = 'failed';
      try {
        if (input) {
          at = this.attempts(call, `${path}.undo`, input, place, at, undefined).at;
          status = 'succeeded';
        }
      } catch (error) {
        const stop = stopOf(error);
        at = stop.at;
        status = statusOf(stop.failure.code);
      }
      this.state.statuses[`${path}.undo`] = { status, error: null };
    }
    return at;
  }

  /** Waits, until something ends the wait. */
  private pause(place: Place, at: number, until: number, path?: string, step?: StepModifiers): number {
    if (path !== undefined && step) this.note(step.id, path, place, 'waiting');
    if (place.haltAt <= at) throw new Stop('halted', at);
    if (place.cancelAt <= at) throw new Stop('cancelled', at);
    if (until < place.haltAt && until < place.cancelAt) return until;
    throw place.haltAt < place.cancelAt ? new Stop('halted', place.haltAt) : new Stop('cancelled', place.cancelAt);
  }

  /** Marks a step that does not run, and all steps inside it. Source: answers, 45. */
  private skip(step: PlanStep, prefix: string, place: Place): void {
    for (const { id, path } of everyStep({ steps: [step], finally: [] })) {
      if (!path.includes('*')) this.note(id, prefix + path, place, 'skipped');
    }
  }

  private note(id: string, path: string, place: Place, status: string, output: Json = null, error?: Json): void {
    const entry = { status, error: error ?? this.state.statuses[path]?.error ?? null };
    this.state.statuses[path] = entry;
    this.values(place.items.at(-1) ?? '')[id] = { ...entry, output };
  }

  private values(item: string): Record<string, Value> {
    return this.state.values[item] as Record<string, Value>;
  }

  private forget(path: string): void {
    for (const key of Object.keys(this.state.statuses)) {
      if (key === path || key.startsWith(`${path}/`)) delete this.state.statuses[key];
    }
  }

  /** What a turn leaves to the next one: the steps that ran in it, and earlier results of steps skipped in it. */
  private leave(steps: readonly PlanStep[], body: Place, last: Record<string, Value>): Record<string, Value> {
    const next = { ...last };
    const seen = this.seen(body);
    for (const { id, path } of everyStep({ steps: [...steps], finally: [] })) {
      const now = path.includes('*') ? undefined : seen[id];
      if (now && now.status !== 'skipped' && now.status !== 'pending') next[id] = now;
    }
    return next;
  }

  private forgetValue(id: string, place: Place): void {
    this.values(place.items.at(-1) ?? '')[id] = NEVER_RAN;
  }

  private seen(place: Place): Record<string, Value> {
    return Object.assign({}, ...['', ...place.items].map((item) => this.values(item)));
  }

  private scope(place: Place) {
    const steps = this.seen(place);
    const { own, last } = place;
    if (own !== undefined && last) {
      const before = last[own] ?? NEVER_RAN;
      steps[own] = place.isHandled ? { ...(steps[own] as Value), output: before.output } : before;
    }
    const { name, protected: isProtected, vars } = this.plan.environment;
    const environment = { name, protected: isProtected, vars };
    return { values: { ...place.names, input: this.input, steps, environment, task: this.ending } };
  }

  private template<T extends Json>(template: T, place: Place, at: number): T {
    return failing(at, () => evaluateTemplate(template, this.scope(place)) as T);
  }

  private condition(source: string, place: Place, at: number): boolean {
    const value = failing(at, () => compileExpression(source).evaluate(this.scope(place)));
    if (typeof value === 'boolean') return value;
    throw new Stop('failed', at, { code: 'expression.not_boolean' });
  }

  private parameters(template: Json, place: Place, at: number): JsonObject {
    const input = this.template(template, place, at);
    if (input !== null && typeof input === 'object' && !Array.isArray(input)) return input;
    throw new Stop('failed', at, { code: 'input.invalid' });
  }

  private list(foreach: { expression: string } | { list: Json[] }, place: Place, at: number): Json[] {
    if ('list' in foreach) return this.template(foreach.list, place, at);
    const value = failing(at, () => compileExpression(foreach.expression).evaluate(this.scope(place)));
    if (Array.isArray(value)) return value;
    throw new Stop('failed', at, { code: 'expression.not_list' });
  }

  /** Steps that did not run are skipped; of several turns, the worst status counts. */
  private summary(): Record<string, string> {
    const steps: Record<string, string> = {};
    for (const { path } of everyStep(this.plan)) steps[path] = 'skipped';
    for (const [path, { status }] of Object.entries(this.state.statuses)) {
      const general = path.endsWith('.undo') ? path : path.replaceAll(/\/\d+(?=\/)/g, '/*');
      const before = steps[general];
      steps[general] = before === undefined || WORST.indexOf(status) < WORST.indexOf(before) ? status : before;
    }
    return steps;
  }
}

/** A time-out or cancellation ends several branches at one moment; then all must end alike. @throws Ambiguous. */
function refuseTie(ends: readonly (Stop | Done)[]): void {
  const kinds = new Set(ends.map((end) => (end instanceof Stop ? end.kind : 'done')));
  if (kinds.size > 1 || (ends.length > 1 && !kinds.has('cancelled'))) throw new Ambiguous();
}

const WORST = ['unknown', 'denied', 'timed_out', 'failed', 'cancelled', 'succeeded', 'skipped'];

function inside({ own: _, isHandled: __, ...place }: Place, path: string): Place {
  return { ...place, prefix: `${path}/` };
}

function stopOf(error: unknown): Stop {
  if (error instanceof Stop) return error;
  throw error;
}

function failing<T>(at: number, evaluate: () => T): T {
  try {
    return evaluate();
  } catch (error) {
    if (error instanceof AbilityError) throw new Stop('failed', at, { code: error.code });
    throw error;
  }
}

/** The innermost failed step is the one reported. Source: answers, 50. */
function locate(stop: Stop, step: string, path: string): Stop {
  if (stop.kind !== 'failed' || stop.failure.step !== undefined) return stop;
  return new Stop('failed', stop.at, { ...stop.failure, step, path });
}

function pauseBefore(attempt: number, { first, factor, max }: Pick<PlanRetry, 'first' | 'factor' | 'max'>): number {
  return Math.min(parseDuration(first) * factor ** (attempt - 2), parseDuration(max));
}

/** A code, its family, or a class of HTTP statuses; some of those also mean `unavailable`. Source: answers, 24. */
function isNamed(code: string, entry: string): boolean {
  if (entry === 'unavailable' && code === 'http.503') return true;
  return code === entry || code.split('.')[0] === entry || (entry === 'http.5xx' && /^http\.5/.test(code));
}

function isNo(code: string): boolean {
  return /^(approval\.|guard\.)/.test(code) || code === 'hook.failed';
}

/** Source: answers, 44; the limit on the calls of a task cannot be caught. */
function isCaughtByAll(code: string): boolean {
  return !isNo(code) && code !== 'limit.max_calls';
}

function handlerOf(handlers: readonly ErrorHandler[] | undefined, code: string): ErrorHandler | undefined {
  if (code === 'limit.max_calls') return undefined;
  return handlers?.find(({ errors }) => (errors ? errors.some((entry) => isNamed(code, entry)) : isCaughtByAll(code)));
}

/** Source: answers, 47. */
function isTriedAgain(code: string, errors: readonly string[] | undefined): boolean {
  if (isNo(code) || code === 'limit.max_calls' || code === 'input.invalid' || code.startsWith('expression.'))
    return false;
  return errors ? errors.some((entry) => isNamed(code, entry)) : !/^http\.4/.test(code);
}

/** Source: answers, 45 and 49. */
function statusOf(code: string): string {
  if (isNo(code)) return 'denied';
  return code.startsWith('timeout.') ? 'timed_out' : 'failed';
}

function endOf(code: string): string {
  return isNo(code) ? 'denied' : 'failed';
}

/** Every step with its path, with `*` for the turns of loops. */
export function everyStep(
  plan: Pick<Plan, 'steps' | 'finally' | 'on_error'>,
): { id: string; path: string; step: PlanStep }[] {
  const list = (steps: readonly PlanStep[], prefix: string): { id: string; path: string; step: PlanStep }[] =>
    steps.flatMap((step) => {
      const path = prefix + step.id;
      const isLoop = step.verb === 'foreach' || step.verb === 'repeat';
      return [
        { id: step.id, path, step },
        ...list(ofVerb(step), `${path}/${isLoop ? '*/' : ''}`),
        ...list([...(step.on_error ?? []).flatMap(({ steps: own }) => own), ...(step.finally ?? [])], `${path}/`),
      ];
    });
  return list([...plan.steps, ...(plan.on_error ?? []).flatMap(({ steps }) => steps), ...plan.finally], '');
}

function ofVerb(step: PlanStep): readonly PlanStep[] {
  if ('branches' in step) return step.branches;
  if ('cases' in step) return step.cases.flatMap(({ steps }) => steps);
  return 'steps' in step ? step.steps : [];
}
