import type { CallRefusal, PlannedEntry } from '../../contracts/agent-runtime.js';
import type { AbilityGuard } from '../../contracts/session.js';

/** What is known where it is decided whether a planned call is tried. */
interface Denials {
  /** What the user asked; nothing that came from an AI or a tool. */
  prompt: string;
  /** Of the turn context. */
  guards: readonly AbilityGuard[];
  /** Digests of calls that were denied in this run. */
  denied: ReadonlySet<string>;
  /** The digest of what the entry calls. */
  call: string;
}

/**
 * Why a planned call is not tried: the turn context denies its ability, and the user did not name it; or this very call was denied before.
 *
 * A guard of an earlier call that says what to do instead may be followed with another input; the guard decides then.
 * Source: R-002-43; C-11, C-45; docs/agents.md.
 */
export function refusalOf(
  { ability_id }: PlannedEntry,
  { prompt, guards, denied, call }: Denials,
): CallRefusal | undefined {
  if (denied.has(call)) {
    const reason = `${ability_id} was denied with this input, and is not asked for again`;
    return { code: 'guard.denied', reason, suggestion: `Follow what that denial suggests, or ${ASK}.` };
  }
  if (isNamedIn(prompt, ability_id)) return undefined;
  const guard = guards.find((one) => one.decision === 'deny' && isAbout(one, ability_id));
  if (!guard || (guard.suggestion !== undefined && isOfCall(guard))) return undefined;
  return {
    code: 'guard.denied',
    reason: `${guard.reason} (${guard.source})`,
    suggestion: guard.suggestion ?? `It is not called on an AI's own initiative. Plan another way, or ${ASK}.`,
  };
}

const ASK = 'answer with what the user has to decide';

/** Guards of the prompt that ask for a confirmation: no guard of the call may, so that it is asked for here. Source: R-002-45. */
export function confirmationsOf(entries: readonly PlannedEntry[], guards: readonly AbilityGuard[]): string[] {
  return guards
    .filter((guard) => guard.decision === 'need_user_confirm' && !isOfCall(guard))
    .filter((guard) => entries.some(({ ability_id }) => isAbout(guard, ability_id)))
    .map(({ ability_id, reason }) => `${ability_id}: ${reason}`);
}

function isAbout({ ability_id }: AbilityGuard, id: string): boolean {
  return ability_id === '*' || ability_id === id;
}

function isOfCall({ source }: AbilityGuard): boolean {
  return source.startsWith('PreAbility');
}

/** Whether a text has an id as a word of its own: `db.drop` is not named by `db.drop_all`, and is by `run db.drop.` */
export function isNamedIn(text: string, id: string): boolean {
  const word = id.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`(?<![\\p{L}\\p{N}_.-])${word}(?![\\p{L}\\p{N}_-]|\\.[\\p{L}\\p{N}_])`, 'u').test(text);
}
